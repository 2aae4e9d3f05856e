#include "net/listen_socket.h"

#include "loop/native_address.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace saker::net {

namespace {

using Family = loop::SocketAddress::Family;

/// The queue of clients waiting to be accepted; the system caps it (net.core.somaxconn).
constexpr int kBacklog = 4096;

int fdOf(loop::NativeSocket native) {
    return static_cast<int>(native);
}

void setOption(int fd, int level, int option) {
    const int one = 1;
    ::setsockopt(fd, level, option, &one, sizeof one);
}

Error bindError(const loop::SocketAddress& address, int code) {
    std::string advice;
    switch (code) {
    case EADDRINUSE:
        advice = "another program listens there; stop it or choose another port";
        break;
    case EACCES:
        advice = "ports below 1024 need a privilege: start as root, grant the program CAP_NET_BIND_SERVICE, "
                 "or choose "
                 "a port of 1024 or more";
        break;
    case EADDRNOTAVAIL:
        advice =
            "no interface of this machine has that address; use one that it has, or 0.0.0.0 for all of them";
        break;
    case EAFNOSUPPORT:
        advice = "this system has no such kind of address (is IPv6 turned off?); leave the address out";
        break;
    default:
        advice = systemErrorText(code);
    }
    return Error{ErrorKind::cannotBind, fmt::format("cannot listen on port {}: {}", address.port, advice),
                 address.text()};
}

/// An open socket with the address, or an errno value in `error`.
int openBound(const loop::SocketAddress& address, bool sharing, int& error) {
    const int family = address.family == Family::ipv6 ? AF_INET6 : AF_INET;
    const int fd = ::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        error = errno;
        return -1;
    }
    setOption(fd, SOL_SOCKET, SO_REUSEADDR);
    if (sharing) {
        setOption(fd, SOL_SOCKET, SO_REUSEPORT);
    }
    if (family == AF_INET6) {
        setOption(fd, IPPROTO_IPV6, IPV6_V6ONLY);
    }
    setOption(fd, IPPROTO_TCP, TCP_NODELAY); // accepted sockets inherit it
    const loop::NativeAddress native = loop::NativeAddress::from(address);
    if (::bind(fd, reinterpret_cast<const sockaddr*>(native.storage.data()), native.length) != 0) {
        error = errno;
        ::close(fd);
        return -1;
    }
    return fd;
}

int socketOption(int fd, int option) {
    int value = 0;
    socklen_t length = sizeof value;
    return ::getsockopt(fd, SOL_SOCKET, option, &value, &length) == 0 ? value : -1;
}

} // namespace

Result<ListenSocket> ListenSocket::bind(const loop::SocketAddress& address, bool shared) {
    if (address.family != Family::ipv4 && address.family != Family::ipv6) {
        return Error{ErrorKind::cannotBind, "cannot listen: an IPv4 or IPv6 address is expected",
                     address.text()};
    }
    int error = 0;
    if (!shared && address.port != 0) {
        const int probe = openBound(address, false, error);
        if (probe < 0) {
            return bindError(address, error);
        }
        ::close(probe);
    }
    const int fd = openBound(address, true, error);
    if (fd < 0) {
        return bindError(address, error);
    }
    const auto native = static_cast<loop::NativeSocket>(fd);
    return ListenSocket(native, loop::localAddressOf(native));
}

Result<std::vector<ListenSocket>> ListenSocket::bindGroup(const loop::SocketAddress& address,
                                                          std::size_t count, bool shared) {
    std::vector<ListenSocket> group;
    loop::SocketAddress chosen = address;
    while (group.size() < count) {
        auto socket = bind(chosen, shared || !group.empty());
        if (!socket) {
            return socket.error();
        }
        chosen = socket->address();
        group.push_back(std::move(*socket));
    }
    return group;
}

Result<ListenSocket> ListenSocket::inherit(loop::NativeSocket native) {
    const int fd = fdOf(native);
    if (socketOption(fd, SO_TYPE) != SOCK_STREAM) {
        return Error{
            ErrorKind::cannotBind,
            fmt::format("the inherited descriptor {} is not a stream socket; check what passes it on", fd),
            {}};
    }
    ::fcntl(fd, F_SETFD, FD_CLOEXEC);
    ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
    setOption(fd, IPPROTO_TCP, TCP_NODELAY);
    return ListenSocket(native, loop::localAddressOf(native));
}

Result<ListenSocket> ListenSocket::duplicate(loop::NativeSocket native) {
    const int copy = ::fcntl(fdOf(native), F_DUPFD_CLOEXEC, 0);
    if (copy < 0) {
        return systemError(errno, "duplicating a listening socket");
    }
    return inherit(static_cast<loop::NativeSocket>(copy));
}

Result<void> ListenSocket::listen() {
    // Two sockets may be bound to one address as long as neither listens; so this can still find it in use.
    if (::listen(fdOf(native_), kBacklog) != 0) {
        return bindError(address_, errno);
    }
    return {};
}

bool ListenSocket::refuseNewClients(loop::NativeSocket native) {
    // Runs on each packet for this socket, from the TCP header on: byte 13 holds the flags. A lone SYN opens
    // a connection; all else belongs to handshakes that have begun.
    constexpr unsigned kSyn = 0x02;
    constexpr unsigned kAck = 0x10;
    std::array<sock_filter, 5> program{{
        BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 13),
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, kSyn | kAck),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kSyn, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, 0),
        BPF_STMT(BPF_RET | BPF_K, 0xffffffff),
    }};
    const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
    return ::setsockopt(fdOf(native), SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter) == 0;
}

loop::NativeSocket ListenSocket::acceptWaiting(loop::NativeSocket native, loop::SocketAddress& peer) {
    while (true) {
        sockaddr_storage address;
        socklen_t length = sizeof address;
        const int fd = ::accept4(fdOf(native), reinterpret_cast<sockaddr*>(&address), &length,
                                 SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0) {
            peer = loop::fromNative(&address, length);
            return static_cast<loop::NativeSocket>(fd);
        }
        if (errno != EINTR && errno != ECONNABORTED) {
            return loop::kNoSocket;
        }
    }
}

void ListenSocket::close() {
    if (isOpen()) {
        ::close(fdOf(take()));
    }
}

} // namespace saker::net
