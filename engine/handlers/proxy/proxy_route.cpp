#include "handlers/proxy/proxy_route.h"

#include "base/text.h"
#include "handlers/proxy/http_protocol.h"
#include "handlers/proxy/proxy_request.h"
#include "handlers/proxy/web_socket_request.h"
#include "observe/log.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

namespace saker::proxy {

namespace {

/// The value of a cookie that the client sent; "" when there is none.
std::string_view cookieOf(const http::RequestHead& request, std::string_view name) {
    for (std::size_t i = 0; i < request.fieldCount(); ++i) {
        if (request.field(i).id != http::FieldName::cookie) {
            continue;
        }
        for (std::string_view pair : split(request.field(i).value, ';')) {
            pair = trim(pair);
            if (pair.size() > name.size() && pair.starts_with(name) && pair[name.size()] == '=') {
                return pair.substr(name.size() + 1);
            }
        }
    }
    return {};
}

std::vector<upstream::Balancer::Server> serversOf(const upstream::RouteOptions& options,
                                                  const std::vector<Ref<upstream::UpstreamPool>>& pools) {
    std::vector<upstream::Balancer::Server> servers;
    for (std::size_t i = 0; i < pools.size(); ++i) {
        servers.push_back({pools[i]->name(), options.proxy[i].weight});
    }
    return servers;
}

} // namespace

struct ProxyRoute::Shared {
    Shared(const upstream::RouteOptions& options, std::vector<Ref<upstream::UpstreamPool>> pools,
           routing::ErrorResponder& errors)
        : options(options), pools(std::move(pools)), errors(errors),
          paths(RoutePaths::make(options.path, options.stripPrefix, options.rewrite)),
          balancer({options.balance, this->pools.size() > 1 ? options.maxFails : 0,
                    static_cast<std::uint64_t>(options.failTimeout.count())},
                   serversOf(options, this->pools)) {}

    bool usesCookie() const { return options.balance == upstream::BalancePolicy::cookie; }

    const upstream::RouteOptions options;
    const std::vector<Ref<upstream::UpstreamPool>> pools;
    routing::ErrorResponder& errors; // outlives the exchange, as all of its configuration does
    const RoutePaths paths;
    upstream::Balancer balancer;
    observe::RepeatLimit failureLimit{std::chrono::seconds(1)};
};

/// One request on its way from server to server, and what becomes of its answer.
class ProxyRoute::Reply final : public upstream::ReplyHandler {
public:
    Reply(std::shared_ptr<Shared> shared, std::shared_ptr<const routing::Site> site,
          const http::Exchange& exchange, const http::NormalPath& path, const WebSocketRequest& webSocket)
        : shared_(std::move(shared)), site_(std::move(site)), path_(path), pathText_(path.path),
          client_(exchange.client().host()), isUpgrade_(webSocket.kind() == WebSocketRequest::Kind::wanted),
          webSocketKey_(webSocket.key()) {
        path_.path = pathText_;
        if (shared_->usesCookie()) {
            cookie_ = cookieOf(exchange.request(), shared_->options.stickyCookie);
        }
    }
    ~Reply() override { leave(); }
    Reply(const Reply&) = delete;
    Reply& operator=(const Reply&) = delete;

    /// At a server that was not asked yet; nothing when there is none.
    std::optional<Another> next(http::Exchange& exchange) {
        leave();
        server_ = shared_->balancer.begin({client_, cookie_, tried_}, exchange.loop().now());
        if (!server_) {
            return std::nullopt;
        }
        tried_ |= std::uint64_t{1} << *server_;
        const Ref<upstream::UpstreamPool>& pool = shared_->pools[*server_];
        return Another{protocolFor(exchange, *pool), pool};
    }

    bool hasAnother() const override { return tried_ + 1 != std::uint64_t{2} << (shared_->pools.size() - 1); }
    std::optional<Another> another(http::Exchange& exchange, const std::string& detail) override {
        countFailure(exchange, detail);
        if (!hasAnother()) {
            return std::nullopt;
        }
        auto made = next(exchange);
        shared_->failureLimit.write(log::Level::warning, site_->name, "{}; {} is asked instead", detail,
                                    made->pool->name());
        return made;
    }
    bool onHead(http::Exchange&, upstream::ReplyHead& reply) override {
        shared_->balancer.succeeded(*server_);
        site_->rules->addDynamicHeaders(reply.head);
        changeLocation(reply.head);
        for (const auto& [name, value] : shared_->options.responseHeaders) {
            if (value.empty()) {
                reply.head.remove(name);
            } else {
                reply.head.set(name, value);
            }
        }
        if (shared_->usesCookie() && shared_->balancer.cookieOf(*server_) != cookie_) {
            const std::string& prefix = shared_->paths.prefix;
            reply.head.add("Set-Cookie",
                           fmt::format("{}={}; Path={}; HttpOnly; SameSite=Lax",
                                       shared_->options.stickyCookie, shared_->balancer.cookieOf(*server_),
                                       prefix.empty() ? "/" : prefix));
        }
        return true;
    }
    std::string onUpgrade(http::Exchange&, upstream::ReplyHead& reply) override {
        return WebSocketRequest::check(reply, webSocketKey_);
    }
    void onFailure(http::Exchange& exchange, int status, const std::string& detail) override {
        countFailure(exchange, detail);
        shared_->failureLimit.write(log::Level::error, site_->name, "{} ({})", detail, status);
        shared_->errors.fail(exchange, site_, status, detail);
    }
    void onBrokenOff(http::Exchange& exchange, const std::string& detail) override {
        countFailure(exchange, detail);
        shared_->failureLimit.write(log::Level::error, site_->name, "{} (in the middle of an answer)",
                                    detail);
    }
    void onErrorText(http::Exchange&, std::string_view) override {} // HTTP has none

private:
    void leave() {
        if (server_) {
            shared_->balancer.end(*std::exchange(server_, std::nullopt));
        }
    }

