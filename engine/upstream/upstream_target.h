// Where requests go, as the configuration spells it:
//
//   fcgi://host:port   fcgi://[::1]:9000   fcgi:///path.sock   fcgi:/path.sock      FastCGI
//   http://host[:port][/base]   https://host[:port][/base]                          HTTP/1.1
//   unix:/path.sock   http://unix:/path.sock                                        HTTP/1.1, local socket
#pragma once

#include "base/result.h"
#include "net/endpoint.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace saker::upstream {

struct UpstreamTarget {
    enum class Protocol : std::uint8_t { fastCgi, http };

    Protocol protocol = Protocol::http;
    bool isTls = false;
    std::string path;       ///< of a local socket; "" for the network
    std::string host;       ///< a name or a literal address (IPv6 without brackets); "" with a path
    std::uint16_t port = 0; ///< 0 with a path
    std::string base;       ///< http: path in front of every request's, without a slash behind; or ""

    bool isLocal() const { return !path.empty(); }
    /// "example.com:8080", "[::1]:80", without a scheme's usual port; "localhost" for a local socket.
    std::string authority() const;
    /// As the configuration would spell it; names it in logs and finds its pool.
    std::string text() const;
    /// Where that is clear without asking for names: a path or a literal address.
    std::optional<net::Endpoint> endpoint() const;
    bool operator==(const UpstreamTarget&) const = default;

    /// The error says what is wrong and what is right.
    static Result<UpstreamTarget> parse(std::string_view text);
};

} // namespace saker::upstream
