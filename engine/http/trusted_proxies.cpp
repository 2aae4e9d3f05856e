#include "http/trusted_proxies.h"

#include "base/text.h"

#include <optional>

namespace saker::http {

namespace {

/// The members of all fields of a name, in order. Commas in quoted strings do not part.
std::vector<std::string_view> membersOf(const RequestHead& request, std::string_view name) {
    std::vector<std::string_view> members;
    for (std::size_t i = 0; i < request.fieldCount(); ++i) {
        const RequestHead::Field field = request.field(i);
        if (!equalsIgnoreCase(field.name, name)) {
            continue;
        }
        std::size_t begin = 0;
        bool isQuoted = false;
        for (std::size_t at = 0; at <= field.value.size(); ++at) {
            if (at == field.value.size() || (field.value[at] == ',' && !isQuoted)) {
                members.push_back(trim(field.value.substr(begin, at - begin)));
                begin = at + 1;
            } else if (field.value[at] == '"') {
                isQuoted = !isQuoted;
            }
        }
    }
    return members;
}

std::string_view unquoted(std::string_view text) {
    return text.size() >= 2 && text.front() == '"' && text.back() == '"' ? text.substr(1, text.size() - 2)
                                                                         : text;
}

/// The value of a pair of one member of Forwarded: "for=1.2.3.4;proto=https"; "" when there is none.
std::string_view pairOf(std::string_view member, std::string_view name) {
    for (std::string_view pair : split(member, ';')) {
        pair = trim(pair);
        const std::size_t equals = pair.find('=');
        if (equals != std::string_view::npos && equalsIgnoreCase(pair.substr(0, equals), name)) {
            return unquoted(pair.substr(equals + 1));
        }
    }
    return {};
}

/// "1.2.3.4", "1.2.3.4:56", "::1", "[::1]:56"; nothing for "unknown" and other names.
std::optional<loop::SocketAddress> addressOf(std::string_view text) {
    if (auto address = loop::SocketAddress::parse(text, 0)) {
        return *address;
    }
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos || !parseDecimal(text.substr(colon + 1))) {
        return std::nullopt;
    }
    auto address = loop::SocketAddress::parse(text.substr(0, colon), 0);
    return address ? std::optional(*address) : std::nullopt;
}

} // namespace

TrustedProxies::TrustedProxies(const std::vector<std::string>& networks) {
    for (const std::string& text : networks) {
        if (auto network = net::Network::parse(text)) {
            networks_.push_back(*network);
        }
    }
}

bool TrustedProxies::trusts(const loop::SocketAddress& address) const {
    for (const net::Network& network : networks_) {
        if (network.contains(address)) {
            return true;
        }
    }
    return false;
}

ForwardedClient TrustedProxies::read(const RequestHead& request, const loop::SocketAddress& peer) const {
    ForwardedClient told;
    if (!trusts(peer)) {
        return told;
    }
    told.isTrusted = true;
    // A proxy that sets the one field may pass a client's other one on; the first is what most of them set.
    std::vector<std::string_view> hops = membersOf(request, "x-forwarded-for");
    const bool isStandard = hops.empty();
    if (isStandard) {
        hops = membersOf(request, "forwarded");
    }
    std::string_view proto;
    for (std::size_t i = hops.size(); i-- > 0;) {
        const auto address = addressOf(isStandard ? pairOf(hops[i], "for") : hops[i]);
        if (isStandard) {
            proto = pairOf(hops[i], "proto");
        }
        if (!address) {
            break; // what is in front of it cannot be judged
        }
        told.client = *address;
        if (!trusts(*address)) {
            break;
        }
    }
    if (!isStandard || proto.empty()) {
        const auto protos = membersOf(request, "x-forwarded-proto");
        proto = protos.empty() ? std::string_view() : protos.back();
    }
    told.isEncrypted = equalsIgnoreCase(proto, "https") || equalsIgnoreCase(proto, "wss");
    return told;
}

} // namespace saker::http
