#include "routing/site_options.h"

#include "base/text.h"
#include "http/configured_field.h"
#include "http/url.h"
#include "schema/type_of.h"

#include <fmt/format.h>

#include <unordered_map>

namespace saker::routing {

using schema::Apply;
using schema::field;

namespace {

/// Could a Host field hold this? Not a full check: what matters is to catch addresses ("http://…") and paths.
bool isHostLike(std::string_view host) {
    return !host.empty() && host.find_first_of("/\\ \t\r\n@?#") == std::string_view::npos;
}

std::string notAHost(std::string_view found) {
    return fmt::format("expected a host name such as \"example.com\", found \"{}\"", escapeControl(found));
}

void checkIndexNames(schema::Checker& checker, const std::vector<std::string>& names) {
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i].empty() || names[i].find_first_of("/\\") != std::string::npos) {
            checker.error({"indexPriority", std::to_string(i)},
                          fmt::format("expected the name of a file such as \"index.html\", found \"{}\"",
                                      escapeControl(names[i])));
        }
    }
}

void checkErrorPages(schema::Checker& checker, const schema::OrderedMap<std::string>& pages) {
    for (const auto& [status, file] : pages) {
        auto number = status.size() == 3 ? parseDecimal(status) : std::nullopt;
        if (!number || *number < 400 || *number > 599) {
            checker.error(
                {"ErrorPages", status},
                fmt::format("expected a status from 400 to 599 as key, found \"{}\"", escapeControl(status)));
        }
        if (file.empty()) {
            checker.error({"ErrorPages", status}, "expected the name of a file, found an empty text");
            continue;
        }
        const std::string path = "/" + file;
        std::string decoded;
        if (!http::normalisePath(path, decoded).ok()) {
            checker.error(
                {"ErrorPages", status},
                fmt::format("expected a file in the site's folder such as \"errors/404.html\", found \"{}\"",
                            escapeControl(file)));
        }
    }
}

void checkRoutes(schema::Checker& checker, const std::vector<upstream::RouteOptions>& routes) {
    std::unordered_map<std::string, std::size_t> known;
    for (std::size_t i = 0; i < routes.size(); ++i) {
        std::string scratch;
        const http::NormalPath path = http::normalisePath(routes[i].path, scratch);
        if (path.ok() && !known.emplace(path.path, i).second) {
            checker.error(
                {"Routes", std::to_string(i), "Path"},
                fmt::format("there is a route for \"{}\" already; name all servers of a path in one "
                            "route",
                            escapeControl(routes[i].path)));
        }
    }
}

} // namespace

std::span<const schema::Choice> schemaChoices(CasePolicy) {
    static constexpr schema::Choice kChoices[] = {
        {"insensitive", static_cast<int>(CasePolicy::insensitive),
         "The exact name first, then one that differs in the case of A to Z."},
        {"sensitive", static_cast<int>(CasePolicy::sensitive), "The exact name only."},
        {"redirect", static_cast<int>(CasePolicy::redirect), "Another case is redirected to the exact name."},
    };
    return kChoices;
}

std::span<const schema::Choice> schemaChoices(FollowSymlinks) {
    static constexpr schema::Choice kChoices[] = {
        {"inside", static_cast<int>(FollowSymlinks::inside),
         "Only to what lies in the site's own folder or in AllowedRoots."},
        {"always", static_cast<int>(FollowSymlinks::always), "Wherever they lead."},
        {"never", static_cast<int>(FollowSymlinks::never), "Symbolic links are not there."},
    };
    return kChoices;
}

std::span<const schema::Choice> schemaChoices(ClientCertificateMode) {
    static constexpr schema::Choice kChoices[] = {
        {"none", static_cast<int>(ClientCertificateMode::none), "None is asked for."},
        {"optional", static_cast<int>(ClientCertificateMode::optional),
         "One is asked for; clients without one are served too."},
        {"required", static_cast<int>(ClientCertificateMode::required), "Nobody is served without one."},
    };
    return kChoices;
}

const schema::Description& HstsOptions::fields() {
    static const schema::Description kFields = schema::describe<HstsOptions>(
        "HSTS", {field("MaxAge", "Remembered for", &HstsOptions::maxAge)
                     .withHelp("For how long a browser asks for the site over HTTPS only. 0 has it forget.")
                     .atLeast(0),
                 field("IncludeSubDomains", "Subdomains too", &HstsOptions::includeSubDomains)
                     .withHelp("Whether that holds for all subdomains of the host too."),
                 field("Preload", "Preload", &HstsOptions::preload)
                     .withHelp("Says that the site may be in the list that browsers come with: see "
                               "hstspreload.org. Getting out of that list takes months.")});
    return kFields;
}

