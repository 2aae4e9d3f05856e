// Between SocketAddress and what the system's socket calls take, without the system's headers.
#pragma once

#include "loop/op.h"
#include "loop/socket_address.h"

#include <array>
#include <cstddef>

namespace saker::loop {

/// A sockaddr of whatever family, with its length. REQUIRES for the conversion: an IPv4 or IPv6 address.
struct NativeAddress {
    alignas(8) std::array<std::byte, 128> storage{};
    unsigned length = 0;

    static NativeAddress from(const SocketAddress& address);
};

/// From a sockaddr; a family that is not known becomes `none`.
SocketAddress fromNative(const void* address, std::size_t length);
/// The socket's own address, and its peer's; `none` when the system does not say.
SocketAddress localAddressOf(NativeSocket socket);
SocketAddress peerAddressOf(NativeSocket socket);

} // namespace saker::loop
