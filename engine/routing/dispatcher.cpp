#include "routing/dispatcher.h"

#include "base/hash.h"
#include "base/text.h"
#include "http/authority.h"
#include "http/status.h"
#include "http/url.h"

#include <algorithm>

#include <fmt/format.h>

namespace saker::routing {

namespace {

constexpr std::string_view kAllow = "GET, HEAD, OPTIONS";
// Hosts that a loop remembers; made-up ones must not fill the memory.
constexpr std::size_t kMaxHosts = 4096;
constexpr std::size_t kRecents = 256;

bool isFileMethod(http::Method method) {
    return method == http::Method::get || method == http::Method::head;
}

bool hasUpperCase(std::string_view text) {
    for (char c : text) {
        if (c >= 'A' && c <= 'Z') {
            return true;
        }
    }
    return false;
}

} // namespace

std::size_t Dispatcher::HostHash::operator()(std::string_view text) const {
    return hashBytes(text, processHashKey());
}

Dispatcher::Dispatcher(std::shared_ptr<const SiteTable> sites, std::shared_ptr<const DispatchRules> rules)
    : sites_(std::move(sites)), rules_(std::move(rules)), recents_(kRecents) {}

const Dispatcher::HostEntry& Dispatcher::entryOf(std::string_view authority) {
    const std::uint64_t generation = sites_->indexGeneration();
    if (lastHost_ && *lastHost_ == authority && lastEntry_->generation == generation) {
        return *lastEntry_;
    }
    auto found = hosts_.find(authority);
    if (found == hosts_.end()) {
        if (hosts_.size() >= kMaxHosts) {
            hosts_.clear();
        }
        found = hosts_.emplace(std::string(authority), HostEntry{}).first;
        found->second.generation = ~generation;
    }
    if (found->second.generation != generation) {
        HostEntry& entry = found->second;
        entry = HostEntry{};
        entry.site = sites_->find(authority).site;
        entry.generation = generation;
        if (entry.site && entry.site->rules) {
            const SiteRules& rules = *entry.site->rules;
            entry.caresForTls =
                rules_->hasClientPolicies || rules.httpsRedirect || !rules.strictTransport.empty();
            if (!rules.strictTransport.empty()) {
                entry.strictTransport = makeRef<StringBlock>(rules.strictTransport);
            }
        }
        if (auto routes = routes_.find(entry.site.get()); routes != routes_.end()) {
            entry.routes = &routes->second;
        }
        if (auto log = siteLogs_.find(entry.site.get()); log != siteLogs_.end()) {
            entry.log = log->second;
            entry.hasOwnLog = true;
        }
    }
    lastHost_ = &found->first;
    lastEntry_ = &found->second;
    return found->second;
}

void Dispatcher::handle(http::Exchange& exchange) {
    const http::RequestHead& request = exchange.request();
    if (!rules_->trustedProxies.empty()) {
        exchange.account.forwarded = rules_->trustedProxies.read(request, exchange.peer());
    }
    // Refers to what the loop remembers of hosts: whoever answers later copies it.
    const HostEntry& entry = entryOf(request.authority());
    const std::shared_ptr<const Site>& site = entry.site;
    if (!site) {
        fail(exchange, nullptr, 404, "No site has this host name, and there is no default site.");
        return;
    }
    exchange.account.site = site->name;
    exchange.account.metrics = site->metrics.get();
    exchange.account.log = entry.log;
    exchange.account.hasOwnLog = entry.hasOwnLog;
    if (entry.caresForTls && !admits(exchange, entry)) {
        return;
    }
    if (!site->isEnabled) {
        fail(exchange, site, 503, "The site is switched off.");
        return;
    }
    const bool isForPath =
        request.form == http::TargetForm::origin || request.form == http::TargetForm::absolute;
    if (entry.routes != nullptr && isForPath && request.method != http::Method::trace &&
        followRoute(exchange, entry)) {
        return;
    }
    if (!site->root) {
        fail(exchange, site, 404, "The site has no files, and none of its routes is for this path.");
        return;
    }
    const bool isForFiles = isFileMethod(request.method);
    if (!isForFiles && (scripts_.empty() || request.form == http::TargetForm::asterisk)) {
        refuseMethod(exchange, site);
        return;
    }

    Recent& recent = recentOf(*site, request.path());
    if (isForFiles && recent.what && recent.site == site.get() &&
        recent.generation == site->root->index.generation() && recent.path == request.path()) {
        exchange.account.handler = observe::HandlerKind::staticFile;
        if (content_->serveAgain(exchange, *recent.what)) {
            return;
        }
    }

    http::NormalPath normal = http::normalisePath(request.path(), decoded_);
    if (!normal.ok()) {
        fail(exchange, site, 400, http::pathErrorText(normal.error));
        return;
    }
    if (isTooLong(exchange, site, normal)) {
        return;
    }
    bool isAliased = false;
    if (!rules_->urlAlias.empty()) {
        std::string key = sites_->canonicalHost(request.authority());
        key += '/';
        key += normal.path;
        if (auto alias = rules_->urlAlias.find(key); alias != rules_->urlAlias.end()) {
            normal = http::normalisePath(alias->second, decoded_);
            isAliased = true;
            if (!normal.ok()) {
                fail(exchange, site, 500, "The target of the UrlAlias is not a path.");
                return;
            }
        }
    }
    if (Denial denial = judge(*site, normal.path); denial != Denial::none) {
        fail(exchange, site, 404, denialText(denial));
        return;
    }

    const FileIndex& index = site->root->index;
    const std::uint64_t generation = index.generation();
    const bool redirectsCase = site->rules->casePolicy == CasePolicy::redirect;
    Found found = index.find(indexPath(*site, normal.path), site->rules->caseMode());
    if (found.kind == Found::Kind::file && (!found.rest.empty() || normal.trailingSlash) &&
        scriptOf(index, found.file) != nullptr) {
        setStored(index, *found.directory, found.file.name);
        if (Denial denial = judge(*site, sitePath(*site, stored_)); denial != Denial::none) {
            fail(exchange, site, 404, denialText(denial));
            return;
        }
        std::string pathInfo(found.rest);
        if (normal.trailingSlash) {
            pathInfo += '/';
        }
        serveFile(exchange, site, found, generation, pathInfo);
        return;
    }
    // A slash behind a file's name makes it another address, from which its relative links would be wrong.
    if (found.kind == Found::Kind::file && found.rest.empty() && (!normal.trailingSlash || isAliased)) {
        if (found.folded && redirectsCase && !isAliased) {
            setStored(index, *found.directory, found.file.name);
            // The site's folder may be spelled otherwise too; that is not in the address.
            if (std::string_view stored = sitePath(*site, stored_); stored != normal.path) {
                redirect(exchange, *site, stored, false);
                return;
            }
        }
        Ref<RefCounted> what = serveFile(exchange, site, found, generation);
        remember(*site, request.path(), generation, std::move(what));
        return;
    }
    if (found.kind == Found::Kind::directory) {
        std::string_view stored = normal.path;
        if (found.folded && redirectsCase) {
            stored = sitePath(*site, index.pathOf(*found.directory));
        }
        if (!isAliased && (!normal.trailingSlash || stored != normal.path)) {
            redirect(exchange, *site, stored, true);
            return;
        }
        Ref<RefCounted> what;
        if (serveDirectory(exchange, site, found, normal.path, generation, &what)) {
            remember(*site, request.path(), generation, std::move(what));
            return;
        }
    }
    if (site->rules->loopFindEndpoint && serveParent(exchange, site, normal.path, generation)) {
        return;
    }
    if (!isForFiles) {
        refuseMethod(exchange, site);
        return;
    }
    fail(exchange, site, 404,
         found.kind == Found::Kind::directory ? "The folder has no index document."
                                              : "There is no file of that name.");
}

bool Dispatcher::isTooLong(http::Exchange& exchange, const std::shared_ptr<const Site>& site,
                           const http::NormalPath& path) {
    if (rules_->maxDirDepth != 0 && path.segments > rules_->maxDirDepth) {
        fail(exchange, site, 414, "The path has more names than MaxDirDepth allows.");
        return true;
    }
    if (rules_->maxFilePathLength != 0 && path.path.size() > rules_->maxFilePathLength) {
        fail(exchange, site, 414, "The path is longer than MaxFilePathLength allows.");
        return true;
    }
    return false;
}

void Dispatcher::setRoutes(const Site& site, std::vector<Route> routes) {
    std::sort(routes.begin(), routes.end(),
              [](const Route& a, const Route& b) { return a.path.size() > b.path.size(); });
    routes_[&site] = std::move(routes);
}

bool Dispatcher::followRoute(http::Exchange& exchange, const HostEntry& entry) {
    const http::NormalPath path = http::normalisePath(exchange.request().path(), decoded_);
    if (!path.ok()) {
        fail(exchange, entry.site, 400, http::pathErrorText(path.error));
        return true;
    }
    for (const Route& route : *entry.routes) {
        const std::size_t size = route.path.size();
        if (path.path.starts_with(route.path) &&
            (size == 0 || path.path.size() == size || path.path[size] == '/')) {
            if (!isTooLong(exchange, entry.site, path)) {
                route.handler->handle(exchange, entry.site, path);
            }
            return true;
        }
    }
    return false;
}

bool Dispatcher::admits(http::Exchange& exchange, const HostEntry& entry) {
    const SiteRules& rules = *entry.site->rules;
    if (exchange.isEncrypted()) {
        // Names in handshakes and requests may differ: what the one site let in must not reach the other.
        if (rules.clientPolicy != exchange.clientPolicy()) {
            fail(exchange, nullptr, 421,
                 "The connection was made under another site's rules for certificates.");
            return false;
        }
        exchange.strictTransport = entry.strictTransport;
        return true;
    }
    if (rules.httpsRedirect && !exchange.isClientEncrypted() &&
        !exchange.request().path().starts_with("/.well-known/acme-challenge/")) {
        if (auto port = rules_->securePorts.find(exchange.local().port); port != rules_->securePorts.end()) {
            leadToHttps(exchange, *entry.site, port->second);
            return false;
        }
    }
    if (rules.needsCertificate) {
        fail(exchange, nullptr, 403, "The site asks for a certificate of the client, which takes HTTPS.");
        return false;
    }
    return true;
}

void Dispatcher::leadToHttps(http::Exchange& exchange, const Site& site, std::uint16_t port) {
    const http::RequestHead& request = exchange.request();
    const auto authority = http::splitAuthority(request.authority());
    const std::string host = authority ? std::string(authority->host) : exchange.local().host();
    std::string location = host.find(':') == std::string::npos ? "https://" + host : "https://[" + host + "]";
    if (port != 443) {
        location += fmt::format(":{}", port);
    }
    location += request.path().starts_with('/') ? request.path() : "/"; // "*" is the server itself
    if (request.hasQuery()) {
        location += '?';
        location += request.query();
    }
    answerWithRedirect(exchange, site, isFileMethod(request.method) ? 301 : 308, location);
}

Dispatcher::Recent& Dispatcher::recentOf(const Site& site, std::string_view path) {
    std::uint64_t hash = hashBytes(path, processHashKey() ^ reinterpret_cast<std::uintptr_t>(&site));
    return recents_[hash % kRecents];
}

/// The next request for the same address at the same state of the index is answered by the same file. Not
/// where an address means different things for different host names of a site.
void Dispatcher::remember(const Site& site, std::string_view path, std::uint64_t generation,
                          Ref<RefCounted> what) {
    if (!what || !rules_->urlAlias.empty()) {
        return;
    }
    Recent& recent = recentOf(site, path);
    recent.site = &site;
    recent.generation = generation;
    recent.path = path;
    recent.what = std::move(what);
}

http::Handler::Page Dispatcher::errorPage(int status, std::string_view sentence) {
    ErrorFacts facts;
    facts.status = status;
    facts.sentence = sentence;
    routing::Page page = routing::errorPage(facts, PageFormat::html);
    return {std::string(page.contentType), std::move(page.body)};
}

std::string_view Dispatcher::indexPath(const Site& site, std::string_view path) {
    if (site.folder.empty()) {
        return path;
    }
    lookup_.assign(site.folder);
    if (!path.empty()) {
        lookup_ += '/';
        lookup_ += path;
    }
    return lookup_;
}

std::string_view Dispatcher::sitePath(const Site& site, std::string_view indexPath) const {
    if (!site.folder.empty()) {
        indexPath.remove_prefix(std::min(indexPath.size(), site.folder.size()));
    }
    while (indexPath.starts_with('/')) {
        indexPath.remove_prefix(1);
    }
    return indexPath;
}

Denial Dispatcher::judge(const Site& site, std::string_view path) {
    if (hasUpperCase(path)) {
        folded_.assign(path);
        for (char& c : folded_) {
            c = lowerAscii(c);
        }
        path = folded_;
    }
    return site.rules->access.judge(path);
}

void Dispatcher::setStored(const FileIndex& index, const IndexDirectory& directory, std::string_view name) {
    stored_ = index.pathOf(directory);
    if (!stored_.empty()) {
        stored_ += '/';
    }
    stored_ += name;
}

Ref<RefCounted> Dispatcher::serveFile(http::Exchange& exchange, const std::shared_ptr<const Site>& site,
                                      const Found& found, std::uint64_t generation,
                                      std::string_view pathInfo) {
    const FileIndex& index = site->root->index;
    setStored(index, *found.directory, found.file.name);
    if (ScriptHandler* handler = scriptOf(index, found.file)) {
        handler->run(exchange, Script{site, stored_, pathInfo});
        return {};
    }
    if (!isFileMethod(exchange.request().method)) {
        refuseMethod(exchange, site);
        return {};
    }
    exchange.account.handler = observe::HandlerKind::staticFile;
    return content_->serve(exchange, Resource{site, found.file, found.directory, stored_, generation});
}

void Dispatcher::setScript(std::string extension, ScriptHandler& handler) {
    scripts_.emplace_back(std::move(extension), &handler);
}

ScriptHandler* Dispatcher::scriptOf(const FileIndex& index, const FileFacts& file) const {
    if (scripts_.empty() || file.extension == 0) {
        return nullptr;
    }
    const std::string_view extension = index.extensionText(file.extension);
    for (const auto& [known, handler] : scripts_) {
        if (known == extension) {
            return handler;
        }
    }
    return nullptr;
}

void Dispatcher::refuseMethod(http::Exchange& exchange, const std::shared_ptr<const Site>& site) {
    switch (exchange.request().method) {
    case http::Method::options:
        answerOptions(exchange, site);
        break;
    case http::Method::other:
        fail(exchange, site, 501, "The method is not known.");
        break;
    default:
        fail(exchange, site, 405, "The method does not apply to files.");
        break;
    }
}

bool Dispatcher::serveDirectory(http::Exchange& exchange, const std::shared_ptr<const Site>& site,
                                const Found& found, std::string_view askedPath, std::uint64_t generation,
                                Ref<RefCounted>* what) {
    const FileIndex& index = site->root->index;
    for (const std::string& name : site->rules->indexPriority) {
        FileFacts facts;
        if (!index.findIn(*found.directory, name, site->rules->caseMode(), facts) ||
            judge(*site, facts.name) != Denial::none) {
            continue;
        }
        Found document;
        document.kind = Found::Kind::file;
        document.directory = found.directory;
        document.file = facts;
        Ref<RefCounted> served = serveFile(exchange, site, document, generation);
        if (what) {
            *what = std::move(served);
        }
        return true;
    }
    if (!site->rules->directoryListing || !isFileMethod(exchange.request().method)) {
        return false;
    }
    std::string shown = "/";
    if (!askedPath.empty()) {
        shown += askedPath;
        shown += '/';
    }
    exchange.account.handler = observe::HandlerKind::directoryListing;
    content_->serveListing(exchange, site, *found.directory, shown);
    return true;
}

/// LoopFindEndpoint: the nearest parent that is a file or has an index document.
bool Dispatcher::serveParent(http::Exchange& exchange, const std::shared_ptr<const Site>& site,
                             std::string_view path, std::uint64_t generation) {
    const FileIndex& index = site->root->index;
    for (;;) {
        std::size_t slash = path.rfind('/');
        if (path.empty()) {
            return false;
        }
        path = slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
        Found found = index.find(indexPath(*site, path), site->rules->caseMode());
        if (found.kind == Found::Kind::file && found.rest.empty() && judge(*site, path) == Denial::none) {
            serveFile(exchange, site, found, generation);
            return true;
        }
        if (found.kind == Found::Kind::directory) {
            for (const std::string& name : site->rules->indexPriority) {
                FileFacts facts;
                if (index.findIn(*found.directory, name, site->rules->caseMode(), facts) &&
                    judge(*site, facts.name) == Denial::none) {
                    return serveDirectory(exchange, site, found, path, generation);
                }
            }
        }
    }
}

void Dispatcher::answerOptions(http::Exchange& exchange, const std::shared_ptr<const Site>& site) {
    http::ResponseHead head;
    head.status = 204;
    site->rules->addDefaultHeaders(head);
    head.remove("Cache-Control");
    head.set("Allow", kAllow);
    exchange.account.handler = observe::HandlerKind::builtIn;
    exchange.respond(std::move(head), BufferChain());
}

/// `path`: decoded, relative to the site. The address stays on this host: it begins with exactly one slash.
void Dispatcher::redirect(http::Exchange& exchange, const Site& site, std::string_view path,
                          bool isDirectory) {
    const http::RequestHead& request = exchange.request();
    std::string location = "/";
    http::appendEncodedPath(path, location);
    if (isDirectory && !path.empty()) {
        location += '/';
    }
    if (request.hasQuery()) {
        location += '?';
        location += request.query();
    }
    answerWithRedirect(exchange, site, isFileMethod(request.method) ? 301 : 308, location);
}

void Dispatcher::answerWithRedirect(http::Exchange& exchange, const Site& site, int status,
                                    std::string_view location) {
    http::ResponseHead head;
    head.status = status;
    site.rules->addDefaultHeaders(head);
    head.set("Location", location);
    head.set("Content-Type", "text/html; charset=utf-8");
    BufferChain body;
    body.append(
        fmt::format("<!DOCTYPE html><title>Moved</title><p>This page is at <a href=\"{0}\">{0}</a>.\n",
                    escapeHtml(location)));
    exchange.account.handler = observe::HandlerKind::redirect;
    exchange.respond(std::move(head), std::move(body));
}

void Dispatcher::fail(http::Exchange& exchange, const std::shared_ptr<const Site>& site, int status,
                      std::string_view detail) {
    if (site && site->root && content_) {
        const FileIndex& index = site->root->index;
        const std::uint64_t generation = index.generation();
        auto tryPage = [&](std::string_view name) {
            // The site's own pages may have any name: they are asked for by configuration, not by the client.
            const std::string raw = "/" + std::string(name); // the normal path is a piece of it
            std::string decoded;
            http::NormalPath normal = http::normalisePath(raw, decoded);
            if (!normal.ok()) {
                return false;
            }
            Found found = index.find(indexPath(*site, normal.path), CaseMode::fold);
            if (found.kind != Found::Kind::file || !found.rest.empty()) {
                return false;
            }
            setStored(index, *found.directory, found.file.name);
            exchange.account.handler = observe::HandlerKind::errorPage;
            content_->serveErrorPage(
                exchange, Resource{site, found.file, found.directory, stored_, generation}, status, detail);
            return true;
        };
        auto configured = site->rules->errorPages.find(status);
        if (configured != site->rules->errorPages.end() && tryPage(configured->second)) {
            return;
        }
        for (const std::string& name : errorFileNames(status)) {
            if (tryPage(name)) {
                return;
            }
        }
    }
    failPlainly(exchange, site, status, detail);
}

void Dispatcher::failPlainly(http::Exchange& exchange, const std::shared_ptr<const Site>& site, int status,
                             std::string_view detail) {
    const http::RequestHead& request = exchange.request();
    ErrorFacts facts;
    facts.status = status;
    facts.host = request.authority();
    facts.path = request.path();
    if (site && site->rules->debugPages &&
        (site->rules->debugPagesRemote || exchange.client().isLoopback())) {
        facts.detail = detail;
    }
    routing::Page page = routing::errorPage(facts, choosePageFormat(request.get(http::FieldName::accept)));
    http::ResponseHead head;
    head.status = status;
    if (site) {
        site->rules->addServer(head);
    } else {
        head.set("Server", "Saker");
    }
    head.set("Content-Type", page.contentType);
    head.set("Cache-Control", "no-store");
    if (status == 405) {
        head.set("Allow", kAllow);
    }
    BufferChain body;
    body.append(std::move(page.body));
    exchange.account.handler = observe::HandlerKind::errorPage;
    exchange.respond(std::move(head), std::move(body));
}

} // namespace saker::routing
