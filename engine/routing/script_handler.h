// What the dispatcher asks of handlers of files that are programs: run by a FastCGI server, or answered by
// another server. One instance per loop and configuration.
#pragma once

#include "http/exchange.h"
#include "routing/site.h"

#include <memory>
#include <string_view>

namespace saker::routing {

/// A program that a request leads to. Views for the call.
struct Script {
    const std::shared_ptr<const Site>& site;
    std::string_view path;     ///< as stored, below the root: "example.com/dir/index.php"
    std::string_view pathInfo; ///< decoded, what the address has behind the program: "/user/7"; or ""

    /// The folder that the site's addresses begin at, absolute: "/srv/www/example.com".
    std::string documentRoot() const;
    /// The file, absolute.
    std::string fileName() const;
    /// Its path below the document root: "/dir/index.php".
    std::string name() const;
};

class ScriptHandler {
public:
    virtual ~ScriptHandler() = default;

    /// Requests of any method. Answers at once, or keeps the exchange and answers later.
    virtual void run(http::Exchange& exchange, const Script& script) = 0;
};

} // namespace saker::routing
