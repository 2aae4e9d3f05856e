// Which peers are proxies in front of us whose word is taken for who their clients are, and what they say
// (X-Forwarded-For, X-Forwarded-Proto; Forwarded, RFC 7239). Of all others nothing is believed.
//
// Proxies add to the list of addresses at its end, so that is where it is read from: the client is the last
// one that is no trusted proxy itself. What is in front of it, the client may have made up.
#pragma once

#include "base/result.h"
#include "http/request.h"
#include "net/network.h"

#include <string>
#include <vector>

namespace saker::http {

/// What is believed of a request's way here. Without a trusted proxy: nothing.
struct ForwardedClient {
    bool isTrusted = false;     ///< the peer is a trusted proxy
    bool isEncrypted = false;   ///< the client speaks HTTPS, as far as the proxy says so
    loop::SocketAddress client; ///< family none: the peer is the client
};

class TrustedProxies {
public:
    TrustedProxies() = default;
    /// Texts that are none are left out; the configuration has been checked.
    explicit TrustedProxies(const std::vector<std::string>& networks);

    bool empty() const { return networks_.empty(); }
    bool trusts(const loop::SocketAddress& address) const;
    ForwardedClient read(const RequestHead& request, const loop::SocketAddress& peer) const;

private:
    std::vector<net::Network> networks_;
};

} // namespace saker::http
