// Runs programs by asking a FastCGI server. One per extension, loop and configuration.
#pragma once

#include "handlers/fastcgi/fastcgi_protocol.h"
#include "observe/repeat_limit.h"
#include "routing/content_handler.h"
#include "routing/script_handler.h"
#include "upstream/upstream_exchange.h"
#include "upstream/upstream_pool.h"

#include <functional>
#include <memory>

namespace saker::fastcgi {

class FastCgiHandler final : public routing::ScriptHandler {
public:
    /// The server for a site's programs; null: there is none for this site.
    /// An error is a sentence for the log and the error page.
    using PoolOf = std::function<Result<Ref<upstream::UpstreamPool>>(const routing::Site& site)>;

    FastCgiHandler(PoolOf poolOf, const upstream::ExchangeOptions& options, routing::ErrorResponder& errors);

    void run(http::Exchange& exchange, const routing::Script& script) override;

private:
    class Reply;

    PoolOf poolOf_;
    upstream::ExchangeOptions options_;
    routing::ErrorResponder& errors_;
    std::shared_ptr<observe::RepeatLimit> failureLimit_; // shared with answers under way
};

} // namespace saker::fastcgi
