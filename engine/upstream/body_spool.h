// Keeps a request's body until its end: in memory up to a limit, then in a temporary file. For upstreams that
// have to be told the length first. On its loop.
#pragma once

#include "base/buffer_chain.h"
#include "base/result.h"
#include "os/temporary_file.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace saker::upstream {

struct SpoolOptions {
    std::uint64_t memory = 256 * 1024; ///< bytes kept in memory
    std::string folder = {};           ///< for the file; "": the system's temporary folder
};

class BodySpool {
public:
    explicit BodySpool(SpoolOptions options) : options_(std::move(options)) {}

    /// Fails when the file cannot be made or the disk is full.
    Result<void> append(std::string_view bytes);
    std::uint64_t size() const { return file_ ? file_->size() : memory_.size(); }
    /// Appends all of it to the chain; may be asked again.
    void read(BufferChain& out) const;

private:
    SpoolOptions options_;
    std::string memory_; // empty once there is a file
    std::optional<os::TemporaryFile> file_;
};

} // namespace saker::upstream
