#include "handlers/proxy/proxy_handler.h"

#include "handlers/proxy/http_protocol.h"
#include "handlers/proxy/proxy_request.h"
#include "handlers/proxy/web_socket_request.h"
#include "observe/log.h"

namespace saker::proxy {

/// What becomes of one answer.
class ProxyHandler::Reply final : public upstream::ReplyHandler {
public:
    Reply(std::shared_ptr<const routing::Site> site, routing::ErrorResponder& errors,
          std::shared_ptr<observe::RepeatLimit> failureLimit, std::string webSocketKey)
        : site_(std::move(site)), errors_(errors), failureLimit_(std::move(failureLimit)),
          webSocketKey_(std::move(webSocketKey)) {}

    bool onHead(http::Exchange&, upstream::ReplyHead& reply) override {
        site_->rules->addDynamicHeaders(reply.head);
        return true;
    }
    std::string onUpgrade(http::Exchange&, upstream::ReplyHead& reply) override {
        return WebSocketRequest::check(reply, webSocketKey_);
    }
    void onFailure(http::Exchange& exchange, int status, const std::string& detail) override {
        failureLimit_->write(log::Level::error, site_->name, "{} ({})", detail, status);
        errors_.fail(exchange, site_, status, detail);
    }
    void onBrokenOff(http::Exchange&, const std::string& detail) override {
        failureLimit_->write(log::Level::error, site_->name, "{} (in the middle of an answer)", detail);
    }
    void onErrorText(http::Exchange&, std::string_view) override {} // HTTP has none

private:
    std::shared_ptr<const routing::Site> site_;
    routing::ErrorResponder& errors_; // outlives the exchange, as all of its configuration does
    std::shared_ptr<observe::RepeatLimit> failureLimit_;
    std::string webSocketKey_; // ours, where the client has sent none
};

ProxyHandler::ProxyHandler(PoolOf poolOf, const upstream::ExchangeOptions& options,
                           const upstream::WebSocketOptions& webSockets, upstream::TunnelLimit& limit,
                           routing::ErrorResponder& errors)
    : poolOf_(std::move(poolOf)), options_(options), webSockets_(webSockets), limit_(limit), errors_(errors),
      failureLimit_(std::make_shared<observe::RepeatLimit>(std::chrono::seconds(1))) {}

void ProxyHandler::run(http::Exchange& exchange, const routing::Script& script) {
    exchange.account.handler = observe::HandlerKind::proxy;
    const http::RequestHead& request = exchange.request();
    Ref<upstream::UpstreamPool> pool = poolOf_(*script.site);
    if (!pool) {
        errors_.fail(exchange, script.site, 502, "There is no server to pass requests for this host on to.");
        return;
    }
    WebSocketRequest webSocket(request, webSockets_, limit_);
    if (webSocket.kind() == WebSocketRequest::Kind::tooMany) {
        failureLimit_->write(log::Level::warning, script.site->name, "{}", webSockets_.tooManyText());
        errors_.fail(exchange, script.site, 503, "Too many WebSockets are open; try again shortly.");
        return;
    }
    const bool isUpgrade = webSocket.kind() == WebSocketRequest::Kind::wanted;
    const std::string authority = pool->target().authority();
    std::string target;
    if (!pool->target().base.empty()) {
        target = pool->target().base;
        target += request.path();
        if (request.hasQuery()) {
            target += '?';
            target += request.query();
        }
    }
    ProxyContext context{request, exchange.peer(), exchange.local()};
    context.isEncrypted = exchange.isEncrypted();
    context.isPeerTrusted = exchange.account.forwarded.isTrusted;
    context.client = &exchange.client();
    context.target = target;
    context.upstreamAuthority = authority;
    context.isUpgrade = isUpgrade;
    context.webSocketKey = webSocket.key();
    std::string head;
    head.reserve(1024);
    appendProxyHead(context, head);
    auto protocol = std::make_unique<HttpProtocol>(Asked{request.method, isUpgrade}, std::move(head));
    auto reply = std::make_unique<Reply>(script.site, errors_, failureLimit_, webSocket.key());
    upstream::UpstreamExchange::start(exchange.retain(), std::move(protocol), std::move(pool),
                                      std::move(reply), options_, webSocket.takeTerms());
}

} // namespace saker::proxy
