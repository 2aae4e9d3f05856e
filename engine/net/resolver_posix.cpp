#include "net/resolver.h"

#include "loop/native_address.h"

#include <algorithm>
#include <memory>
#include <netdb.h>
#include <sys/socket.h>

#include <fmt/format.h>

namespace saker::net {

Result<std::vector<loop::SocketAddress>> resolveHost(const std::string& host, std::uint16_t port) {
    if (auto literal = loop::SocketAddress::parse(host, port)) {
        return std::vector<loop::SocketAddress>{*literal};
    }
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    const int code = ::getaddrinfo(host.c_str(), nullptr, &hints, &found);
    if (code != 0) {
        return Error{ErrorKind::temporary,
                     fmt::format("the name \"{}\" cannot be looked up: {}", host, ::gai_strerror(code)),
                     {}};
    }
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, &::freeaddrinfo);
    std::vector<loop::SocketAddress> addresses;
    for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
        loop::SocketAddress address = loop::fromNative(one->ai_addr, one->ai_addrlen);
        address.port = port;
        const bool isKnown = std::find(addresses.begin(), addresses.end(), address) != addresses.end();
        if (address.family != loop::SocketAddress::Family::none && !isKnown) {
            addresses.push_back(address);
        }
    }
    if (addresses.empty()) {
        return Error{ErrorKind::temporary, fmt::format("the name \"{}\" has no address", host), {}};
    }
    return addresses;
}

} // namespace saker::net
