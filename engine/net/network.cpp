#include "net/network.h"

#include "base/text.h"

#include <fmt/format.h>

namespace saker::net {

namespace {

using Family = loop::SocketAddress::Family;

Error wrong(std::string_view text) {
    return {ErrorKind::configuration,
            fmt::format("expected an address or a network such as \"10.0.0.0/8\" or \"::1\", found \"{}\"",
                        escapeControl(text)),
            {}};
}

} // namespace

Result<Network> Network::parse(std::string_view text) {
    const std::size_t slash = text.find('/');
    const auto address = loop::SocketAddress::parse(text.substr(0, slash), 0);
    if (!address || (address->family != Family::ipv4 && address->family != Family::ipv6)) {
        return wrong(text);
    }
    const unsigned most = address->family == Family::ipv4 ? 32 : 128;
    Network network{*address, most};
    if (slash != std::string_view::npos) {
        const auto bits = parseDecimal(text.substr(slash + 1));
        if (!bits || *bits > most) {
            return wrong(text);
        }
        network.bits = static_cast<unsigned>(*bits);
    }
    return network;
}

bool Network::contains(const loop::SocketAddress& address) const {
    if (address.family != base.family) {
        return false;
    }
    for (unsigned bit = 0; bit < bits; bit += 8) {
        const unsigned left = bits - bit;
        const unsigned mask = left >= 8 ? 0xff : 0xff00 >> left & 0xff;
        const unsigned byte = bit / 8;
        if ((base.ip[byte] & mask) != (address.ip[byte] & mask)) {
            return false;
        }
    }
    return true;
}

} // namespace saker::net
