#include "net/outgoing_socket.h"

#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <fmt/format.h>

namespace saker::net {

namespace {

int familyOf(const Endpoint& endpoint) {
    switch (endpoint.address.family) {
    case loop::SocketAddress::Family::ipv4:
        return AF_INET;
    case loop::SocketAddress::Family::ipv6:
        return AF_INET6;
    case loop::SocketAddress::Family::local:
        return AF_UNIX;
    case loop::SocketAddress::Family::none:
        break;
    }
    return AF_UNSPEC;
}

} // namespace

Result<loop::NativeSocket> openOutgoing(const Endpoint& endpoint) {
    if (endpoint.path.size() >= sizeof sockaddr_un{}.sun_path) {
        return Error{ErrorKind::configuration,
                     fmt::format("the path of a local socket must be shorter than {} bytes, this one has {}",
                                 sizeof sockaddr_un{}.sun_path, endpoint.path.size()),
                     endpoint.text()};
    }
    const int fd = ::socket(familyOf(endpoint), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return systemError(errno, "opening a socket", endpoint.text());
    }
    if (!endpoint.isLocal()) {
        const int one = 1;
        ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    }
    return static_cast<loop::NativeSocket>(fd);
}

void closeOutgoing(loop::NativeSocket socket) {
    ::close(static_cast<int>(socket));
}

int connectLocal(loop::NativeSocket socket, const Endpoint& endpoint) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, endpoint.path.data(), endpoint.path.size());
    return ::connect(static_cast<int>(socket), reinterpret_cast<const sockaddr*>(&address), sizeof address) ==
                   0
               ? 0
               : errno;
}

int lastConnectError() {
    return errno;
}

bool isQuiet(loop::NativeSocket socket) {
    char byte = 0;
    return ::recv(static_cast<int>(socket), &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
           (errno == EAGAIN || errno == EWOULDBLOCK);
}

} // namespace saker::net
