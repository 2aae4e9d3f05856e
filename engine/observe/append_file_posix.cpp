#include "observe/append_file.h"

#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace saker::observe {

Result<AppendFile> AppendFile::open(const std::string& path, std::uint32_t mode) {
    int fd = -1;
    if (path == "-") {
        fd = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    } else {
        fd = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, mode);
    }
    if (fd < 0) {
        return systemError(errno, "opening the log file", path);
    }
    struct stat status {};
    bool regular = path != "-" && ::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
    return AppendFile(fd, regular ? static_cast<std::uint64_t>(status.st_size) : 0, regular);
}

AppendFile::AppendFile(AppendFile&& other) noexcept
    : native_(std::exchange(other.native_, -1)), size_(other.size_), regular_(other.regular_) {}

AppendFile& AppendFile::operator=(AppendFile&& other) noexcept {
    std::swap(native_, other.native_);
    std::swap(size_, other.size_);
    std::swap(regular_, other.regular_);
    return *this;
}

AppendFile::~AppendFile() {
    if (native_ >= 0) {
        ::close(static_cast<int>(native_));
    }
}

AppendFile::Written AppendFile::write(std::string_view bytes) {
    Written result;
    while (result.bytes < bytes.size()) {
        ssize_t n =
            ::write(static_cast<int>(native_), bytes.data() + result.bytes, bytes.size() - result.bytes);
        if (n < 0) {
            if (errno == EINTR) {
                continue;
            }
            if (errno == EAGAIN) { // a pipe that somebody else made non-blocking
                struct pollfd writable {
                    static_cast<int>(native_), POLLOUT, 0
                };
                ::poll(&writable, 1, -1);
                continue;
            }
            result.error = errno;
            break;
        }
        result.bytes += static_cast<std::size_t>(n);
    }
    size_ += result.bytes;
    return result;
}

} // namespace saker::observe
