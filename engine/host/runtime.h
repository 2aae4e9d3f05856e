// The immutable graph of one configuration, shared by all loops: sites, rules, limits. A reload builds a new
// one beside it; the old one dies with the last exchange that began under it.
#pragma once

#include "host/engine_options.h"
#include "host/log_pool.h"
#include "http/connection_settings.h"
#include "observe/metrics.h"
#include "routing/dispatcher.h"
#include "routing/site_table.h"
#include "tls/tls_context.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace saker::host {

/// The content roots in use, by what they were opened with: they outlive configurations. One thread at a
/// time.
class RootPool {
public:
    using Progress = std::function<void(const routing::FileIndex::Progress&)>;

    /// The root for these options: the living one, else a new one, indexed and watched.
    Result<std::shared_ptr<routing::ContentRoot>> acquire(const routing::IndexOptions& options,
                                                          const Progress& progress);

private:
    std::map<std::string, std::weak_ptr<routing::ContentRoot>> roots_;
};

struct Runtime {
    EngineOptions options;
    std::shared_ptr<const routing::SiteTable> sites;
    std::shared_ptr<const routing::DispatchRules> dispatch;
    /// All roots that its sites lie in; the first is where the console's index commands look.
    std::vector<std::shared_ptr<routing::ContentRoot>> roots;
    /// By the host as it is looked up; those that have never been right are not among them.
    std::map<std::string, std::shared_ptr<const routing::Site>> configuredSites;
    std::map<std::string, std::string> siteAliases; ///< other host -> key of configuredSites
    std::shared_ptr<observe::AccessLog> accessLog;  ///< of sites without one of their own; may be null
    std::map<const routing::Site*, std::shared_ptr<observe::AccessLog>>
        siteLogs; ///< null: that site keeps none
    /// What its sites ask of clients' certificates, by ClientPolicy::id().
    std::map<std::uint64_t, std::shared_ptr<const tls::ClientPolicy>> clientPolicies;
    std::shared_ptr<const tls::TlsContext> tls; ///< null: no HTTPS
    std::vector<std::string> warnings;          ///< what the administrator should know
    std::vector<std::string> keptSites;         ///< "name: reason" of sites that go on with an older version
};

/// What HTTPS takes beyond the configuration; outlives it.
struct SecureParts {
    std::shared_ptr<tls::CredentialSource> credentials; ///< null: no HTTPS
    std::shared_ptr<tls::SessionTickets> tickets;
    /// Port of plain HTTP -> port that HTTPS for the same address goes to.
    std::unordered_map<std::uint16_t, std::uint16_t> securePorts;
};

/// What a Runtime is made with.
struct RuntimeParts {
    RootPool& roots;
    LogPool& logs;
    observe::Metrics& metrics;
    RootPool::Progress progress; ///< while folders are indexed
    SecureParts secure = {};
};

/// `options`: checked, paths absolute. `previous` may be null: where broken sites take their last good
/// version from.
Result<std::shared_ptr<const Runtime>> buildRuntime(EngineOptions options, const Runtime* previous,
                                                    RuntimeParts parts);

/// Limits and time-outs in the form connections use; handler and owner are left empty.
void applyHttpOptions(const http::HttpOptions& options, http::ConnectionSettings& settings);

} // namespace saker::host
