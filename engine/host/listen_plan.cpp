#include "host/listen_plan.h"

#include "os/process.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include <fmt/format.h>

namespace saker::host {

namespace {

using loop::SocketAddress;

/// How often another free port is tried when the one that was chosen is taken on another address.
constexpr unsigned kMostAttempts = 32;

/// Whether the system holds the two to be in conflict: they are the same, or one is every address of the
/// kind.
bool overlap(const SocketAddress& a, const SocketAddress& b) {
    return a == b || (a.family == b.family && a.port == b.port && (a.isAny() || b.isAny()));
}

/// Many machines have none.
bool hasIpv6() {
    return net::ListenSocket::bind(*SocketAddress::parse("::", 0)).ok();
}

/// The addresses of a port, each once: those given, else every IPv4 and IPv6 address.
Result<std::vector<SocketAddress>> addressesOf(const std::vector<std::string>& hosts, std::uint16_t port) {
    std::vector<SocketAddress> addresses;
    if (hosts.empty()) {
        addresses.push_back(*SocketAddress::parse("0.0.0.0", port));
        if (hasIpv6()) {
            addresses.push_back(*SocketAddress::parse("::", port));
        }
        return addresses;
    }
    for (const std::string& host : hosts) {
        auto address = SocketAddress::parse(host, port);
        if (!address) {
            return Error{ErrorKind::configuration, address.error().message, "ListenAddresses"};
        }
        if (std::find(addresses.begin(), addresses.end(), *address) == addresses.end()) {
            addresses.push_back(*address);
        }
    }
    return addresses;
}

class Planner {
public:
    Planner(const net::ListenOptions& options, const std::vector<ListenPoint>& present, std::size_t loops,
            const std::vector<SocketAddress>& leaving)
        : options_(options), present_(present), loops_(loops), leaving_(leaving) {}

    ListenPlan plan;
    std::optional<Error> firstFailure;

    Result<void> add(std::uint16_t port, bool tls, bool isGiven) {
        auto addresses = addressesOf(options_.listenAddresses, port);
        if (!addresses) {
            return addresses.error();
        }
        Attempt attempt = bindAll(*addresses, tls);
        // Port 0 means one port for all addresses: that of the first one may be taken on another.
        for (unsigned i = 0; port == 0 && attempt.failure && attempt.canRepeat && i < kMostAttempts; ++i) {
            attempt = bindAll(*addresses, tls);
        }
        // A port is had on all of its addresses or not at all: half of one would answer some clients only.
        std::optional<Error>& failure = attempt.failure;
        plan.keep.insert(plan.keep.end(), attempt.keep.begin(), attempt.keep.end());
        if (!failure) {
            std::move(attempt.opening.begin(), attempt.opening.end(), std::back_inserter(plan.open));
            return {};
        }
        if (std::string holder = os::portHolder(port); !holder.empty()) {
            failure->message += fmt::format(". Port {} is held by {}.", port, holder);
        }
        if (isGiven) {
            return *failure;
        }
        plan.warnings.push_back(failure->text());
        if (!firstFailure) {
            firstFailure = failure;
        }
        return {};
    }

    /// Why nothing can be listened on. REQUIRES: firstFailure.
    Error failureOfAll() const {
        Error error = *firstFailure;
        if (plan.warnings.size() > 1) {
            error = {error.kind, "none of the default ports can be had:", {}};
            for (const std::string& warning : plan.warnings) {
                error.message += "\n  " + warning;
            }
        }
        return error;
    }

private:
    struct Attempt {
        std::vector<ListenPlan::Opening> opening;
        std::vector<ListenPoint> keep;
        std::optional<Error> failure;
        bool canRepeat = false; ///< the failure is one of a port that the system chose
    };

