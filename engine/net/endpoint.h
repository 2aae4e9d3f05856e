// Where an outgoing connection goes: an address of the network, or a local (Unix) socket's path.
#pragma once

#include "loop/socket_address.h"

#include <string>

namespace saker::net {

struct Endpoint {
    loop::SocketAddress address; ///< of family `local` with a path
    std::string path;            ///< of the local socket; "" otherwise

    static Endpoint local(std::string path) {
        Endpoint endpoint;
        endpoint.address.family = loop::SocketAddress::Family::local;
        endpoint.path = std::move(path);
        return endpoint;
    }
    bool isLocal() const { return address.family == loop::SocketAddress::Family::local; }
    /// "127.0.0.1:9000", "unix:/run/php.sock".
    std::string text() const { return isLocal() ? "unix:" + path : address.text(); }
    bool operator==(const Endpoint&) const = default;
};

} // namespace saker::net
