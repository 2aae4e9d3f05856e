// A part of a site that other servers answer: which paths, which servers, and how requests reach them. One
// entry of a site's Routes.
#pragma once

#include "schema/types.h"
#include "upstream/upstream_exchange.h"
#include "upstream/upstream_pool.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace saker::upstream {

/// How a route chooses among its servers.
enum class BalancePolicy : std::uint8_t { roundRobin, leastConnections, clientAddress, cookie };
std::span<const schema::Choice> schemaChoices(BalancePolicy);

/// What the server of a route sees as Host.
enum class RouteHost : std::uint8_t { upstream, client };
std::span<const schema::Choice> schemaChoices(RouteHost);

/// One server of a route.
struct RouteServer {
    std::string url; ///< what UpstreamTarget::parse() reads, with {domain} for the site's name
    std::uint32_t weight = 1;

    bool operator==(const RouteServer&) const = default;
    static const schema::Description& fields();
};

struct RouteOptions {
    static constexpr std::size_t kMostServers = 64;

    std::string path; ///< "/api/": itself and everything below
    std::vector<RouteServer> proxy;
    BalancePolicy balance = BalancePolicy::roundRobin;
    std::string stickyCookie = "saker_route";
    bool stripPrefix = false;
    std::string rewrite; ///< what stands for `path` at the server; "": unchanged
    RouteHost host = RouteHost::upstream;
    schema::OrderedMap<std::string> requestHeaders; ///< set; "": taken away
    schema::OrderedMap<std::string> responseHeaders;
    std::optional<bool> proxyVerify; ///< empty, as the next ones: as for all routes
    std::optional<std::string> proxyCaFile;
    std::optional<std::string> proxyCertificate;
    std::optional<std::string> proxyCertificateKey;
    std::optional<schema::Duration> timeout; ///< empty: HttpProxyTimeout
    schema::Duration connectTimeout = std::chrono::seconds(5);
    bool buffering = false;
    std::uint32_t maxFails = 3; ///< 0: servers never count as down
    schema::Duration failTimeout = std::chrono::seconds(10);

    /// `usualTimeout`: for a route without a time-out of its own.
    ExchangeOptions exchangeOptions(schema::Duration usualTimeout) const;
    /// `usual`: for what the route does not say itself.
    PoolOptions poolOptions(const SecureOptions& usual) const;
    /// The path's prefix is replaced on the way to the server.
    bool isRewritten() const { return stripPrefix || !rewrite.empty(); }

    void check(schema::Checker& checker) const;
    bool operator==(const RouteOptions&) const = default;
    static const schema::Description& fields();
};

} // namespace saker::upstream
