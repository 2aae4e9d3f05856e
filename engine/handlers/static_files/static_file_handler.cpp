#include "handlers/static_files/static_file_handler.h"

#include "base/text.h"
#include "handlers/static_files/directory_listing.h"
#include "handlers/static_files/stable_read.h"
#include "http/conditional.h"
#include "http/range.h"
#include "observe/log.h"
#include "os/file.h"

#include <chrono>
#include <optional>

namespace saker::static_files {

namespace {

// Each may hold an open file.
constexpr std::size_t kMaxRepresentations = 4096;
// A sibling that is older than its file by more than this was made from an earlier version of it. Copies and
// checkouts write the two in either order.
constexpr std::int64_t kSiblingAge = 10'000'000'000;
// An error page is a page: a longer file is not read for one.
constexpr std::uint64_t kMaxErrorPage = 1 << 20;

constexpr std::array kCodings = {http::Coding::br, http::Coding::zstd, http::Coding::gzip};

std::int64_t nowSeconds() {
    return std::chrono::duration_cast<std::chrono::seconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

std::int64_t nowNanos() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

bool isRepeated(const http::RequestHead& request, http::FieldName name) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < request.fieldCount(); ++i) {
        count += request.field(i).id == name ? 1 : 0;
    }
    return count > 1;
}

/// Names with control characters or a backslash cannot be asked for (http::normalisePath refuses them).
bool isAddressable(std::string_view name) {
    for (char c : name) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '\\') {
            return false;
        }
    }
    return true;
}

bool isConditional(const http::RequestHead& request) {
    using http::FieldName;
    return request.has(FieldName::ifNoneMatch) || request.has(FieldName::ifModifiedSince) ||
           request.has(FieldName::ifMatch) || request.has(FieldName::ifUnmodifiedSince);
}

} // namespace

struct StaticFileHandler::Load {
    struct Waiting {
        Ref<http::Exchange> exchange;
        Then then;
    };
    Ref<Representation> representation;
    http::Coding coding = http::Coding::identity;
    Place place = Place::anywhere;
    std::vector<Waiting> waiting;
};

/// What a worker found. Exactly one of content, file and error is set.
struct StaticFileHandler::Result {
    ContentPtr content;
    std::shared_ptr<os::File> file; // shared only to travel in a std::function
    FileStamp stamp;
    std::optional<Error> error;
};

StaticFileHandler::StaticFileHandler(loop::EventLoop& loop, Shared shared, routing::ErrorResponder& errors)
    : loop_(loop), shared_(shared), errors_(errors), cache_(shared.cacheBytes, kMaxRepresentations),
      alive_(std::make_shared<bool>(true)) {}

StaticFileHandler::~StaticFileHandler() {
    *alive_ = false;
}

namespace {

/// The precompressed file beside a file.
std::optional<FileStamp> findSibling(const routing::Resource& resource, http::Coding coding) {
    const routing::Site& site = *resource.site;
    if (!site.rules->precompressed) {
        return std::nullopt;
    }
    std::string name(resource.file.name);
    name += http::codingSuffix(coding);
    routing::FileFacts facts;
    if (!site.root->index.findIn(*resource.directory, name, routing::CaseMode::exact, facts) ||
        facts.modified + kSiblingAge < resource.file.modified) {
        return std::nullopt;
    }
    return FileStamp{facts.size, facts.modified};
}

/// Whether the representation's siblings are those on the disk.
bool hasSameSiblings(Representation& representation, const routing::Resource& resource) {
    for (http::Coding coding : kCodings) {
        const Variant& variant = representation.variant(coding);
        std::optional<FileStamp> sibling = findSibling(resource, coding);
        if (sibling ? !variant.isSibling || !(variant.stamp == *sibling) : variant.isSibling) {
            return false;
        }
    }
    return true;
}

} // namespace