void HstsOptions::check(schema::Checker& checker) const {
    if (preload && (!includeSubDomains || maxAge < std::chrono::hours(24 * 365))) {
        checker.warning({"Preload"},
                        "the list of browsers takes sites only with IncludeSubDomains and a MaxAge of 365d");
    }
}

std::string HstsOptions::value() const {
    return fmt::format("max-age={}{}{}", std::chrono::duration_cast<std::chrono::seconds>(maxAge).count(),
                       includeSubDomains ? "; includeSubDomains" : "", preload ? "; preload" : "");
}

const schema::Description& ClientCertificateOptions::fields() {
    static const schema::Description kFields = schema::describe<ClientCertificateOptions>(
        "Certificates of clients",
        {field("Mode", "Certificates of clients", &ClientCertificateOptions::mode)
             .withHelp("Whether clients have to show a certificate of their own."),
         field("CaFile", "Issuers", &ClientCertificateOptions::caFile)
             .withHelp("A file with the certificates, in PEM, of the authorities whose certificates are "
                       "accepted.")
             .asFile()});
    return kFields;
}

void ClientCertificateOptions::check(schema::Checker& checker) const {
    if (mode != ClientCertificateMode::none && caFile.empty()) {
        checker.error({"CaFile"}, "expected the file with the issuers' certificates, found nothing");
    }
}

const schema::Description& SiteOptions::fields() {
    static const schema::Description kFields = schema::describe<SiteOptions>(
        "Site",
        {field("Enabled", "Enabled", &SiteOptions::enabled).withHelp("Whether the site is served at all."),
         field("Root", "Folder", &SiteOptions::root)
             .withHelp("The folder of the site. Empty means the folder of the site's name in BackendDir.")
             .asFolder(),
         field("Aliases", "Other names", &SiteOptions::aliases)
             .withHelp("Other host names of this site, such as \"www.example.com\"."),
         field("IndexPriority", "Index files", &SiteOptions::indexPriority)
             .withHelp("Instead of the global indexPriority."),
         field("LoopFindEndpoint", "Look in parent folders", &SiteOptions::loopFindEndpoint)
             .withHelp("Instead of the global LoopFindEndpoint."),
         field("CasePolicy", "Upper and lower case", &SiteOptions::casePolicy)
             .withHelp("Instead of the global CasePolicy."),
         field("DirectoryListing", "List folders", &SiteOptions::directoryListing)
             .withHelp("Instead of the global DirectoryListing."),
         field("PhpVersion", "Version of PHP", &SiteOptions::phpVersion)
             .withHelp("Instead of the global PhpVersion: \"8.2\", or \"auto\" for the newest."),
         field("FollowSymlinks", "Symbolic links", &SiteOptions::followSymlinks)
             .withHelp("Instead of the global FollowSymlinks."),
         field("AllowedRoots", "Allowed targets of links", &SiteOptions::allowedRoots)
             .withHelp("Instead of the global AllowedRoots.")
             .asFolder(),
         field("DefaultHeaders", "Headers", &SiteOptions::defaultHeaders)
             .withHelp("Instead of the global DefaultHeaders: the whole table is replaced.")
             .keyedBy("header"),
         field("ExtTypes", "Headers by extension", &SiteOptions::extTypes)
             .withHelp("Instead of the global ExtTypes: the whole table is replaced.")
             .keyedBy("extensions"),
         field("DownloadIfExtension", "Downloads", &SiteOptions::downloadIfExtension)
             .withHelp("Instead of the global DownloadIfExtension."),
         field("ErrorPages", "Error pages", &SiteOptions::errorPages)
             .withHelp("Instead of the global ErrorPages: the whole table is replaced.")
             .keyedBy("status"),
         field("CompressionLevel", "Compression", &SiteOptions::compressionLevel)
             .withHelp("Instead of the global CompressionLevel.")
             .orNumbers(),
         field("AccessLog", "Access log", &SiteOptions::accessLog)
             .withHelp("Instead of the global AccessLog: a log of this site's own."),
         field("HttpsRedirect", "Lead to HTTPS", &SiteOptions::httpsRedirect)
             .withHelp("Instead of the global HttpsRedirect."),
         field("Hsts", "HSTS", &SiteOptions::hsts).withHelp("Instead of the global Hsts."),
         field("ClientCertificates", "Certificates of clients", &SiteOptions::clientCertificates)
             .withHelp("What the site asks of its clients' certificates over HTTPS. Where one is required, "
                       "the site is not there over plain HTTP."),
         field("Routes", "Routes", &SiteOptions::routes)
             .withHelp("Parts of the site that other servers answer.")});
    return kFields;
}

