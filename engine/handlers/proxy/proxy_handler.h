// Passes requests for programs on to an HTTP server, WebSockets among them. One per extension, loop and
// configuration.
//
// Of the protocols that a client may want to change to, WebSocket is passed on and no other: what an unknown
// one means for the server behind us is unknown, too (h2c would be a way round all rules).
#pragma once

#include "observe/repeat_limit.h"
#include "routing/content_handler.h"
#include "routing/script_handler.h"
#include "upstream/upstream_exchange.h"
#include "upstream/upstream_pool.h"

#include <functional>
#include <memory>

namespace saker::proxy {

class ProxyHandler final : public routing::ScriptHandler {
public:
    /// The server for a site; null: there is none for this site.
    using PoolOf = std::function<Ref<upstream::UpstreamPool>(const routing::Site& site)>;

    /// `limit`: of all loops; outlives the handler.
    ProxyHandler(PoolOf poolOf, const upstream::ExchangeOptions& options,
                 const upstream::WebSocketOptions& webSockets, upstream::TunnelLimit& limit,
                 routing::ErrorResponder& errors);

    /// The upstream is asked for what the client asked for, as it was spelled.
    void run(http::Exchange& exchange, const routing::Script& script) override;

private:
    class Reply;

    PoolOf poolOf_;
    upstream::ExchangeOptions options_;
    upstream::WebSocketOptions webSockets_;
    upstream::TunnelLimit& limit_;
    routing::ErrorResponder& errors_;
    std::shared_ptr<observe::RepeatLimit> failureLimit_; // shared with answers under way
};

} // namespace saker::proxy