Ref<Representation> StaticFileHandler::makeRepresentation(const routing::Resource& resource) {
    const routing::Site& site = *resource.site;
    const routing::FileIndex& index = site.root->index;
    routing::FileType type = site.rules->fileTypes->find(index.extensionText(resource.file.extension));
    FileStamp stamp{resource.file.size, resource.file.modified};
    auto representation =
        makeRef<Representation>(resource.site, std::string(resource.path), stamp, std::move(type));
    representation->indexGeneration = resource.generation;
    const bool compresses = representation->type().isCompressible &&
                            site.rules->compressionLevel != http::CompressionLevel::noCompression &&
                            stamp.size >= kMinCompressible;
    for (http::Coding coding : kCodings) {
        Variant& variant = representation->variant(coding);
        if (std::optional<FileStamp> sibling = findSibling(resource, coding)) {
            variant.isSibling = true;
            variant.path = representation->path() + std::string(http::codingSuffix(coding));
            variant.stamp = *sibling;
        } else if (compresses && shared_.store.takes(stamp.size, coding)) {
            variant.path = representation->path();
            variant.stamp = stamp;
        } else {
            variant.state = Variant::State::absent;
        }
    }
    return representation;
}

Ref<RefCounted> StaticFileHandler::serve(http::Exchange& exchange, const routing::Resource& resource) {
    Representation* known =
        cache_.find(*resource.site, resource.path, {resource.file.size, resource.file.modified});
    if (known && known->indexGeneration != resource.generation) {
        if (hasSameSiblings(*known, resource)) {
            known->indexGeneration = resource.generation;
        } else {
            cache_.drop(*known);
            known = nullptr;
        }
    }
    Ref<Representation> representation(known);
    if (!known) {
        representation = makeRepresentation(resource);
        cache_.insert(representation);
    }
    Ref<RefCounted> handle = representation->handle;
    answer(exchange, *representation);
    return handle;
}

bool StaticFileHandler::serveAgain(http::Exchange& exchange, RefCounted& what) {
    Representation* representation = static_cast<Representation::Handle&>(what).target;
    if (!representation) {
        return false;
    }
    representation->isRecentlyUsed = true;
    answer(exchange, *representation);
    return true;
}

http::Coding StaticFileHandler::choose(const http::RequestHead& request,
                                       const Representation& representation) {
    if (!representation.isNegotiated()) {
        return http::Coding::identity;
    }
    std::string_view field = request.get(http::FieldName::acceptEncoding);
    if (field.empty()) {
        return http::Coding::identity;
    }
    if (isRepeated(request, http::FieldName::acceptEncoding)) { // they add up: the first one does not tell
        return http::AcceptEncoding(request)
            .choose(representation.available())
            .value_or(http::Coding::identity);
    }
    if (field != lastAccept_) {
        lastAccept_ = field;
        lastAcceptEncoding_ = http::AcceptEncoding(request);
    }
    // Nothing acceptable: the file as it is serves the client better than a refusal (RFC 9110,
    // section 12.5.3).
    return lastAcceptEncoding_.choose(representation.available()).value_or(http::Coding::identity);
}

void StaticFileHandler::answer(http::Exchange& exchange, Representation& representation) {
    http::Coding coding = choose(exchange.request(), representation);
    if (representation.variant(coding).state == Variant::State::ready) {
        answerFrom(exchange, representation, coding);
        return;
    }
    load(exchange, representation, coding, Place::anywhere,
         [this](http::Exchange& e, Representation& r, const Error* error) {
             if (error) {
                 failToLoad(e, r, *error);
             } else {
                 answer(e, r);
             }
         });
}

void StaticFileHandler::failToLoad(http::Exchange& exchange, Representation& representation,
                                   const Error& error) {
    int status = error.kind == ErrorKind::notFound ? 404 : error.kind == ErrorKind::permission ? 403 : 503;
    errors_.fail(exchange, representation.siteRef(), status, error.message);
}

