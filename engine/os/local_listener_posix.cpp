#include "os/local_listener.h"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace saker::os {

Result<LocalListener> LocalListener::open(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) {
        return Error{
            ErrorKind::limit,
            fmt::format("the path of a socket may have {} bytes and this one has {}; a shorter folder for "
                        "running programs is needed",
                        sizeof address.sun_path - 1, path.size()),
            path};
    }
    std::memcpy(address.sun_path, path.data(), path.size());
    const int handle = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (handle < 0) {
        return systemError(errno, "cannot make a socket", path);
    }
    if (::bind(handle, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        const Error error = systemError(errno, "cannot make the socket", path);
        ::close(handle);
        return error;
    }
    LocalListener listener(path, handle);
    // Nobody can connect before it listens, so that nobody slips in before the mode is set.
    if (::chmod(path.c_str(), S_IRUSR | S_IWUSR) != 0 || ::listen(handle, SOMAXCONN) != 0) {
        return systemError(errno, "cannot listen at the socket", path);
    }
    return listener;
}

LocalListener::LocalListener(LocalListener&& other) noexcept
    : path_(std::exchange(other.path_, {})), handle_(std::exchange(other.handle_, -1)) {}

LocalListener& LocalListener::operator=(LocalListener&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(handle_, other.handle_);
    return *this;
}

LocalListener::~LocalListener() {
    if (handle_ >= 0) {
        ::unlink(path_.c_str());
        ::close(static_cast<int>(handle_));
    }
}

void LocalListener::turnAwayWaiting() const {
    // Looked at before each accept: the socket's handle is shared with programs that want it to block.
    for (pollfd waiting{static_cast<int>(handle_), POLLIN, 0}; ::poll(&waiting, 1, 0) > 0;) {
        const int connection = ::accept4(static_cast<int>(handle_), nullptr, nullptr, SOCK_CLOEXEC);
        if (connection < 0) {
            return;
        }
        ::close(connection);
    }
}

} // namespace saker::os