    Attempt bindAll(const std::vector<SocketAddress>& addresses, bool tls) {
        Attempt attempt;
        for (const SocketAddress& address : addresses) {
            const ListenPoint point{address, tls};
            if (contains(present_, point)) {
                attempt.keep.push_back(point);
                continue;
            }
            SocketAddress wanted = address;
            if (address.port == 0 && !attempt.opening.empty()) {
                wanted.port = attempt.opening.front().sockets.front().address().port;
            }
            // Sockets of this process may be joined, such as those of one that turns from HTTP to HTTPS; a
            // port that another one holds must be noticed.
            auto isOverlapped = [&](const SocketAddress& other) { return overlap(other, wanted); };
            const bool isOurs =
                std::any_of(leaving_.begin(), leaving_.end(), isOverlapped) ||
                std::any_of(present_.begin(), present_.end(),
                            [&](const ListenPoint& other) { return isOverlapped(other.address); }) ||
                std::any_of(attempt.opening.begin(), attempt.opening.end(),
                            [&](const ListenPlan::Opening& other) {
                                return isOverlapped(other.sockets.front().address());
                            });
            auto sockets = net::ListenSocket::bindGroup(wanted, loops_, isOurs);
            if (sockets) {
                attempt.opening.push_back({point, std::move(*sockets)});
            } else if (!attempt.failure) {
                attempt.failure = sockets.error();
                attempt.canRepeat = wanted.port != address.port;
            }
        }
        return attempt;
    }

    template <class T>
    static bool contains(const std::vector<T>& list, const T& value) {
        return std::find(list.begin(), list.end(), value) != list.end();
    }

    const net::ListenOptions& options_;
    const std::vector<ListenPoint>& present_;
    std::size_t loops_;
    const std::vector<SocketAddress>& leaving_;
};

} // namespace

Result<ListenPlan> planListeners(const net::ListenOptions& options, PortsGiven given,
                                 const std::vector<ListenPoint>& present, std::size_t loops,
                                 const std::vector<SocketAddress>& leaving) {
    Planner planner(options, present, loops, leaving);
    for (std::uint16_t port : options.httpPorts) {
        if (auto added = planner.add(port, false, given.http); !added) {
            return added.error();
        }
    }
    for (std::uint16_t port : options.httpsPorts) {
        if (auto added = planner.add(port, true, given.https); !added) {
            return added.error();
        }
    }
    ListenPlan& plan = planner.plan;
    if (plan.open.empty() && plan.keep.empty()) {
        if (planner.firstFailure) {
            return planner.failureOfAll();
        }
        return Error{ErrorKind::configuration,
                     "There is no port to listen on: HttpPorts and HttpsPorts are empty.",
                     {}};
    }
    for (const ListenPoint& point : present) {
        if (std::find(plan.keep.begin(), plan.keep.end(), point) == plan.keep.end()) {
            plan.close.push_back(point);
        }
    }
    return std::move(plan);
}

std::unordered_map<std::uint16_t, std::uint16_t> pairPorts(const net::ListenOptions& options,
                                                           std::span<const BoundPoint> bound) {
    // The ports that are listened on, as asked for and as they are, for HTTPS in the order of the list.
    auto actualOf = [&](std::uint16_t asked, bool tls) -> std::uint16_t {
        for (const BoundPoint& one : bound) {
            if (one.asked.tls == tls && one.asked.address.port == asked) {
                return one.actual.port;
            }
        }
        return 0;
    };
    std::uint16_t otherwise = actualOf(443, true);
    for (std::size_t i = 0; i < options.httpsPorts.size() && otherwise == 0; ++i) {
        otherwise = actualOf(options.httpsPorts[i], true);
    }
    std::unordered_map<std::uint16_t, std::uint16_t> pairs;
    for (std::size_t i = 0; i < options.httpPorts.size(); ++i) {
        const std::uint16_t from = actualOf(options.httpPorts[i], false);
        const std::uint16_t to = i < options.httpsPorts.size() ? actualOf(options.httpsPorts[i], true) : 0;
        if (from != 0 && (to != 0 || otherwise != 0)) {
            pairs.try_emplace(from, to != 0 ? to : otherwise);
        }
    }
    return pairs;
}

} // namespace saker::host