void StaticFileHandler::answerFrom(http::Exchange& exchange, Representation& representation,
                                   http::Coding coding) {
    using http::FieldName;
    const http::RequestHead& request = exchange.request();
    Variant& variant = representation.variant(coding);
    const bool hasRange = request.has(FieldName::range) && request.method == http::Method::get;
    if (!hasRange && !isConditional(request)) {
        exchange.respond(*variant.whole);
        return;
    }
    http::Validators validators;
    validators.etag = variant.etag;
    validators.lastModified = representation.modifiedSeconds();
    const std::int64_t now = nowSeconds();
    switch (http::evaluatePreconditions(request, validators, now)) {
    case http::Precondition::notModified:
        exchange.respond(representation.notModified(coding));
        return;
    case http::Precondition::failed:
        errors_.fail(exchange, representation.siteRef(), 412,
                     "The file is not in the state that was asked for.");
        return;
    case http::Precondition::proceed:
        break;
    }
    if (hasRange && http::isRangeFresh(request, validators, now)) {
        answerRanges(exchange, representation, variant, request.get(FieldName::range));
    } else {
        exchange.respond(*variant.whole);
    }
}

namespace {

/// Keeps a prepared answer, and with it its body, while pieces of the body are sent.
void appendRange(BufferChain& chain, http::PreparedResponse& whole, const http::ByteRange& range) {
    const http::PreparedResponse::Body& body = whole.body();
    if (body.file) {
        chain.appendFile(body.file, body.offset + range.first, range.size());
    } else {
        chain.append(body.bytes.substr(range.first, range.size()), Ref<RefCounted>(&whole));
    }
}

} // namespace

void StaticFileHandler::answerRanges(http::Exchange& exchange, Representation& representation,
                                     Variant& variant, std::string_view field) {
    http::PreparedResponse& whole = *variant.whole;
    const std::uint64_t size = whole.bodySize();
    http::RangeSet set = http::parseRange(field, size);
    if (set.kind == http::RangeSet::Kind::whole) {
        exchange.respond(whole);
        return;
    }
    http::ResponseHead head = whole.head();
    head.remove("Content-Length");
    BufferChain body;
    if (set.kind == http::RangeSet::Kind::unsatisfiable) {
        head.status = 416;
        head.set("Content-Range", http::unsatisfiedRange(size));
        for (std::string_view name : {"Content-Encoding", "Content-Disposition", "ETag", "Last-Modified"}) {
            head.remove(name);
        }
        head.set("Content-Type", "text/plain; charset=utf-8");
        head.set("Cache-Control", "no-store");
        body.append("The file has " + std::to_string(size) + " bytes; none of the ranges lies within it.\n");
        exchange.respond(std::move(head), std::move(body));
        return;
    }
    head.status = 206;
    if (set.ranges().size() == 1) {
        head.set("Content-Range", http::contentRange(set.ranges()[0], size));
        appendRange(body, whole, set.ranges()[0]);
    } else {
        http::MultipartRanges parts(set.ranges(), size, representation.type().contentType,
                                    hashBytes(variant.etag, processHashKey() ^ loop_.now()));
        head.set("Content-Type", parts.contentType());
        for (std::size_t i = 0; i < set.ranges().size(); ++i) {
            body.append(parts.head(i));
            appendRange(body, whole, set.ranges()[i]);
        }
        body.append(parts.tail());
    }
    exchange.respond(std::move(head), std::move(body));
}

void StaticFileHandler::load(http::Exchange& exchange, Representation& representation, http::Coding coding,
                             Place place, Then then) {
    Ref<http::Exchange> retained = exchange.retain();
    for (auto& [id, load] : loads_) { // few at a time: hot files are in memory
        if (load->representation.get() == &representation && load->coding == coding && load->place == place) {
            load->waiting.push_back({std::move(retained), std::move(then)});
            return;
        }
    }
    std::uint64_t id = nextLoad_++;
    auto made = std::make_unique<Load>();
    made->representation = Ref<Representation>(&representation);
    made->coding = coding;
    made->place = place;
    made->waiting.push_back({std::move(retained), std::move(then)});
    Load& load = *(loads_[id] = std::move(made));
    startLoad(id, load);
}

