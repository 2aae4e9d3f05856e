// The head of a request as a reverse proxy passes it on (RFC 9110, section 7.6; RFC 7239): what belongs to
// the client's connection goes, what the upstream should know of the client comes. Knows no socket.
#pragma once

#include "http/request.h"
#include "loop/socket_address.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace saker::proxy {

/// What the upstream sees as Host.
enum class HostPolicy : std::uint8_t {
    upstream, ///< the upstream's own authority
    client,   ///< what the client asked for
};

/// What the proxy knows about a request; views for the call.
struct ProxyContext {
    const http::RequestHead& request;
    const loop::SocketAddress& peer;  ///< who is connected to us
    const loop::SocketAddress& local; ///< where it came to
    bool isEncrypted = false;
    /// The peer is a proxy that the configuration trusts: what it says of its clients is kept and added to;
    /// of others it is replaced.
    bool isPeerTrusted = false;
    /// Who asks, as far as that is believed; null: the peer.
    const loop::SocketAddress* client = nullptr;
    /// Path and query as the upstream gets them, encoded; "" for the client's own, as it was sent.
    std::string_view target = {};
    HostPolicy hostPolicy = HostPolicy::upstream;
    std::string_view upstreamAuthority = {}; ///< "example.com:8080"
    bool isUpgrade = false;                  ///< pass the client's wish for another protocol on
    /// Sec-WebSocket-Key where the client's protocol knows none (RFC 8441, section 5).
    std::string_view webSocketKey = {};
    /// Set by the configuration, in place of what the client sent; an empty value takes the field away.
    const std::vector<std::pair<std::string, std::string>>* fields = nullptr;
};

/// Appends request line and fields, all but those that frame the body, and without the empty line.
void appendProxyHead(const ProxyContext& context, std::string& out);

/// True for fields that concern one connection only (RFC 9110, section 7.6.1), apart from those that its
/// Connection field names.
bool isHopByHop(std::string_view name);
/// A comma list has this member, case ignored.
bool listHas(std::string_view list, std::string_view member);

/// "for" of RFC 7239: an address, IPv6 in brackets and quotes.
std::string forwardedNode(const loop::SocketAddress& address);

} // namespace saker::proxy
