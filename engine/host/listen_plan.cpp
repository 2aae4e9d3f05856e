#include "host/listen_plan.h"

#include "os/process.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include <fmt/format.h>

namespace saker::host {

namespace {

using loop::SocketAddress;

/// Whether the system holds the two to be in conflict: they are the same, or one is every address of the
/// kind.
bool overlap(const SocketAddress& a, const SocketAddress& b) {
    return a == b || (a.family == b.family && a.port == b.port && (a.isAny() || b.isAny()));
}

bool overlapsOne(const std::vector<SocketAddress>& addresses, const SocketAddress& address) {
    return std::any_of(addresses.begin(), addresses.end(),
                       [&](const SocketAddress& other) { return overlap(other, address); });
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

} // namespace

Result<ListenPlan> planListeners(const net::ListenOptions& options, bool isGiven,
                                 const std::vector<SocketAddress>& present, std::size_t loops,
                                 const std::vector<SocketAddress>& leaving) {
    ListenPlan plan;
    std::optional<Error> firstFailure;
    for (std::uint16_t port : options.httpPorts) {
        auto addresses = addressesOf(options.listenAddresses, port);
        if (!addresses) {
            return addresses.error();
        }
        std::vector<ListenPlan::Opening> opening;
        std::optional<Error> failure;
        for (const SocketAddress& address : *addresses) {
            if (std::find(present.begin(), present.end(), address) != present.end()) {
                plan.keep.push_back(address);
                continue;
            }
            // Sockets of this process may be joined; a port that another one holds must be noticed.
            const bool isOurs =
                overlapsOne(leaving, address) || overlapsOne(present, address) ||
                std::any_of(opening.begin(), opening.end(), [&](const ListenPlan::Opening& other) {
                    return overlap(other.address, address);
                });
            auto sockets = net::ListenSocket::bindGroup(address, loops, isOurs);
            if (sockets) {
                opening.push_back({address, std::move(*sockets)});
            } else if (!failure) {
                failure = sockets.error();
            }
        }
        // A port is had on all of its addresses or not at all: half of one would answer some clients only.
        if (!failure) {
            std::move(opening.begin(), opening.end(), std::back_inserter(plan.open));
            continue;
        }
        if (std::string holder = os::portHolder(port); !holder.empty()) {
            failure->message += fmt::format(" Port {} is held by {}.", port, holder);
        }
        if (isGiven) {
            return *failure;
        }
        plan.warnings.push_back(failure->text());
        if (!firstFailure) {
            firstFailure = failure;
        }
    }
    if (plan.open.empty() && plan.keep.empty()) {
        if (firstFailure) {
            return *firstFailure;
        }
        return Error{ErrorKind::configuration, "There is no port to listen on: HttpPorts is empty.",
                     "/HttpPorts"};
    }
    for (const SocketAddress& address : present) {
        if (std::find(plan.keep.begin(), plan.keep.end(), address) == plan.keep.end()) {
            plan.close.push_back(address);
        }
    }
    return plan;
}

} // namespace saker::host