    /// Once for each server.
    void countFailure(http::Exchange& exchange, const std::string& detail) {
        const std::uint64_t bit = std::uint64_t{1} << *server_;
        if ((counted_ & bit) == 0 && shared_->balancer.failed(*server_, exchange.loop().now())) {
            log::error(site_->name, "{}; the server is passed over for {} ms", detail,
                       shared_->options.failTimeout.count());
        }
        counted_ |= bit;
    }

    std::unique_ptr<HttpProtocol> protocolFor(http::Exchange& exchange, upstream::UpstreamPool& pool) const {
        const http::RequestHead& request = exchange.request();
        const upstream::UpstreamTarget& server = pool.target();
        const std::string authority = server.authority();
        const std::string target = routeTarget(shared_->paths, request, path_, server.base);
        ProxyContext context{request, exchange.peer(), exchange.local()};
        context.isEncrypted = exchange.isEncrypted();
        context.isPeerTrusted = exchange.account.forwarded.isTrusted;
        context.client = &exchange.client();
        context.target = target;
        context.hostPolicy =
            shared_->options.host == upstream::RouteHost::client ? HostPolicy::client : HostPolicy::upstream;
        context.upstreamAuthority = authority;
        context.isUpgrade = isUpgrade_;
        context.webSocketKey = webSocketKey_;
        context.fields = &shared_->options.requestHeaders;
        std::string head;
        head.reserve(1024);
        appendProxyHead(context, head);
        return std::make_unique<HttpProtocol>(Asked{request.method, isUpgrade_}, std::move(head));
    }

    void changeLocation(http::ResponseHead& head) const {
        const std::string_view location = head.get("Location");
        if (location.empty()) {
            return;
        }
        const upstream::UpstreamTarget& server = shared_->pools[*server_]->target();
        const std::string origin = (server.isTls ? "https://" : "http://") + server.authority();
        const std::string mapped = routeLocation(shared_->paths, server.base, origin, location);
        if (!mapped.empty()) {
            head.set("Location", mapped);
        }
    }

    std::shared_ptr<Shared> shared_;
    std::shared_ptr<const routing::Site> site_;
    http::NormalPath path_;
    std::string pathText_; // what path_ looks at
    std::string client_;
    std::string cookie_;
    const bool isUpgrade_;
    const std::string webSocketKey_; // ours, where the client has sent none
    std::uint64_t tried_ = 0;
    std::uint64_t counted_ = 0; // as failed
    std::optional<std::size_t> server_;
};

ProxyRoute::ProxyRoute(const upstream::RouteOptions& options, std::vector<Ref<upstream::UpstreamPool>> pools,
                       const upstream::ExchangeOptions& exchange,
                       const upstream::WebSocketOptions& webSockets, upstream::TunnelLimit& limit,
                       routing::ErrorResponder& errors)
    : shared_(std::make_shared<Shared>(options, std::move(pools), errors)), exchange_(exchange),
      webSockets_(webSockets), limit_(limit) {}

ProxyRoute::~ProxyRoute() = default;

void ProxyRoute::handle(http::Exchange& exchange, const std::shared_ptr<const routing::Site>& site,
                        const http::NormalPath& path) {
    exchange.account.handler = observe::HandlerKind::proxy;
    WebSocketRequest webSocket(exchange.request(), webSockets_, limit_);
    if (webSocket.kind() == WebSocketRequest::Kind::tooMany) {
        shared_->failureLimit.write(log::Level::warning, site->name, "{}", webSockets_.tooManyText());
        shared_->errors.fail(exchange, site, 503, "Too many WebSockets are open; try again shortly.");
        return;
    }
    auto reply = std::make_unique<Reply>(shared_, site, exchange, path, webSocket);
    auto first = reply->next(exchange);
    upstream::UpstreamExchange::start(exchange.retain(), std::move(first->protocol), std::move(first->pool),
                                      std::move(reply), exchange_, webSocket.takeTerms());
}

} // namespace saker::proxy
