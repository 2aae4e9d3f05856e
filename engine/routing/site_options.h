// How a host and a path become a file: settings for all sites (RoutingOptions) and of one site (SiteOptions).
#pragma once

#include "http/compression_level.h"
#include "observe/log_options.h"
#include "schema/types.h"
#include "upstream/route_options.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace saker::routing {

enum class CasePolicy : std::uint8_t {
    insensitive, ///< the exact name first, then without regard to ASCII case
    sensitive,   ///< the exact name only
    redirect,    ///< another case is answered with a redirect to the exact name
};
std::span<const schema::Choice> schemaChoices(CasePolicy);

enum class FollowSymlinks : std::uint8_t {
    inside, ///< only when the target lies in the site's root or in AllowedRoots
    always,
    never,
};
std::span<const schema::Choice> schemaChoices(FollowSymlinks);

/// Strict-Transport-Security (RFC 6797).
struct HstsOptions {
    schema::Duration maxAge = std::chrono::hours(24 * 365); ///< 0: clients forget it
    bool includeSubDomains = false;
    bool preload = false;

    /// The field's value.
    std::string value() const;
    void check(schema::Checker& checker) const;
    bool operator==(const HstsOptions&) const = default;
    static const schema::Description& fields();
};

enum class ClientCertificateMode : std::uint8_t { none, optional, required };
std::span<const schema::Choice> schemaChoices(ClientCertificateMode);

/// What a site asks of its clients' certificates.
struct ClientCertificateOptions {
    ClientCertificateMode mode = ClientCertificateMode::none;
    std::string caFile; ///< of those who issue them

    void check(schema::Checker& checker) const;
    bool operator==(const ClientCertificateOptions&) const = default;
    static const schema::Description& fields();
};

/// One entry of "Sites". An empty optional takes the global setting of the same name, wherever that is
/// declared.
struct SiteOptions {
    bool enabled = true;
    std::string root; ///< "": BackendDir/<name of the site>
    std::vector<std::string> aliases;
    std::optional<std::vector<std::string>> indexPriority;
    std::optional<bool> loopFindEndpoint;
    std::optional<CasePolicy> casePolicy;
    std::optional<bool> directoryListing;
    std::string phpVersion; ///< "": the global one
    std::optional<FollowSymlinks> followSymlinks;
    std::optional<std::vector<std::string>> allowedRoots;
    std::optional<schema::OrderedMap<std::string>> defaultHeaders;
    std::optional<schema::OrderedMap<std::vector<std::string>>> extTypes;
    std::optional<std::vector<std::string>> downloadIfExtension;
    std::optional<schema::OrderedMap<std::string>> errorPages; ///< "404" -> file in the site's root
    std::optional<http::CompressionLevel> compressionLevel;
    std::optional<observe::AccessLogOptions> accessLog;
    std::optional<bool> httpsRedirect;
    std::optional<HstsOptions> hsts;
    ClientCertificateOptions clientCertificates;
    std::vector<upstream::RouteOptions> routes;

    void check(schema::Checker& checker) const;
    bool operator==(const SiteOptions&) const = default;
    static const schema::Description& fields();
};

struct RoutingOptions {
    std::string backendDir = "www"; ///< "": none
    std::string wwwDir;             ///< "": none
    std::string defaultSite;        ///< for unknown hosts; "": "localhost", else the only site there is
    schema::OrderedMap<std::string> domainAlias{{"www.example.com", "example.com"},
                                                {"127.0.0.1", "localhost"}};
    schema::OrderedMap<std::string> urlAlias; ///< "host/path" -> "/path"
    std::string filterFromDomain;             ///< "": off
    std::string domainFilterTo;
    bool loopFindEndpoint = false;
    std::uint32_t maxDirDepth = 15;
    std::uint32_t maxFilePathLength = 512;
    std::vector<std::string> indexPriority{"index._csdll", "index._cs", "index.php", "index._wasm",
                                           "index.njs",    "index.bun", "index.html"};
    CasePolicy casePolicy = CasePolicy::insensitive;
    FollowSymlinks followSymlinks = FollowSymlinks::inside;
    std::vector<std::string> allowedRoots;
    schema::OrderedMap<std::string> errorPages;
    bool httpsRedirect = false;
    std::optional<HstsOptions> hsts; ///< empty: not sent
    schema::OrderedMap<schema::Isolated<SiteOptions>> sites;

    void check(schema::Checker& checker) const;
    bool operator==(const RoutingOptions&) const = default;
    static const schema::Description& fields();
};

} // namespace saker::routing
