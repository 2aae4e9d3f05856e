// What the dispatcher asks of the handlers of content, and what they ask of it. One instance per loop.
#pragma once

#include "http/exchange.h"
#include "routing/error_pages.h"
#include "routing/site.h"

#include <cstdint>
#include <memory>
#include <string_view>

namespace saker::routing {

/// A file that a request leads to. Everything is a view for the call.
struct Resource {
    const std::shared_ptr<const Site>& site;
    FileFacts file;
    const IndexDirectory* directory; ///< the file's
    std::string_view path;           ///< as stored, below the root: "example.com/dir/index.html"
    /// The index's, read before the look-up: while it is the same, so is everything in the directory.
    std::uint64_t generation;
};

/// Answers with an error page: the site's own, else the built-in one.
class ErrorResponder {
public:
    /// `site` may be null. `detail`: what happened, for debug pages and the log.
    virtual void fail(http::Exchange& exchange, const std::shared_ptr<const Site>& site, int status,
                      std::string_view detail) = 0;
    /// The built-in page, when the site's own cannot be read.
    virtual void failPlainly(http::Exchange& exchange, const std::shared_ptr<const Site>& site, int status,
                             std::string_view detail) = 0;

protected:
    ~ErrorResponder() = default;
};

class ContentHandler {
public:
    virtual ~ContentHandler() = default;

    /// Returns what answered, so that the same address can skip the look-up next time; null: ask again.
    /// Holding it keeps neither bytes nor files: it is remembered for as long as nothing else takes its
    /// place.
    virtual Ref<RefCounted> serve(http::Exchange& exchange, const Resource& resource) = 0;
    /// Answers with what serve() returned for the same address, at the same generation of the index. False,
    /// and nothing is done, when it holds no longer, as when its site is gone.
    virtual bool serveAgain(http::Exchange& exchange, RefCounted& what) = 0;
    /// `path`: of the directory, as stored, below the root.
    virtual void serveListing(http::Exchange& exchange, const std::shared_ptr<const Site>& site,
                              const IndexDirectory& directory, std::string_view shownPath) = 0;
    /// An error with the site's own page as body.
    virtual void serveErrorPage(http::Exchange& exchange, const Resource& page, int status,
                                std::string_view detail) = 0;
};

} // namespace saker::routing
