#include "os/read_at.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <sys/uio.h>

namespace saker::os {

ReadAt readAt(std::intptr_t file, std::uint64_t offset, std::span<char> into, bool onlyFromMemory) {
    iovec vector{into.data(), into.size()};
    int flags = onlyFromMemory ? RWF_NOWAIT : 0;
    while (true) {
        const ssize_t n = ::preadv2(static_cast<int>(file), &vector, 1, static_cast<off_t>(offset), flags);
        if (n >= 0) {
            return {ReadAt::Kind::some, static_cast<std::size_t>(n), 0};
        }
        if (errno == EAGAIN && flags != 0) {
            return {ReadAt::Kind::cold, 0, EAGAIN};
        }
        if (errno == EOPNOTSUPP && flags != 0) {
            flags = 0; // a file system that cannot tell
            continue;
        }
        if (errno != EINTR) {
            return {ReadAt::Kind::failed, 0, errno};
        }
    }
}

void readThrough(std::intptr_t file, std::uint64_t offset, std::uint64_t size) {
    static thread_local std::array<char, std::size_t{64} * 1024> scratch;
    while (size > 0) {
        const std::span<char> part(scratch.data(),
                                   static_cast<std::size_t>(std::min<std::uint64_t>(size, scratch.size())));
        const ReadAt read = readAt(file, offset, part, false);
        if (read.kind != ReadAt::Kind::some || read.size == 0) {
            return;
        }
        offset += read.size;
        size -= read.size;
    }
}

} // namespace saker::os
