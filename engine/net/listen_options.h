// Where the server listens. Decoded by the host, used by what opens the listeners.
#pragma once

#include "schema/types.h"

#include <cstdint>
#include <string>
#include <vector>

namespace saker::net {

struct ListenOptions {
    std::vector<std::uint16_t> httpPorts{80, 8080}; ///< 0: any free port
    std::vector<std::uint16_t> httpsPorts{443, 8443};
    /// Literal IPv4 and IPv6 addresses; empty: every address of the machine.
    std::vector<std::string> listenAddresses;

    void check(schema::Checker& checker) const;
    bool operator==(const ListenOptions&) const = default;
    static const schema::Description& fields();
};

} // namespace saker::net
