// Answers with files (RFC 9110): conditional requests, ranges, content codings. One per loop and
// configuration.
//
// A hot file is a look-up and one prepared answer. A cold one waits, kept by retain(), while a worker thread
// reads (and compresses) it; all who ask meanwhile share that. Files too large for memory are sent from the
// file.
#pragma once

#include "base/error.h"
#include "handlers/static_files/representation_cache.h"
#include "http/exchange.h"
#include "loop/worker_pool.h"
#include "observe/repeat_limit.h"
#include "routing/content_handler.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace saker::static_files {

class StaticFileHandler final : public routing::ContentHandler {
public:
    /// What all loops share. The store and the pool outlive the handler.
    struct Shared {
        ContentStore& store;
        loop::WorkerPool& workers;
        std::uint64_t cacheBytes = 0; ///< for this loop's representations
    };

    StaticFileHandler(loop::EventLoop& loop, Shared shared, routing::ErrorResponder& errors);
    ~StaticFileHandler() override;

    Ref<RefCounted> serve(http::Exchange& exchange, const routing::Resource& resource) override;
    bool serveAgain(http::Exchange& exchange, RefCounted& what) override;
    void serveListing(http::Exchange& exchange, const std::shared_ptr<const routing::Site>& site,
                      const routing::IndexDirectory& directory, std::string_view shownPath) override;
    void serveErrorPage(http::Exchange& exchange, const routing::Resource& page, int status,
                        std::string_view detail) override;

    /// Gives back what is kept for speed only.
    void trimMemory() { cache_.clear(); }

private:
    struct Load; // a file on its way into memory, or being opened
    struct Result;

    Ref<Representation> makeRepresentation(const routing::Resource& resource);
    void answer(http::Exchange& exchange, Representation& representation);
    void answerFrom(http::Exchange& exchange, Representation& representation, http::Coding coding);
    void answerRanges(http::Exchange& exchange, Representation& representation, Variant& variant,
                      std::string_view field);
    http::Coding choose(const http::RequestHead& request, const Representation& representation);

    /// `error` is null unless the file itself could not be had.
    using Then = std::function<void(http::Exchange&, Representation&, const Error* error)>;
    /// Where the bytes have to be: a page that is filled in is needed in memory, however little the store
    /// takes.
    enum class Place : std::uint8_t { anywhere, memory };
    /// Makes the variant known (ready or absent) on a worker, then calls `then` for the exchange.
    void load(http::Exchange& exchange, Representation& representation, http::Coding coding, Place place,
              Then then);
    void failToLoad(http::Exchange& exchange, Representation& representation, const Error& error);
    void startLoad(std::uint64_t id, Load& load);
    void finishLoad(std::uint64_t id, Result result);

    loop::EventLoop& loop_;
    Shared shared_;
    routing::ErrorResponder& errors_;
    RepresentationCache cache_;
    std::unordered_map<std::uint64_t, std::unique_ptr<Load>> loads_;
    std::uint64_t nextLoad_ = 1;
    observe::RepeatLimit failureLimit_{std::chrono::seconds(5)}; // clients can ask for a broken file all day
    // Clients of one kind send the same field over and over.
    std::string lastAccept_;
    http::AcceptEncoding lastAcceptEncoding_;
    std::shared_ptr<bool> alive_; // false once this is gone: results that are still on their way are dropped
};

} // namespace saker::static_files
