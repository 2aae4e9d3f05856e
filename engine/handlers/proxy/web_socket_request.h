// A request that may be one for a WebSocket (RFC 6455, section 4; RFC 8441), on its way to a server.
#pragma once

#include "http/exchange.h"
#include "upstream/upstream_protocol.h"
#include "upstream/web_socket_options.h"

#include <memory>
#include <string>

namespace saker::proxy {

class WebSocketRequest {
public:
    enum class Kind : std::uint8_t {
        none,    ///< an ordinary request
        wanted,  ///< takeTerms() has what its tunnel goes by
        tooMany, ///< as many are open as may be
    };

    /// `limit`: of all loops.
    WebSocketRequest(const http::RequestHead& request, const upstream::WebSocketOptions& options,
                     upstream::TunnelLimit& limit);

    Kind kind() const { return kind_; }
    std::unique_ptr<upstream::TunnelTerms> takeTerms() { return std::move(terms_); }
    /// Ours, where the client has sent none, as over HTTP/2; "" elsewhere.
    const std::string& key() const { return key_; }

    /// Whether the server's agreement is one to what it was asked with `key`: "", or what is wrong.
    static std::string check(const upstream::ReplyHead& reply, const std::string& key);

private:
    Kind kind_ = Kind::none;
    std::unique_ptr<upstream::TunnelTerms> terms_;
    std::string key_;
};

} // namespace saker::proxy
