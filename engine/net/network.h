// A range of addresses as configurations name them: "10.0.0.0/8", "fd00::/8", "192.0.2.7".
#pragma once

#include "base/result.h"
#include "loop/socket_address.h"

#include <string_view>

namespace saker::net {

struct Network {
    loop::SocketAddress base; ///< its port plays no part
    unsigned bits = 0;        ///< of the address that count

    bool contains(const loop::SocketAddress& address) const;

    /// The error says what is wrong and what is right.
    static Result<Network> parse(std::string_view text);
};

} // namespace saker::net
