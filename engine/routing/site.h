// One site as one configuration sees it: where its files are and by which rules they are answered. Immutable;
// shared by all loops.
#pragma once

#include "http/compression_level.h"
#include "http/response.h"
#include "observe/site_metrics.h"
#include "routing/access_policy.h"
#include "routing/content_root.h"
#include "routing/file_types.h"
#include "routing/site_options.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace saker::routing {

/// What sites with the same settings share.
struct SiteRules {
    std::vector<std::string> indexPriority;
    bool loopFindEndpoint = false;
    CasePolicy casePolicy = CasePolicy::insensitive;
    bool directoryListing = false;
    std::string phpVersion;                ///< "": the global one
    std::map<int, std::string> errorPages; ///< status -> file, relative to the site's folder
    std::vector<http::ResponseHead::Field> defaultHeaders;
    std::shared_ptr<const FileTypes> fileTypes;
    AccessPolicy access;
    http::CompressionLevel compressionLevel = http::CompressionLevel::optimal;
    bool precompressed = true;
    bool debugPages = false;
    bool debugPagesRemote = false;
    bool httpsRedirect = false;
    std::string strictTransport;    ///< the value of Strict-Transport-Security; "": not sent
    std::uint64_t clientPolicy = 0; ///< the rules for clients' certificates (tls::ClientPolicy::id); 0: none
    bool needsCertificate = false;  ///< of the client: so nothing is served over plain HTTP

    CaseMode caseMode() const {
        return casePolicy == CasePolicy::sensitive ? CaseMode::exact : CaseMode::fold;
    }
    /// For answers of all kinds but errors.
    void addDefaultHeaders(http::ResponseHead& head) const;
    /// For answers that programs and other servers make: nothing about caching, ranges and other origins,
    /// which only they know, and never over what they say themselves.
    void addDynamicHeaders(http::ResponseHead& head) const;
    /// "Server" only, if it is among the default headers: for errors.
    void addServer(http::ResponseHead& head) const;
};

struct Site {
    std::string name;   ///< in logs and metrics
    std::string folder; ///< below the root: "example.com"; "" for the root itself
    bool isEnabled = true;
    std::shared_ptr<ContentRoot> root; ///< null only for one that is not enabled, or has no files but routes
    std::vector<upstream::RouteOptions> routes;
    std::shared_ptr<const SiteRules> rules;
    std::shared_ptr<observe::SiteMetrics> metrics;
};

} // namespace saker::routing
