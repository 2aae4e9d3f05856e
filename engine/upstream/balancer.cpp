#include "upstream/balancer.h"

#include "base/hash.h"

#include <cmath>

#include <fmt/format.h>

namespace saker::upstream {

namespace {

// Fixed: cookies outlive the process, and all loops choose the same server for a client.
constexpr std::uint64_t kKey = 0x73616b6572;

bool has(std::uint64_t set, std::size_t server) {
    return (set >> server & 1) != 0;
}

} // namespace

Balancer::Balancer(const BalanceOptions& options, const std::vector<Server>& servers) : options_(options) {
    for (const Server& server : servers) {
        State state;
        state.hash = hashBytes(server.name, kKey);
        state.cookie = fmt::format("{:016x}", state.hash);
        state.weight = server.weight;
        servers_.push_back(std::move(state));
    }
}

std::optional<std::size_t> Balancer::begin(const Wish& wish, std::uint64_t now) {
    std::size_t chosen = servers_.size();
    if (const std::uint64_t candidates = available(wish.tried, now); candidates != 0) {
        chosen = choose(wish, candidates);
    } else { // all are down: the one that has been so for longest
        for (std::size_t i = 0; i < servers_.size(); ++i) {
            if (!has(wish.tried, i) &&
                (chosen == servers_.size() || servers_[i].downUntil < servers_[chosen].downUntil)) {
                chosen = i;
            }
        }
    }
    if (chosen == servers_.size()) {
        return std::nullopt;
    }
    State& state = servers_[chosen];
    ++state.active;
    if (isDown(chosen)) {
        state.downUntil = now + options_.failTimeout; // others wait for what becomes of this one
    }
    return chosen;
}

void Balancer::end(std::size_t server) {
    --servers_[server].active;
}

void Balancer::succeeded(std::size_t server) {
    servers_[server].failures = 0;
}

bool Balancer::failed(std::size_t server, std::uint64_t now) {
    const bool wasDown = isDown(server);
    ++servers_[server].failures;
    if (isDown(server)) {
        servers_[server].downUntil = now + options_.failTimeout;
    }
    return isDown(server) && !wasDown;
}

bool Balancer::isDown(std::size_t server) const {
    return options_.maxFails != 0 && servers_[server].failures >= options_.maxFails;
}

std::uint64_t Balancer::available(std::uint64_t tried, std::uint64_t now) const {
    std::uint64_t set = 0;
    for (std::size_t i = 0; i < servers_.size(); ++i) {
        if (!has(tried, i) && (!isDown(i) || now >= servers_[i].downUntil)) {
            set |= std::uint64_t{1} << i;
        }
    }
    return set;
}

std::size_t Balancer::choose(const Wish& wish, std::uint64_t candidates) {
    switch (options_.policy) {
    case BalancePolicy::leastConnections:
        return chooseIdlest(candidates);
    case BalancePolicy::clientAddress:
        return chooseFor(wish.client, candidates);
    case BalancePolicy::cookie:
        for (std::size_t i = 0; i < servers_.size(); ++i) {
            if (has(candidates, i) && servers_[i].cookie == wish.cookie) {
                return i;
            }
        }
        break;
    case BalancePolicy::roundRobin:
        break;
    }
    return chooseNext(candidates);
}

std::size_t Balancer::chooseNext(std::uint64_t candidates) {
    std::int64_t total = 0;
    std::size_t best = servers_.size();
    for (std::size_t i = 0; i < servers_.size(); ++i) {
        if (has(candidates, i)) {
            servers_[i].current += servers_[i].weight;
            total += servers_[i].weight;
            if (best == servers_.size() || servers_[i].current > servers_[best].current) {
                best = i;
            }
        }
    }
    servers_[best].current -= total;
    return best;
}

std::size_t Balancer::chooseIdlest(std::uint64_t candidates) {
    auto isLess = [this](std::size_t a, std::size_t b) { // of active / weight
        return std::uint64_t{servers_[a].active} * servers_[b].weight <
               std::uint64_t{servers_[b].active} * servers_[a].weight;
    };
    std::size_t best = servers_.size();
    for (std::size_t i = 0; i < servers_.size(); ++i) {
        if (has(candidates, i) && (best == servers_.size() || isLess(i, best))) {
            best = i;
        }
    }
    for (std::size_t i = 0; i < servers_.size(); ++i) { // among equals, one after the other
        if (has(candidates, i) && isLess(best, i)) {
            candidates &= ~(std::uint64_t{1} << i);
        }
    }
    return chooseNext(candidates);
}

std::size_t Balancer::chooseFor(std::string_view client, std::uint64_t candidates) const {
    std::size_t best = servers_.size();
    double bestScore = 0;
    for (std::size_t i = 0; i < servers_.size(); ++i) {
        if (has(candidates, i)) {
            // Uniform in (0, 1), from the upper 53 bits.
            const double draw =
                (static_cast<double>(hashBytes(client, servers_[i].hash) >> 11) + 0.5) * 0x1.0p-53;
            const double score = -static_cast<double>(servers_[i].weight) / std::log(draw);
            if (best == servers_.size() || score > bestScore) {
                best = i;
                bestScore = score;
            }
        }
    }
    return best;
}

} // namespace saker::upstream
