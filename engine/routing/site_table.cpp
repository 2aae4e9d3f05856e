#include "routing/site_table.h"

#include "base/text.h"
#include "http/authority.h"

namespace saker::routing {

SiteTable::SiteTable(Options options) : options_(std::move(options)) {}

std::string SiteTable::filtered(std::string_view host, std::string_view from, std::string_view to) {
    if (from.empty()) {
        return std::string(host);
    }
    std::string out;
    for (;;) {
        std::size_t at = host.find(from);
        out += host.substr(0, at);
        if (at == std::string_view::npos) {
            return out;
        }
        out += to;
        host.remove_prefix(at + from.size());
    }
}

std::string SiteTable::hostKey(std::string_view text, std::string_view from, std::string_view to) {
    std::string scratch;
    auto parts = http::splitAuthority(text);
    return filtered(http::foldHost(parts ? parts->host : text, scratch), from, to);
}

std::string SiteTable::canonicalHost(std::string_view authority) const {
    auto parts = http::splitAuthority(authority);
    if (!parts) {
        return {};
    }
    std::string scratch;
    std::string host = filtered(http::foldHost(parts->host, scratch), options_.filterFrom, options_.filterTo);
    auto alias = options_.domainAlias.find(host); // one step, no chains
    return alias == options_.domainAlias.end() ? host : alias->second;
}

SiteTable::Answer SiteTable::find(std::string_view authority) const {
    if (options_.everything) {
        return {options_.everything, false};
    }
    std::string host = canonicalHost(authority);
    if (!host.empty()) {
        if (auto site = named(host)) {
            return {site, false};
        }
    }
    return {defaultSite(), true};
}

std::uint64_t SiteTable::indexGeneration() const {
    return options_.folders ? options_.folders->index.generation() : 0;
}

std::shared_ptr<const Site> SiteTable::named(const std::string& name) const {
    auto alias = options_.siteAlias.find(name);
    auto site = options_.sites.find(alias == options_.siteAlias.end() ? name : alias->second);
    return site == options_.sites.end() ? folderSite(name) : site->second;
}

/// The site of a folder directly below BackendDir. A host can name no other folder: it holds no slash, and
/// names with a dot in front are not sites.
std::shared_ptr<const Site> SiteTable::folderSite(std::string_view name) const {
    if (!options_.folders || name.empty() || name.front() == '.' ||
        name.find('/') != std::string_view::npos) {
        return nullptr;
    }
    const FileIndex& index = options_.folders->index;
    Found found = index.find(name, CaseMode::fold);
    if (found.kind != Found::Kind::directory) {
        return nullptr;
    }
    std::string stored(index.pathOf(*found.directory));
    std::lock_guard lock(mutex_);
    std::shared_ptr<const Site>& site = folderSites_[stored];
    if (!site) {
        auto made = std::make_shared<Site>();
        made->name = stored;
        made->folder = stored;
        made->root = options_.folders;
        made->rules = options_.folderRules;
        made->metrics = options_.metrics ? options_.metrics(stored) : nullptr;
        site = std::move(made);
    }
    return site;
}

std::shared_ptr<const Site> SiteTable::defaultSite() const {
    if (!options_.defaultSite.empty()) {
        return named(options_.defaultSite);
    }
    if (auto site = named("localhost")) {
        return site;
    }
    // The only site there is. Hidden folders do not count.
    std::string only;
    std::size_t count = options_.sites.size();
    if (count == 1) {
        only = options_.sites.begin()->first;
    }
    if (options_.folders) {
        const FileIndex& index = options_.folders->index;
        Found root = index.find("", CaseMode::exact);
        if (root.kind == Found::Kind::directory) {
            index.list(
                *root.directory, [](const FileFacts&) {},
                [&](std::string_view name) {
                    if (!name.starts_with('.') && !options_.sites.contains(toLowerAscii(name))) {
                        only = name;
                        ++count;
                    }
                });
        }
    }
    return count == 1 ? named(only) : nullptr;
}

} // namespace saker::routing
