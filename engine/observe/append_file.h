// A file that is only ever appended to. Not thread-safe.
#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace saker::observe {

class AppendFile {
public:
    /// Creates it when missing, but no folder: a mistyped path should be noticed. "-" is standard output.
    static Result<AppendFile> open(const std::string& path, std::uint32_t mode = 0640);
    AppendFile(AppendFile&& other) noexcept;
    AppendFile& operator=(AppendFile&& other) noexcept;
    ~AppendFile();

    struct Written {
        std::size_t bytes = 0; ///< less than asked for when something failed
        int error = 0;         ///< errno value of the failure
    };
    /// Blocks until all of it is written or something fails.
    Written write(std::string_view bytes);
    /// Bytes in the file as far as this object knows: at opening plus what it wrote.
    std::uint64_t size() const { return size_; }
    /// The name is that of an ordinary file, not of a device, a pipe or a link to one: it can be rotated.
    bool isRegular() const { return regular_; }

private:
    AppendFile(std::intptr_t native, std::uint64_t size, bool regular)
        : native_(native), size_(size), regular_(regular) {}

    std::intptr_t native_ = -1;
    std::uint64_t size_ = 0;
    bool regular_ = false;
};

} // namespace saker::observe
