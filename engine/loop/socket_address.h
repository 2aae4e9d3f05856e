// An IPv4 or IPv6 address with a port: 20 bytes, no system header. Text forms as in RFC 3986 and RFC 5952.
#pragma once

#include "base/result.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace saker::loop {

struct SocketAddress {
    enum class Family : std::uint8_t { none, ipv4, ipv6, local };

    Family family = Family::none;
    std::uint16_t port = 0; ///< host byte order
    std::array<std::uint8_t, 16>
        ip{}; ///< network order; IPv4 in the first four; IPv4-mapped IPv6 becomes IPv4

    /// "127.0.0.1", "::1"; "unix:" for a local socket.
    std::string host() const;
    /// "127.0.0.1:80", "[::1]:80".
    std::string text() const;
    bool isLoopback() const;
    /// All zeros: every interface.
    bool isAny() const;
    bool operator==(const SocketAddress&) const = default;

    /// A literal address ("127.0.0.1", "::1", "[::1]"), no name.
    static Result<SocketAddress> parse(std::string_view host, std::uint16_t port);
};

} // namespace saker::loop