void SiteOptions::check(schema::Checker& checker) const {
    for (std::size_t i = 0; i < aliases.size(); ++i) {
        if (!isHostLike(aliases[i])) {
            checker.error({"Aliases", std::to_string(i)}, notAHost(aliases[i]));
        }
    }
    checkIndexNames(checker, indexPriority.value_or(std::vector<std::string>()));
    checkErrorPages(checker, errorPages.value_or(schema::OrderedMap<std::string>()));
    checkRoutes(checker, routes);
    http::checkDefaultHeaders(checker, defaultHeaders.value_or(schema::OrderedMap<std::string>()));
    http::checkExtTypes(checker, extTypes.value_or(schema::OrderedMap<std::vector<std::string>>()));
}

const schema::Description& RoutingOptions::fields() {
    static const schema::Description kFields = schema::describe<RoutingOptions>(
        "Sites and files",
        {field("LoopFindEndpoint", "Look in parent folders", &RoutingOptions::loopFindEndpoint)
             .withHelp("When nothing is found at a path, whether its parents are tried, the nearest first: "
                       "/path1/path2/index.html, /path1/path2, /path1, /. The first index found answers; "
                       "only when there is none the answer is 404.")
             .withNote("true: /a/b/c -> /a/b -> /a -> / until there is an index"),
         field("MaxFilePathLength", "Longest path", &RoutingOptions::maxFilePathLength)
             .withHelp("The longest path of a request in bytes, after decoding. A longer one is refused with "
                       "414. 0 means no limit.")
             .withNote("Longest path of a request in bytes; 0 = no limit")
             .within(0, 65535),
         field("MaxDirDepth", "Deepest path", &RoutingOptions::maxDirDepth)
             .withHelp("The most slashes in the path of a request: /path1/path2/path3 has three. A deeper "
                       "one is refused with 414. 0 means no limit.")
             .withNote("Most slashes in a path: /path1/path2/path3...")
             .within(0, 1000),
         field("WWWdir", "Folder for all hosts", &RoutingOptions::wwwDir)
             .withHelp("A folder of static files that answers for every host, with index files; nothing in "
                       "it is run. While it is set, BackendDir and Sites are not looked at. The command "
                       "line's --webPath=DIR comes first. Empty means none.")
             .withNote("Static files only // --webPath=/var/www")
             .asFolder(),
         field("BackendDir", "Folder of the sites", &RoutingOptions::backendDir)
             .withHelp("The folder with one folder for each domain: BackendDir/example.com/path. Static "
                       "files and pages that run on the server may lie side by side. The command line's "
                       "--backend=DIR comes first. Empty means none.")
             .withNote("One folder per domain: static files and backends // --backend=/var/www")
             .asFolder(),
         field("FilterFromDomain", "Replace in host names", &RoutingOptions::filterFromDomain)
             .withHelp("A text that is replaced by DomainFilterTo wherever it stands in a host name, before "
                       "its folder is looked up: with \".\" and \"\" the folder of example.com is "
                       "examplecom. Empty means off.")
             .withNote("Optional: \".\"")
             .forExperts(),
         field("DomainFilterTo", "Replace by", &RoutingOptions::domainFilterTo)
             .withHelp("What FilterFromDomain is replaced by.")
             .withNote("If set to \"\", FilterFromDomain is taken out")
             .forExperts(),
         field("indexPriority", "Index files", &RoutingOptions::indexPriority)
             .withHelp("The names that answer for a folder, the best first. Those of pages whose handler is "
                       "not active are passed over.")
             .withNote("A folder is answered by the first of these files that it holds"),
         field("DomainAlias", "Aliases of domains", &RoutingOptions::domainAlias)
             .withHelp("Leads a host to another one's site: \"www.example.com\": \"example.com\". One step, "
                       "without wildcards; the port plays no part.")
             .withNote("Lead www.domain to domain, etc.")
             .keyedBy("host"),
         field("UrlAlias", "Aliases of paths", &RoutingOptions::urlAlias)
             .withHelp(
                 "Answers a path of a host with another path of the same host, without a redirect: "
                 "\"example.com/old\": \"/new\". The host is the one after DomainAlias; the query stays.")
             .withNote("\"example.com/old\": \"/new\"")
             .keyedBy("host/path"),
         field("DefaultSite", "Default site", &RoutingOptions::defaultSite)
             .withHelp("The site that answers for hosts nobody knows. Empty means \"localhost\" when there "
                       "is such a site, else the only site there is, else 404.")
             .withNote("Answers for unknown hosts; \"\" = localhost, else the only site there is"),
         field("CasePolicy", "Upper and lower case", &RoutingOptions::casePolicy)
             .withHelp("Whether /Page.html finds page.html."),
         field("FollowSymlinks", "Symbolic links", &RoutingOptions::followSymlinks)
             .withHelp("Where symbolic links among the files may lead."),
         field("AllowedRoots", "Allowed targets of links", &RoutingOptions::allowedRoots)
             .withHelp("Folders that symbolic links may lead into although they lie elsewhere, when "
                       "FollowSymlinks is \"inside\".")
             .asFolder()
             .forExperts(),
         field("ErrorPages", "Error pages", &RoutingOptions::errorPages)
             .withHelp("Pages for statuses from 400 to 599, as files in the folder of the site: \"404\": "
                       "\"missing.html\". Without an entry, error404.html and the like are used where a site "
                       "has them.")
             .keyedBy("status"),
         field("HttpsRedirect", "Lead to HTTPS", &RoutingOptions::httpsRedirect)
             .withHelp("Whether plain HTTP requests are redirected to the same address over HTTPS: 301, or "
                       "308 where the method matters. Each port of HttpPorts leads to the one at the same "
                       "place of HttpsPorts. /.well-known/acme-challenge/ is answered as it is.")
             .withNote("true: http:// is redirected to https://"),
         field("Hsts", "HSTS", &RoutingOptions::hsts)
             .withHelp("Has browsers ask for the sites over HTTPS only, for so long: the field "
                       "Strict-Transport-Security, sent over HTTPS. null means that it is not sent.")
             .withNote("{ \"MaxAge\": \"365d\", \"IncludeSubDomains\": true }"),
         field("Sites", "Sites", &RoutingOptions::sites)
             .withHelp("Settings of single sites by host name. A folder in BackendDir needs no entry. A site "
                       "whose entry is wrong keeps its last good settings; all others are not affected.")
             .withNote("\"example.com\": { \"Root\": \"/srv/example\", \"DirectoryListing\": true }")
             .keyedBy("host")});
    return kFields;
}

