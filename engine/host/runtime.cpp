#include "host/runtime.h"

#include "base/text.h"
#include "http/url.h"
#include "observe/log.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace saker::host {

namespace {

/// What is spoken over TLS, the best first. HTTP/1.0 is what some old clients say for HTTP/1.
const std::vector<std::string> kProtocols{"http/1.1", "http/1.0"};
const std::vector<std::string> kProtocolsWithHttp2{"h2", "http/1.1", "http/1.0"};

void reportIndex(routing::Severity severity, std::string text) {
    switch (severity) {
    case routing::Severity::error:
        log::error("index", "{}", text);
        break;
    case routing::Severity::warning:
        log::warning("index", "{}", text);
        break;
    case routing::Severity::information:
        log::info("index", "{}", text);
        break;
    }
}

std::string rootKey(const routing::IndexOptions& options) {
    std::string key =
        fmt::format("{}|{}|{}", static_cast<int>(options.links), options.maxDepth, options.root);
    for (const std::string& extra : options.extraRoots) {
        key += '\0'; // the one byte that no path holds
        key += extra;
    }
    return key;
}

routing::IndexOptions::Links linksOf(routing::FollowSymlinks follow) {
    switch (follow) {
    case routing::FollowSymlinks::always:
        return routing::IndexOptions::Links::follow;
    case routing::FollowSymlinks::never:
        return routing::IndexOptions::Links::never;
    case routing::FollowSymlinks::inside:
        break;
    }
    return routing::IndexOptions::Links::inside;
}

class Builder {
public:
    Builder(Runtime& runtime, const Runtime* previous, RuntimeParts& parts)
        : runtime_(runtime), previous_(previous), parts_(parts), options_(runtime.options),
          routing_(runtime.options.routing) {}

    Result<void> build() {
        auto log = parts_.logs.acquire(options_.log.accessLog);
        if (!log) {
            return log.error();
        }
        runtime_.accessLog = *log;
        auto made = makeRules(routing::SiteOptions{});
        if (!made) {
            return made.error();
        }
        auto rules = *made;
        routing::SiteTable::Options table;
        table.filterFrom = routing_.filterFromDomain;
        table.filterTo = routing_.domainFilterTo;
        table.defaultSite = siteKey(routing_.defaultSite);
        table.folderRules = rules;
        table.metrics = [&metrics = parts_.metrics](std::string_view name) { return metrics.site(name); };
        for (const auto& [from, to] : routing_.domainAlias) {
            table.domainAlias[siteKey(from)] = siteKey(to);
        }

        if (!routing_.wwwDir.empty()) {
            auto root = acquire(routing_.wwwDir, routing_.followSymlinks, routing_.allowedRoots);
            if (!root) {
                return root.error();
            }
            auto site = std::make_shared<routing::Site>();
            site->name = "static";
            site->root = *root;
            site->rules = rules;
            site->metrics = parts_.metrics.site(site->name);
            table.everything = std::move(site);
        } else if (!routing_.backendDir.empty()) {
            auto root = acquire(routing_.backendDir, routing_.followSymlinks, routing_.allowedRoots);
            if (!root) {
                return root.error();
            }
            table.folders = *root;
        }
        if (!table.everything) {
            for (const auto& [name, site] : routing_.sites) {
                addSite(name, site, table);
            }
            // A site's name is its own, whoever claims it as an alias.
            std::erase_if(runtime_.siteAliases,
                          [&](const auto& alias) { return table.sites.contains(alias.first); });
            table.siteAlias.insert(runtime_.siteAliases.begin(), runtime_.siteAliases.end());
        }
        runtime_.sites = std::make_shared<const routing::SiteTable>(std::move(table));

        auto dispatch = std::make_shared<routing::DispatchRules>();
        dispatch->maxDirDepth = routing_.maxDirDepth;
        dispatch->maxFilePathLength = routing_.maxFilePathLength;
        dispatch->securePorts = parts_.secure.securePorts;
        dispatch->hasClientPolicies = !clientPolicies_.empty();
        dispatch->trustedProxies = http::TrustedProxies(options_.http.trustedProxies);
        for (const auto& [from, to] : routing_.urlAlias) {
            addUrlAlias(from, to, *dispatch);
        }
        runtime_.dispatch = std::move(dispatch);
        return makeTls();
    }

private:
    std::string siteKey(std::string_view text) const {
        return routing::SiteTable::hostKey(text, routing_.filterFromDomain, routing_.domainFilterTo);
    }

