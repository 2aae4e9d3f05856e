// Which site a host belongs to (seed: a folder per domain). In this order: FilterFromDomain, DomainAlias, a
// site's own aliases, a configured site, a folder of that name, the default site. One per configuration; read
// by all loops.
#pragma once

#include "base/result.h"
#include "routing/site.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace saker::routing {

class SiteTable {
public:
    struct Options {
        std::string filterFrom; ///< "": off
        std::string filterTo;
        std::unordered_map<std::string, std::string> domainAlias; ///< both sides folded, ports stripped
        std::unordered_map<std::string, std::string> siteAlias;   ///< alias -> name of a configured site
        std::string defaultSite;                                  ///< "": "localhost", else the only one
        std::unordered_map<std::string, std::shared_ptr<const Site>> sites; ///< configured ones
        /// Where folders are sites; null: none are.
        std::shared_ptr<ContentRoot> folders;
        /// Rules of sites that are only folders.
        std::shared_ptr<const SiteRules> folderRules;
        /// Every host is this site (WWWdir); null: off.
        std::shared_ptr<const Site> everything;
        std::function<std::shared_ptr<observe::SiteMetrics>(std::string_view name)> metrics;
    };

    explicit SiteTable(Options options);

    struct Answer {
        std::shared_ptr<const Site> site; ///< null: no site for that host
        bool isDefault = false;           ///< nobody has that host, the default site answers
    };
    /// `authority`: as in the request, with port. The answer may change with indexGeneration(). Takes a lock
    /// and makes strings: loops remember answers. REQUIRES: a Quiescence::Reader of the folders' index,
    /// online.
    Answer find(std::string_view authority) const;
    /// Grows when folders appear or vanish (and with every other change).
    std::uint64_t indexGeneration() const;

    /// The host after filter and alias: what scripts see. "" when it is no host.
    std::string canonicalHost(std::string_view authority) const;

    /// FilterFromDomain applied to a folded host.
    static std::string filtered(std::string_view host, std::string_view from, std::string_view to);
    /// A host of the configuration as requests find it: port stripped, folded, filtered. The text itself
    /// where it is no host.
    static std::string hostKey(std::string_view text, std::string_view from, std::string_view to);

private:
    std::shared_ptr<const Site> named(const std::string& name) const;
    std::shared_ptr<const Site> folderSite(std::string_view name) const;
    std::shared_ptr<const Site> defaultSite() const;

    Options options_;
    mutable std::mutex mutex_;
    mutable std::unordered_map<std::string, std::shared_ptr<const Site>> folderSites_; // by stored name
};

} // namespace saker::routing