void RoutingOptions::check(schema::Checker& checker) const {
    for (const auto& [from, to] : domainAlias) {
        if (!isHostLike(from)) {
            checker.error({"DomainAlias", from}, notAHost(from));
        }
        if (!isHostLike(to)) {
            checker.error({"DomainAlias", from}, notAHost(to));
        }
    }
    for (const auto& [from, to] : urlAlias) {
        const auto slash = from.find('/');
        if (slash == std::string::npos || slash == 0) {
            checker.error({"UrlAlias", from},
                          fmt::format("expected \"host/path\" as key, found \"{}\"; without a {} no request "
                                      "matches",
                                      escapeControl(from), slash == 0 ? "host" : "path"));
        }
        if (to.empty() || to.front() != '/') {
            checker.error({"UrlAlias", from},
                          fmt::format("expected a path that begins with /, found \"{}\"", escapeControl(to)));
        }
    }
    checkIndexNames(checker, indexPriority);
    checkErrorPages(checker, errorPages);
    if (!defaultSite.empty() && !isHostLike(defaultSite)) {
        checker.error({"DefaultSite"}, notAHost(defaultSite));
    }
    std::unordered_map<std::string, std::string> owners;
    for (const auto& [name, site] : sites) {
        if (!isHostLike(name)) {
            checker.warning({"Sites", name}, notAHost(name) + "; no request asks for this site");
        }
        if (!owners.emplace(toLowerAscii(name), name).second) {
            checker.warning({"Sites", name},
                            "this site is listed twice; the case of a host name does not matter");
        }
    }
    for (const auto& [name, site] : sites) {
        for (const std::string& alias : site.value ? site.value->aliases : std::vector<std::string>()) {
            auto [owner, fresh] = owners.emplace(toLowerAscii(alias), name);
            if (!fresh && owner->second != name) {
                checker.warning({"Sites", name, "Aliases"},
                                fmt::format("\"{}\" already belongs to the site \"{}\", which keeps it",
                                            escapeControl(alias), escapeControl(owner->second)));
            }
        }
    }
}

} // namespace saker::routing