    /// The folder of a site below BackendDir, spelled as it is on the disk: hosts know no case, paths may.
    std::string folderOf(const std::string& name, const std::string& key, routing::ContentRoot& root) const {
        routing::Quiescence::Reader reader(root.index.quiescence());
        for (const std::string& candidate : {name, key}) {
            routing::Found found = root.index.find(candidate, routing::CaseMode::fold);
            if (!candidate.empty() && found.kind == routing::Found::Kind::directory) {
                return std::string(root.index.pathOf(*found.directory));
            }
        }
        return name;
    }

    Result<std::shared_ptr<routing::ContentRoot>> acquire(const std::string& folder,
                                                          routing::FollowSymlinks links,
                                                          const std::vector<std::string>& allowed) {
        routing::IndexOptions index;
        index.root = folder;
        while (index.root.size() > 1 && index.root.ends_with('/')) {
            index.root.pop_back();
        }
        index.links = linksOf(links);
        index.extraRoots = allowed;
        auto root = parts_.roots.acquire(index, parts_.progress);
        if (root && std::find(runtime_.roots.begin(), runtime_.roots.end(), *root) == runtime_.roots.end()) {
            runtime_.roots.push_back(*root);
        }
        return root;
    }

    Result<std::shared_ptr<const routing::SiteRules>> makeRules(const routing::SiteOptions& site) {
        const static_files::StaticOptions& files = options_.staticFiles;
        auto rules = std::make_shared<routing::SiteRules>();
        rules->indexPriority = site.indexPriority.value_or(routing_.indexPriority);
        rules->loopFindEndpoint = site.loopFindEndpoint.value_or(routing_.loopFindEndpoint);
        rules->casePolicy = site.casePolicy.value_or(routing_.casePolicy);
        rules->directoryListing = site.directoryListing.value_or(files.directoryListing);
        if (!site.phpVersion.empty() && !php::isPhpVersion(site.phpVersion)) {
            return Error{
                ErrorKind::configuration,
                fmt::format("PhpVersion: expected a version such as \"8.2\", or \"auto\", found \"{}\"",
                            escapeControl(site.phpVersion)),
                {}};
        }
        rules->phpVersion = site.phpVersion;
        for (const auto& [status, file] : site.errorPages.value_or(routing_.errorPages)) {
            rules->errorPages[static_cast<int>(parseDecimal(status).value_or(0))] = file;
        }
        for (const auto& [name, value] : site.defaultHeaders.value_or(files.defaultHeaders)) {
            rules->defaultHeaders.push_back({name, value});
        }
        rules->fileTypes = std::make_shared<const routing::FileTypes>(
            site.extTypes.value_or(files.extTypes),
            site.downloadIfExtension.value_or(files.downloadIfExtension));
        routing::AccessPolicy::Options access;
        access.sources = options_.scriptExtensions();
        std::erase_if(access.sources, [this](const std::string& one) { return options_.isRun(one); });
        rules->access = routing::AccessPolicy(access);
        rules->compressionLevel = site.compressionLevel.value_or(files.compressionLevel);
        rules->precompressed = files.precompressed;
        rules->debugPages = options_.log.debugPages;
        rules->debugPagesRemote = options_.log.debugPagesRemote;
        rules->httpsRedirect = site.httpsRedirect.value_or(routing_.httpsRedirect);
        if (const auto& hsts = site.hsts ? site.hsts : routing_.hsts) {
            rules->strictTransport = hsts->value();
        }
        if (const auto& asked = site.clientCertificates; asked.mode != routing::ClientCertificateMode::none) {
            const bool required = asked.mode == routing::ClientCertificateMode::required;
            auto policy = tls::ClientPolicy::load(required ? tls::ClientPolicy::Mode::required
                                                           : tls::ClientPolicy::Mode::optional,
                                                  asked.caFile);
            if (!policy) {
                return policy.error();
            }
            rules->clientPolicy = (*policy)->id();
            rules->needsCertificate = required;
            clientPolicies_[(*policy)->id()] = *policy;
        }
        return std::shared_ptr<const routing::SiteRules>(std::move(rules));
    }