void StaticFileHandler::startLoad(std::uint64_t id, Load& load) {
    const Variant& variant = load.representation->variant(load.coding);
    const std::shared_ptr<routing::ContentRoot> root = load.representation->site().root;
    const std::string path = variant.path;
    auto deliver = [this, id, alive = alive_, &loop = loop_](Result result) {
        loop.post([this, id, alive, result = std::move(result)] {
            if (*alive) {
                finishLoad(id, result);
            }
        });
    };
    const bool compresses = load.coding != http::Coding::identity && !variant.isSibling;
    if (compresses || shared_.store.takes(variant.stamp.size, http::Coding::identity)) {
        const std::string fullPath = root->index.root() + "/" + path;
        ContentKey key;
        key.path = fullPath;
        key.stamp = variant.stamp;
        if (compresses) {
            key.coding = load.coding;
            key.level = load.representation->site().rules->compressionLevel;
        }
        if (ContentPtr content = shared_.store.get(key)) {
            finishLoad(id, Result{content, nullptr, content->stamp, {}});
            return;
        }
        auto executor = [&workers = shared_.workers](std::function<void()> job) {
            workers.submit(std::move(job));
        };
        shared_.store.fetch(
            key, [root, path] { return root->open(path); }, executor,
            [deliver, root, path, compresses](const Fetched& fetched) {
                Result result;
                result.stamp = fetched.stamp;
                if (fetched.outcome == Fetched::Outcome::ready) {
                    result.content = fetched.content;
                } else if (fetched.outcome == Fetched::Outcome::failed) {
                    result.error = fetched.error;
                } else if (compresses) { // too large or too restless: the bytes on the disk are in no coding
                    result.error =
                        Error{ErrorKind::temporary, "The file changed while it was compressed.", path};
                } else { // from the file, as it is at this moment
                    auto file = root->open(path);
                    auto status = file ? file->status() : saker::Result<os::FileStatus>(file.error());
                    if (status) {
                        result.stamp = {status->size, status->modified};
                        result.file = std::make_shared<os::File>(std::move(*file));
                    } else {
                        result.error = status.error();
                    }
                }
                deliver(std::move(result));
            });
        return;
    }
    bool accepted = shared_.workers.submit([deliver, root, path, place = load.place] {
        Result result;
        auto file = root->open(path);
        if (file && place == Place::memory) {
            const std::int64_t now = nowNanos(); // before the file's facts are taken: see isSettled()
            auto read = readStable(*file, kMaxErrorPage);
            if (read && read->outcome == StableRead::Outcome::read) {
                auto content = std::make_shared<Content>();
                content->bytes = std::move(read->bytes);
                content->stamp = result.stamp = read->stamp;
                content->settled = isSettled(read->stamp, now);
                result.content = std::move(content);
            } else {
                result.error = read ? Error{ErrorKind::temporary, "The page changes or is too large.", path}
                                    : read.error();
            }
            deliver(std::move(result));
            return;
        }
        auto status = file ? file->status() : saker::Result<os::FileStatus>(file.error());
        if (status) {
            result.stamp = {status->size, status->modified};
            result.file = std::make_shared<os::File>(std::move(*file));
        } else {
            result.error = status.error();
        }
        deliver(std::move(result));
    });
    if (!accepted) {
        deliver(Result{nullptr,
                       nullptr,
                       {},
                       Error{ErrorKind::temporary, "The server is too busy to open files.", path}});
    }
}

void StaticFileHandler::finishLoad(std::uint64_t id, Result result) {
    auto found = loads_.find(id);
    if (found == loads_.end()) {
        return;
    }
    std::unique_ptr<Load> load = std::move(found->second);
    loads_.erase(found);
    Representation& representation = *load->representation;
    Variant& variant = representation.variant(load->coding);
    const bool compresses = load->coding != http::Coding::identity && !variant.isSibling;

    const Error* error = nullptr;
    if (result.error) {
        if (load->coding != http::Coding::identity) {
            variant.state = Variant::State::absent; // the file itself may still be fine
            if (result.error->kind == ErrorKind::temporary) {
                cache_.drop(representation); // the next request tries again
            }
        } else {
            cache_.drop(representation);
            failureLimit_.write(log::Level::warning, "files", "{}", result.error->text());
            error = &*result.error;
        }
    } else if (result.content && !result.content->worthwhile) {
        variant.state = Variant::State::absent;
    } else {
        const bool settled = result.content ? result.content->settled : isSettled(result.stamp, nowNanos());
        if (!settled || !(result.stamp == variant.stamp)) {
            // Just written, or the disk is ahead of the index: this answer is right, the next one asks again.
            cache_.drop(representation);
        }
        http::PreparedResponse::Body body;
        std::string etag;
        if (result.content) {
            body.bytes = result.content->bytes;
            body.keeper = result.content;
            etag = compresses ? result.content->tag() : entityTag(result.stamp, load->coding, {}, settled);
        } else {
            body.size = result.stamp.size;
            body.file = std::move(*result.file).share();
            etag = entityTag(result.stamp, load->coding, {}, settled);
        }
        representation.fill(load->coding, std::move(body), std::move(etag), result.stamp);
    }
    cache_.grew(representation);
    for (Load::Waiting& waiting : load->waiting) {
        if (waiting.exchange->isConnected()) {
            waiting.then(*waiting.exchange, representation, error);
        }
    }
}

