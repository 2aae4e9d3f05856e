#include "loop/native_address.h"

#include <algorithm>
#include <cstring>
#include <netinet/in.h>
#include <sys/socket.h>

namespace saker::loop {

static_assert(sizeof(sockaddr_storage) <= sizeof(NativeAddress::storage));

NativeAddress NativeAddress::from(const SocketAddress& address) {
    NativeAddress native;
    if (address.family == SocketAddress::Family::ipv4) {
        sockaddr_in in{};
        in.sin_family = AF_INET;
        in.sin_port = htons(address.port);
        std::memcpy(&in.sin_addr, address.ip.data(), 4);
        std::memcpy(native.storage.data(), &in, sizeof in);
        native.length = sizeof in;
    } else if (address.family == SocketAddress::Family::ipv6) {
        sockaddr_in6 in{};
        in.sin6_family = AF_INET6;
        in.sin6_port = htons(address.port);
        std::memcpy(&in.sin6_addr, address.ip.data(), 16);
        std::memcpy(native.storage.data(), &in, sizeof in);
        native.length = sizeof in;
    }
    return native;
}

SocketAddress fromNative(const void* data, std::size_t length) {
    SocketAddress address;
    sa_family_t family = AF_UNSPEC;
    if (length < offsetof(sockaddr, sa_family) + sizeof family) {
        return address;
    }
    std::memcpy(&family, static_cast<const char*>(data) + offsetof(sockaddr, sa_family), sizeof family);
    if (family == AF_INET && length >= sizeof(sockaddr_in)) {
        sockaddr_in in;
        std::memcpy(&in, data, sizeof in);
        address.family = SocketAddress::Family::ipv4;
        address.port = ntohs(in.sin_port);
        std::memcpy(address.ip.data(), &in.sin_addr, 4);
    } else if (family == AF_INET6 && length >= sizeof(sockaddr_in6)) {
        sockaddr_in6 in;
        std::memcpy(&in, data, sizeof in);
        address.port = ntohs(in.sin6_port);
        if (IN6_IS_ADDR_V4MAPPED(&in.sin6_addr)) {
            address.family = SocketAddress::Family::ipv4;
            std::memcpy(address.ip.data(), reinterpret_cast<const char*>(&in.sin6_addr) + 12, 4);
        } else {
            address.family = SocketAddress::Family::ipv6;
            std::memcpy(address.ip.data(), &in.sin6_addr, 16);
        }
    } else if (family == AF_UNIX) {
        address.family = SocketAddress::Family::local;
    }
    return address;
}

SocketAddress localAddressOf(NativeSocket socket) {
    sockaddr_storage storage{};
    socklen_t length = sizeof storage;
    if (::getsockname(static_cast<int>(socket), reinterpret_cast<sockaddr*>(&storage), &length) != 0) {
        return {};
    }
    return fromNative(&storage, length);
}

SocketAddress peerAddressOf(NativeSocket socket) {
    sockaddr_storage storage{};
    socklen_t length = sizeof storage;
    if (::getpeername(static_cast<int>(socket), reinterpret_cast<sockaddr*>(&storage), &length) != 0) {
        return {};
    }
    return fromNative(&storage, length);
}

} // namespace saker::loop