    /// How handshakes are answered. Sites are found by the name in them as they are by the one in a request.
    Result<void> makeTls() {
        if (!parts_.secure.credentials) {
            return {};
        }
        tls::TlsContext::Parts parts;
        parts.credentials = parts_.secure.credentials;
        parts.tickets = parts_.secure.tickets;
        parts.protocols = options_.http.http2 ? kProtocolsWithHttp2 : kProtocols;
        if (!options_.tls.keyLogFile.empty()) {
            auto log = tls::KeyLog::open(options_.tls.keyLogFile);
            if (!log) {
                return log.error();
            }
            parts.keyLog = *log;
            runtime_.warnings.push_back(fmt::format(
                "TlsKeyLogFile: the secrets of all TLS connections are written to {}; whoever reads it can "
                "read their traffic.",
                options_.tls.keyLogFile));
        }
        if (!clientPolicies_.empty()) {
            parts.clientPolicy = [sites = runtime_.sites, policies = clientPolicies_](
                                     std::string_view name) -> std::shared_ptr<const tls::ClientPolicy> {
                const auto site = sites->find(name).site;
                auto policy = site && site->rules ? policies.find(site->rules->clientPolicy) : policies.end();
                return policy == policies.end() ? nullptr : policy->second;
            };
        }
        auto context = tls::TlsContext::make(options_.tls, std::move(parts));
        if (!context) {
            return context.error();
        }
        runtime_.tls = *context;
        return {};
    }

    void addSite(const std::string& name, const schema::Isolated<routing::SiteOptions>& isolated,
                 routing::SiteTable::Options& table) {
        const std::string key = siteKey(name);
        auto broken = [&](const std::string& reason) {
            std::shared_ptr<const routing::Site> last;
            if (previous_) {
                auto found = previous_->configuredSites.find(key);
                if (found != previous_->configuredSites.end()) {
                    last = found->second;
                }
            }
            if (last) {
                if (auto policy = previous_->clientPolicies.find(last->rules->clientPolicy);
                    policy != previous_->clientPolicies.end()) {
                    clientPolicies_.insert(*policy);
                }
                if (auto log = previous_->siteLogs.find(last.get()); log != previous_->siteLogs.end()) {
                    runtime_.siteLogs[last.get()] = log->second;
                }
                runtime_.keptSites.push_back(fmt::format("{}: {}", name, reason));
                runtime_.configuredSites[key] = last;
                for (const auto& [alias, owner] : previous_->siteAliases) {
                    if (owner == key) {
                        runtime_.siteAliases.try_emplace(alias, key);
                    }
                }
                if (last->root && std::find(runtime_.roots.begin(), runtime_.roots.end(), last->root) ==
                                      runtime_.roots.end()) {
                    runtime_.roots.push_back(last->root);
                }
            } else {
                runtime_.warnings.push_back(fmt::format(
                    "The site \"{}\" is not served until its settings are mended: {}", name, reason));
                auto off = std::make_shared<routing::Site>();
                off->name = name;
                off->folder = name;
                off->isEnabled = false;
                off->root = table.folders;
                off->rules = table.folderRules;
                last = std::move(off);
            }
            table.sites[key] = last;
        };
        if (!isolated.value) {
            broken(isolated.problems.empty() ? "its settings are not valid"
                                             : isolated.problems.front().sentence());
            return;
        }
        const routing::SiteOptions& options = *isolated.value;
        auto site = std::make_shared<routing::Site>();
        site->name = name;
        site->isEnabled = options.enabled;
        auto rules = makeRules(options);
        if (!rules) {
            broken(rules.error().text());
            return;
        }
        site->rules = *rules;
        site->metrics = parts_.metrics.site(name);
        for (const upstream::RouteOptions& route : options.routes) {
            for (const upstream::RouteServer& server : route.proxy) {
                if (!upstream::forwardTarget(server.url, name)) {
                    broken(fmt::format("{} is no address of a server for a site of this name", server.url));
                    return;
                }
            }
        }
        site->routes = options.routes;
        const bool hasFiles = !options.root.empty() || table.folders || site->routes.empty();
        const bool ownLinks = options.followSymlinks || options.allowedRoots;
        if (hasFiles && options.root.empty() && !table.folders) {
            broken("it has no Root, and there is no BackendDir");
            return;
        }
        const std::string below =
            options.root.empty() && hasFiles ? folderOf(name, key, *table.folders) : std::string();
        if (!hasFiles) {
            site->folder = name;
        } else if (options.root.empty() && !ownLinks) {
            site->root = table.folders;
            site->folder = below;
        } else {
            std::string folder = options.root.empty() ? routing_.backendDir + "/" + below : options.root;
            auto root = acquire(folder, options.followSymlinks.value_or(routing_.followSymlinks),
                                options.allowedRoots.value_or(routing_.allowedRoots));
            if (!root) {
                broken(root.error().text());
                return;
            }
            site->root = *root;
        }
        if (options.accessLog) {
            auto log = parts_.logs.acquire(*options.accessLog);
            if (!log) {
                broken(log.error().text());
                return;
            }
            runtime_.siteLogs[site.get()] = *log;
        }
        for (const std::string& alias : options.aliases) {
            runtime_.siteAliases.try_emplace(siteKey(alias), key); // the first one to claim it keeps it
        }
        table.sites[key] = site;
        runtime_.configuredSites[key] = site;
    }