void StaticFileHandler::serveListing(http::Exchange& exchange,
                                     const std::shared_ptr<const routing::Site>& site,
                                     const routing::IndexDirectory& directory, std::string_view shownPath) {
    const routing::FileIndex& index = site->root->index;
    std::vector<ListingEntry> entries;
    index.list(
        directory,
        [&](const routing::FileFacts& file) {
            entries.push_back({std::string(file.name), false, file.size, file.modified});
        },
        [&](std::string_view name) {
            entries.push_back({std::string(name), true, 0, 0});
        });
    ListingRequest listing;
    listing.host = exchange.request().authority();
    listing.path = shownPath;
    listing.order = parseListingOrder(exchange.request().query());
    listing.visible = [&](const ListingEntry& entry) {
        return isAddressable(entry.name) && site->rules->access.allows(toLowerAscii(entry.name));
    };
    std::string_view accept = exchange.request().get(http::FieldName::accept);
    routing::Page page = renderListing(listing, std::move(entries), routing::choosePageFormat(accept));
    http::ResponseHead head;
    site->rules->addDefaultHeaders(head);
    head.set("Content-Type", page.contentType);
    head.set("Cache-Control", "no-cache");
    head.set("Vary", "Accept");
    head.remove("Accept-Ranges");
    BufferChain body;
    body.append(std::move(page.body));
    exchange.respond(std::move(head), std::move(body));
}

void StaticFileHandler::serveErrorPage(http::Exchange& exchange, const routing::Resource& page, int status,
                                       std::string_view detail) {
    if (page.file.size > kMaxErrorPage) {
        errors_.failPlainly(exchange, page.site, status, detail);
        return;
    }
    Representation* known = cache_.find(*page.site, page.path, {page.file.size, page.file.modified});
    auto isFromFile = [](Representation& r) {
        const Variant& variant = r.variant(http::Coding::identity);
        return variant.state == Variant::State::ready && variant.whole->body().file;
    };
    Ref<Representation> representation(known);
    if (!known || isFromFile(*known)) {
        representation = makeRepresentation(page);
        cache_.insert(representation);
    }
    Then respond = [this, status, detail = std::string(detail),
                    isFromFile](http::Exchange& e, Representation& r, const Error* error) {
        if (error || isFromFile(r)) {
            errors_.failPlainly(e, r.siteRef(), status, detail);
            return;
        }
        const http::PreparedResponse::Body& file = r.variant(http::Coding::identity).whole->body();
        const http::RequestHead& request = e.request();
        routing::ErrorFacts facts;
        facts.status = status;
        facts.host = request.authority();
        facts.path = request.path();
        facts.referer = request.get(http::FieldName::referer);
        routing::Page made = routing::siteErrorPage(file.bytes, facts);
        http::ResponseHead head;
        head.status = status;
        r.site().rules->addServer(head);
        head.set("Content-Type", made.contentType);
        head.set("Cache-Control", "no-store");
        if (status == 405) {
            head.set("Allow", "GET, HEAD, OPTIONS");
        }
        BufferChain body;
        body.append(std::move(made.body));
        e.respond(std::move(head), std::move(body));
    };
    if (representation->variant(http::Coding::identity).state == Variant::State::ready) {
        respond(exchange, *representation, nullptr);
    } else {
        load(exchange, *representation, http::Coding::identity, Place::memory, std::move(respond));
    }
}

} // namespace saker::static_files
