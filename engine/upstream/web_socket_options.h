// How WebSockets are passed on to other servers. Decoded by the host.
#pragma once

#include "schema/types.h"
#include "upstream/tunnel_limit.h"

#include <cstdint>
#include <string>

namespace saker::upstream {

/// For one request that is to become a tunnel.
struct TunnelTerms {
    std::uint64_t idleTimeout = 300'000;    ///< ms in which nothing moves either way; 0: none
    std::uint64_t endpointTimeout = 30'000; ///< ms until the upstream has agreed; 0: none
    TunnelLimit::Slot slot = {};
};

struct WebSocketOptions {
    std::uint64_t maxConcurrentUpgradedConnections = 10000;
    schema::Duration webSocketTimeout = std::chrono::seconds(300);
    schema::Duration webSocketEndpointTimeout = std::chrono::seconds(30);

    /// For the log.
    std::string tooManyText() const;
    /// With a place of its own; slot is empty when there are too many.
    TunnelTerms terms(TunnelLimit& limit) const;

    bool operator==(const WebSocketOptions&) const = default;
    static const schema::Description& fields();
};

} // namespace saker::upstream
