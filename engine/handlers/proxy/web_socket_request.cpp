#include "handlers/proxy/web_socket_request.h"

#include "base/text.h"
#include "http/web_socket_handshake.h"

#include <fmt/format.h>

namespace saker::proxy {

namespace {

constexpr std::string_view kWebSocket = "websocket";

bool isWanted(const http::RequestHead& request) {
    return request.wantsUpgrade && request.method == http::Method::get &&
           request.framing == http::BodyFraming::none &&
           equalsIgnoreCase(request.get(http::FieldName::upgrade), kWebSocket);
}

} // namespace

WebSocketRequest::WebSocketRequest(const http::RequestHead& request,
                                   const upstream::WebSocketOptions& options, upstream::TunnelLimit& limit) {
    if (!isWanted(request)) {
        return;
    }
    terms_ = std::make_unique<upstream::TunnelTerms>(options.terms(limit));
    kind_ = terms_->slot ? Kind::wanted : Kind::tooMany;
    if (request.majorVersion == 2) {
        key_ = http::makeWebSocketKey();
    }
}

std::string WebSocketRequest::check(const upstream::ReplyHead& reply, const std::string& key) {
    const std::string_view chosen = reply.head.get("Upgrade");
    if (!equalsIgnoreCase(chosen, kWebSocket)) {
        return fmt::format("to \"{}\", expected \"{}\"", escapeControl(chosen), kWebSocket);
    }
    // A client that has sent a key of its own checks the answer to it by itself.
    if (!key.empty() && reply.head.get("Sec-WebSocket-Accept") != http::webSocketAccept(key)) {
        return "its Sec-WebSocket-Accept does not belong to the key that it got";
    }
    return {};
}

} // namespace saker::proxy
