// Chooses one of several servers for a request, and knows which of them are down. Knows no socket and no
// clock; of one loop.
//
// Round-robin is smooth: with weights 5, 1, 1 the requests go a a b a c a a. A client's address chooses by
// rendezvous hashing: when a server comes or goes, only its own clients move. A server that failed several
// times in a row is passed over for a while; then one request tries it (half-open), and all come back when
// that is answered. When all are down, one is asked all the same.
#pragma once

#include "upstream/route_options.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace saker::upstream {

struct BalanceOptions {
    BalancePolicy policy = BalancePolicy::roundRobin;
    std::uint32_t maxFails = 3;         ///< in a row; 0: servers never count as down
    std::uint64_t failTimeout = 10'000; ///< ms
};

class Balancer {
public:
    struct Server {
        std::string name;
        std::uint32_t weight = 1;
    };
    /// What is known of a request.
    struct Wish {
        std::string_view client = {}; ///< its address
        std::string_view cookie = {}; ///< what it brought; "": none
        std::uint64_t tried = 0;      ///< servers that it has been to, a bit each
    };

    /// REQUIRES: no more than RouteOptions::kMostServers.
    Balancer(const BalanceOptions& options, const std::vector<Server>& servers);

    /// Nothing when all have been tried. The request is under way there until end().
    std::optional<std::size_t> begin(const Wish& wish, std::uint64_t now);
    void end(std::size_t server);

    void succeeded(std::size_t server);
    /// True when it is down from now on.
    bool failed(std::size_t server, std::uint64_t now);

    std::size_t size() const { return servers_.size(); }
    bool isDown(std::size_t server) const;
    /// What a cookie says for a server: the same in all loops and after a restart, and not its name.
    const std::string& cookieOf(std::size_t server) const { return servers_[server].cookie; }

private:
    struct State {
        std::uint64_t hash = 0;
        std::string cookie;
        std::uint32_t weight = 1;
        std::int64_t current = 0; // of the smooth round-robin
        std::uint32_t active = 0;
        std::uint32_t failures = 0;  // in a row
        std::uint64_t downUntil = 0; // ms
    };

    std::uint64_t available(std::uint64_t tried, std::uint64_t now) const;
    std::size_t choose(const Wish& wish, std::uint64_t candidates);
    std::size_t chooseNext(std::uint64_t candidates);
    std::size_t chooseIdlest(std::uint64_t candidates);
    std::size_t chooseFor(std::string_view client, std::uint64_t candidates) const;

    BalanceOptions options_;
    std::vector<State> servers_;
};

} // namespace saker::upstream
