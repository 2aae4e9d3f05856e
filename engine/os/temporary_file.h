// A file without a name, gone with its last reference. For bytes that are too many for memory.
#pragma once

#include "base/buffer_chain.h"
#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace saker::os {

class TemporaryFile {
public:
    /// In a folder; "": the system's temporary folder. Only this user can reach it.
    static Result<TemporaryFile> create(const std::string& folder);

    /// Behind what is there.
    Result<void> append(std::string_view bytes);
    std::uint64_t size() const { return size_; }
    /// For pieces of a BufferChain; append() goes on to work.
    const Ref<FileHandle>& handle() const { return handle_; }

private:
    explicit TemporaryFile(Ref<FileHandle> handle) : handle_(std::move(handle)) {}

    Ref<FileHandle> handle_;
    std::uint64_t size_ = 0;
};

} // namespace saker::os
