#include "tls/file_read.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <sys/uio.h>
#include <unistd.h>

namespace saker::tls {

FileRead readFilePart(const FileHandle& file, std::uint64_t offset, std::span<char> to, bool mayWait) {
    const int descriptor = static_cast<int>(file.native());
    iovec vector{to.data(), to.size()};
    ssize_t n = -1;
    do {
        n = mayWait ? ::pread(descriptor, to.data(), to.size(), static_cast<off_t>(offset))
                    : ::preadv2(descriptor, &vector, 1, static_cast<off_t>(offset), RWF_NOWAIT);
    } while (n < 0 && errno == EINTR);
    if (n > 0) {
        return {FileRead::Outcome::read, static_cast<std::size_t>(n), 0};
    }
    if (n == 0) {
        return {FileRead::Outcome::failed, 0, EIO};
    }
    if (mayWait) {
        return {FileRead::Outcome::failed, 0, errno};
    }
    if (errno == EAGAIN) {
        return {FileRead::Outcome::cold, 0, 0};
    }
    return readFilePart(file, offset, to, true); // a file system that cannot say
}

void warmFilePart(std::intptr_t native, std::uint64_t offset, std::uint64_t size) {
    static thread_local std::array<char, std::size_t{64} * 1024> scratch;
    while (size > 0) {
        const ssize_t n = ::pread(static_cast<int>(native), scratch.data(),
                                  std::min<std::uint64_t>(size, scratch.size()), static_cast<off_t>(offset));
        if (n <= 0) {
            return; // reading it in earnest will tell
        }
        offset += static_cast<std::uint64_t>(n);
        size -= static_cast<std::uint64_t>(n);
    }
}

} // namespace saker::tls
