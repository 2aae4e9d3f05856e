// Answers a route of a site by one of several HTTP servers. One per route, loop and configuration.
#pragma once

#include "handlers/proxy/route_target.h"
#include "observe/repeat_limit.h"
#include "routing/content_handler.h"
#include "routing/route_handler.h"
#include "upstream/balancer.h"
#include "upstream/upstream_exchange.h"
#include "upstream/upstream_pool.h"

#include <memory>
#include <vector>

namespace saker::proxy {

class ProxyRoute final : public routing::RouteHandler {
public:
    /// `pools`: of the servers of options.proxy, in their order. `limit`: of all loops; outlives the route.
    ProxyRoute(const upstream::RouteOptions& options, std::vector<Ref<upstream::UpstreamPool>> pools,
               const upstream::ExchangeOptions& exchange, const upstream::WebSocketOptions& webSockets,
               upstream::TunnelLimit& limit, routing::ErrorResponder& errors);
    ~ProxyRoute() override;

    void handle(http::Exchange& exchange, const std::shared_ptr<const routing::Site>& site,
                const http::NormalPath& path) override;

private:
    class Reply;
    struct Shared;

    std::shared_ptr<Shared> shared_; // with answers under way
    upstream::ExchangeOptions exchange_;
    upstream::WebSocketOptions webSockets_;
    upstream::TunnelLimit& limit_;
};

} // namespace saker::proxy
