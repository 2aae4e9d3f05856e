// What the dispatcher asks of routes: parts of a site that are answered by somebody else, whatever files
// there are. One instance per route, loop and configuration.
#pragma once

#include "http/exchange.h"
#include "http/url.h"
#include "routing/site.h"

#include <memory>

namespace saker::routing {

class RouteHandler {
public:
    virtual ~RouteHandler() = default;

    /// Requests of any method for the route's path or something below; `path` is a view for the call.
    /// Answers at once, or keeps the exchange and answers later.
    virtual void handle(http::Exchange& exchange, const std::shared_ptr<const Site>& site,
                        const http::NormalPath& path) = 0;
};

} // namespace saker::routing