    /// "host/path" -> "/path". The key's path is normalised as requests are.
    void addUrlAlias(std::string_view from, std::string_view to, routing::DispatchRules& rules) {
        std::size_t slash = from.find('/');
        if (slash == std::string_view::npos) {
            runtime_.warnings.push_back(fmt::format(
                "UrlAlias: \"{}\" has no path and never matches; write it as \"host/path\".", from));
            return;
        }
        std::string scratch;
        http::NormalPath path = http::normalisePath(from.substr(slash), scratch);
        if (!path.ok()) {
            runtime_.warnings.push_back(
                fmt::format("UrlAlias: \"{}\" is no path: {}", from, http::pathErrorText(path.error)));
            return;
        }
        std::string host = siteKey(from.substr(0, slash));
        const std::string target = to.starts_with('/') ? std::string(to) : "/" + std::string(to);
        std::string targetScratch;
        if (http::NormalPath normal = http::normalisePath(target, targetScratch); !normal.ok()) {
            runtime_.warnings.push_back(
                fmt::format("UrlAlias: \"{}\" is no path: {}", to, http::pathErrorText(normal.error)));
            return;
        }
        rules.urlAlias[host + "/" + std::string(path.path)] = target;
    }

    Runtime& runtime_;
    std::map<std::uint64_t, std::shared_ptr<const tls::ClientPolicy>>& clientPolicies_ =
        runtime_.clientPolicies;
    const Runtime* previous_;
    RuntimeParts& parts_;
    const EngineOptions& options_;
    const routing::RoutingOptions& routing_;
};

} // namespace

Result<std::shared_ptr<routing::ContentRoot>> RootPool::acquire(const routing::IndexOptions& options,
                                                                const Progress& progress) {
    std::weak_ptr<routing::ContentRoot>& known = roots_[rootKey(options)];
    if (auto root = known.lock()) {
        return root;
    }
    std::error_code error;
    if (!std::filesystem::is_directory(options.root, error)) {
        return Error{ErrorKind::configuration, "There is no such folder; make it, or name another one.",
                     options.root};
    }
    auto root = std::make_shared<routing::ContentRoot>(options, reportIndex);
    auto scanned = root->index.scan({}, progress);
    if (!scanned) {
        return scanned.error();
    }
    root->watcher.start();
    known = root;
    return root;
}

Result<std::shared_ptr<const Runtime>> buildRuntime(EngineOptions options, const Runtime* previous,
                                                    RuntimeParts parts) {
    auto runtime = std::make_shared<Runtime>();
    runtime->options = std::move(options);
    if (auto built = Builder(*runtime, previous, parts).build(); !built) {
        return built.error();
    }
    return std::shared_ptr<const Runtime>(std::move(runtime));
}

void applyHttpOptions(const http::HttpOptions& options, http::ConnectionSettings& settings) {
    auto millis = [](schema::Duration duration) { return static_cast<std::uint64_t>(duration.count()); };
    settings.limits.maxLine = static_cast<std::uint32_t>(options.maxRequestLineSize);
    settings.limits.maxHead =
        static_cast<std::uint32_t>(options.maxRequestLineSize + options.maxRequestHeadersSize);
    settings.limits.maxFields = static_cast<std::uint8_t>(
        std::min<std::uint32_t>(options.maxRequestHeaderCount, http::RequestHead::kMaxFields));
    settings.maxBody = options.maxRequestBodySize;
    settings.keepAliveTimeout = millis(options.keepAliveTimeout);
    settings.headTimeout = millis(options.requestHeadersTimeout);
    settings.requestTimeout = millis(options.requestTimeout);
    settings.stallTimeout = millis(options.stallTimeout);
    settings.gracePeriod = millis(options.gracePeriod);
    settings.minRate = options.bytesPerSecond;
    settings.slowClientBlock = millis(options.slowClientBlockSeconds);
}

} // namespace saker::host
