#include "loop/socket_address.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace saker::loop {

namespace {

constexpr std::array<std::uint8_t, 12> kMappedPrefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

/// Four decimal numbers without leading zeros, which other programs read as octal.
bool parseIpv4(std::string_view text, std::uint8_t* out) {
    for (int i = 0; i < 4; ++i) {
        std::size_t digits = 0;
        unsigned value = 0;
        while (digits < text.size() && digits < 4 && text[digits] >= '0' && text[digits] <= '9') {
            value = value * 10 + static_cast<unsigned>(text[digits] - '0');
            ++digits;
        }
        if (digits == 0 || digits > 3 || value > 255 || (digits > 1 && text[0] == '0')) {
            return false;
        }
        text.remove_prefix(digits);
        out[i] = static_cast<std::uint8_t>(value);
        if (i < 3) {
            if (text.empty() || text[0] != '.') {
                return false;
            }
            text.remove_prefix(1);
        }
    }
    return text.empty();
}

std::optional<unsigned> hexDigit(char c) {
    if (c >= '0' && c <= '9') {
        return static_cast<unsigned>(c - '0');
    }
    const char lower = static_cast<char>(c | 0x20);
    if (lower >= 'a' && lower <= 'f') {
        return static_cast<unsigned>(lower - 'a' + 10);
    }
    return std::nullopt;
}

/// RFC 4291 section 2.2: eight groups, "::" once for a run of zero groups, the last two perhaps as IPv4.
bool parseIpv6(std::string_view text, std::array<std::uint8_t, 16>& out) {
    std::array<std::uint8_t, 16> bytes{};
    std::size_t length = 0;
    std::optional<std::size_t> gap;
    if (text.substr(0, 2) == "::") {
        gap = 0;
        text.remove_prefix(2);
    }
    while (!text.empty()) {
        if (length == 16) {
            return false;
        }
        std::size_t digits = 0;
        unsigned value = 0;
        while (digits < text.size() && digits < 5) {
            const auto digit = hexDigit(text[digits]);
            if (!digit) {
                break;
            }
            value = value * 16 + *digit;
            ++digits;
        }
        if (digits < text.size() && text[digits] == '.') {
            if (length > 12 || !parseIpv4(text, &bytes[length])) {
                return false;
            }
            length += 4;
            break;
        }
        if (digits == 0 || digits > 4) {
            return false;
        }
        bytes[length++] = static_cast<std::uint8_t>(value >> 8);
        bytes[length++] = static_cast<std::uint8_t>(value);
        text.remove_prefix(digits);
        if (text.empty()) {
            break;
        }
        if (text[0] != ':' || text.size() == 1) {
            return false;
        }
        text.remove_prefix(1);
        if (text[0] == ':') {
            if (gap) {
                return false;
            }
            gap = length;
            text.remove_prefix(1);
        }
    }
    if (!gap) {
        out = bytes;
        return length == 16;
    }
    if (length == 16) {
        return false;
    }
    out.fill(0);
    std::copy_n(bytes.begin(), *gap, out.begin());
    std::copy(bytes.begin() + static_cast<std::ptrdiff_t>(*gap),
              bytes.begin() + static_cast<std::ptrdiff_t>(length),
              out.end() - static_cast<std::ptrdiff_t>(length - *gap));
    return true;
}

/// RFC 5952: lower case, no leading zeros, the longest run of two or more zero groups (the first of equals)
/// as "::".
std::string ipv6Text(const std::array<std::uint8_t, 16>& ip) {
    std::array<unsigned, 8> groups{};
    for (std::size_t i = 0; i < 8; ++i) {
        groups[i] = static_cast<unsigned>(ip[2 * i] << 8 | ip[2 * i + 1]);
    }
    std::size_t best = 8;
    std::size_t bestLength = 1;
    for (std::size_t i = 0; i < 8; ++i) {
        std::size_t run = 0;
        while (i + run < 8 && groups[i + run] == 0) {
            ++run;
        }
        if (run > bestLength) {
            best = i;
            bestLength = run;
        }
    }
    std::string text;
    for (std::size_t i = 0; i < 8; ++i) {
        if (i == best) {
            text += "::";
            i += bestLength - 1;
            continue;
        }
        if (!text.empty() && text.back() != ':') {
            text += ':';
        }
        text += fmt::format("{:x}", groups[i]);
    }
    return text;
}

} // namespace

std::string SocketAddress::host() const {
    switch (family) {
    case Family::ipv4:
        return fmt::format("{}.{}.{}.{}", ip[0], ip[1], ip[2], ip[3]);
    case Family::ipv6:
        return ipv6Text(ip);
    case Family::local:
        return "unix:";
    case Family::none:
        break;
    }
    return "unknown";
}

std::string SocketAddress::text() const {
    switch (family) {
    case Family::ipv4:
        return fmt::format("{}:{}", host(), port);
    case Family::ipv6:
        return fmt::format("[{}]:{}", host(), port);
    default:
        return host();
    }
}

bool SocketAddress::isLoopback() const {
    switch (family) {
    case Family::ipv4:
        return ip[0] == 127;
    case Family::ipv6:
        return ip[15] == 1 &&
               std::all_of(ip.begin(), ip.end() - 1, [](std::uint8_t byte) { return byte == 0; });
    case Family::local:
        return true;
    case Family::none:
        break;
    }
    return false;
}

bool SocketAddress::isAny() const {
    return (family == Family::ipv4 || family == Family::ipv6) &&
           std::all_of(ip.begin(), ip.end(), [](std::uint8_t byte) { return byte == 0; });
}

Result<SocketAddress> SocketAddress::parse(std::string_view host, std::uint16_t port) {
    SocketAddress address;
    address.port = port;
    std::string_view inner = host;
    const bool bracketed = inner.size() >= 2 && inner.front() == '[' && inner.back() == ']';
    if (bracketed) {
        inner = inner.substr(1, inner.size() - 2);
    }
    if (!bracketed && parseIpv4(inner, address.ip.data())) {
        address.family = Family::ipv4;
        return address;
    }
    if (parseIpv6(inner, address.ip)) {
        address.family = Family::ipv6;
        if (std::equal(kMappedPrefix.begin(), kMappedPrefix.end(), address.ip.begin())) {
            address.family = Family::ipv4;
            std::copy(address.ip.begin() + 12, address.ip.end(), address.ip.begin());
            std::fill(address.ip.begin() + 4, address.ip.end(), std::uint8_t{0});
        }
        return address;
    }
    return Error{
        ErrorKind::configuration,
        fmt::format("\"{}\" is not an IP address; expected one like 127.0.0.1, 0.0.0.0, ::1 or [::]", host),
        {}};
}

} // namespace saker::loop
