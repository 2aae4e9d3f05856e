#include "host/settings_check.h"

#include "base/text.h"
#include "os/paths.h"
#include "os/privileges.h"
#include "routing/site_table.h"
#include "schema/pointer.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

namespace saker::host {

namespace {

using Severity = schema::Problem::Severity;

/// What is wrong with a folder that should be there; nothing when it is.
std::optional<std::string> folderTrouble(const std::string& folder) {
    std::error_code error;
    const auto status = std::filesystem::status(folder, error);
    if (std::filesystem::is_directory(status)) {
        return std::nullopt;
    }
    const std::string name = escapeControl(folder);
    if (std::filesystem::exists(status)) {
        return fmt::format("{} is not a folder; name a folder", name);
    }
    if (status.type() != std::filesystem::file_type::not_found) {
        return fmt::format("the folder {} cannot be looked at: {}", name, error.message());
    }
    std::string there = os::parentPath(folder);
    while (there != os::parentPath(there) && !std::filesystem::exists(there, error)) {
        there = os::parentPath(there);
    }
    return fmt::format("the folder {} does not exist (what there is: {}); create it or mend the path", name,
                       escapeControl(there));
}

std::string noSuchSite(std::string_view name) {
    return fmt::format(
        "there is no site \"{}\": neither a folder in BackendDir nor an entry of Sites; make it or "
        "mend the name",
        escapeControl(name));
}

class Check {
public:
    Check(const EngineOptions& options, const EngineOptions& standard, const Overrides& overrides)
        : options_(options), standard_(standard), overrides_(overrides) {
        // Files are written as the user that the server becomes.
        if (!options.process.user.empty() && os::isAdministrator() && os::isKnownUser(options.process.user)) {
            writer_ = options.process.user;
        }
    }

    schema::Problems run() {
        user();
        folders();
        logs();
        for (const auto& [name, site] : options_.routing.sites) {
            if (site.value && site.value->enabled) {
                this->site(name, *site.value);
            }
        }
        if (options_.routing.wwwDir.empty()) {
            domainAliases();
            defaultSite();
        }
        urlAliases();
        return std::move(problems_);
    }

private:
    void say(Severity severity, std::string pointer, std::string message) {
        problems_.push_back({severity, std::move(pointer), 0, 0, std::move(message)});
    }

    void user() {
        const std::string& name = options_.process.user;
        if (!name.empty() && !os::isKnownUser(name)) {
            say(os::isAdministrator() ? Severity::error : Severity::warning, "/User",
                fmt::format("there is no user \"{}\" on this system; create it or name another one",
                            escapeControl(name)));
        }
    }

    /// `option`: of the command line, where the folder was given there.
    void folder(Severity severity, std::string pointer, const std::string& path,
                std::string_view option = {}) {
        if (auto trouble = folderTrouble(path)) {
            say(severity, option.empty() ? std::move(pointer) : std::string(),
                option.empty() ? *trouble : fmt::format("{}: {}", option, *trouble));
        }
    }

    void folders() {
        const auto& routing = options_.routing;
        auto option = [](const std::optional<std::string>& given, std::string_view name) {
            return given ? name : std::string_view();
        };
        if (!routing.backendDir.empty() && isBackendDirGiven(options_, standard_, overrides_)) {
            folder(routing.wwwDir.empty() ? Severity::error : Severity::warning, "/BackendDir",
                   routing.backendDir, option(overrides_.backendDir, "--backend"));
        }
        if (!routing.wwwDir.empty()) {
            folder(Severity::error, "/WWWdir", routing.wwwDir, option(overrides_.webDir, "--webPath"));
        }
        const std::string& certificates = options_.certificates.certDir;
        if (!certificates.empty() && (overrides_.certDir || certificates != standard_.certificates.certDir)) {
            folder(Severity::error, "/CertDir", certificates, option(overrides_.certDir, "--certPath"));
        }
        if (!options_.process.dataDir.empty()) {
            folder(Severity::error, "/DataDir", options_.process.dataDir);
        }
        allowedRoots("/AllowedRoots", routing.allowedRoots);
        for (std::size_t i = 0; i < options_.php.path.size(); ++i) {
            std::error_code ignored; // programs may be named as well
            if (!std::filesystem::exists(options_.php.path[i], ignored)) {
                folder(Severity::warning, schema::joinPointer("/PhpPath", std::to_string(i)),
                       options_.php.path[i]);
            }
        }
    }

    /// A root that is not there permits nothing, and everything else works.
    void allowedRoots(const std::string& pointer, const std::vector<std::string>& roots) {
        for (std::size_t i = 0; i < roots.size(); ++i) {
            folder(Severity::warning, schema::joinPointer(pointer, std::to_string(i)), roots[i]);
        }
    }

    /// A file that is written to, and made when it is not there.
    void writtenFile(Severity severity, std::string pointer, const std::string& file) {
        if (file.empty() || file == "-") {
            return;
        }
        const std::string parent = os::parentPath(file);
        std::error_code error;
        if (auto trouble = folderTrouble(parent)) {
            say(severity, std::move(pointer), *trouble);
        } else if (std::filesystem::is_directory(file, error)) {
            say(severity, std::move(pointer),
                fmt::format("{} is a folder; name a file in it", escapeControl(file)));
        } else if (const bool isThere = std::filesystem::exists(file, error);
                   !os::mayWrite(isThere ? file : parent, writer_)) {
            say(severity, std::move(pointer),
                fmt::format("the user \"{}\" may not {} {}; change its owner or mode, or name another file",
                            writer_.empty() ? os::userName() : writer_,
                            isThere ? "write to" : "make a file in", escapeControl(isThere ? file : parent)));
        }
    }

    void logs() {
        if (options_.log.logging) {
            writtenFile(Severity::error, "/ErrorLogFile", options_.log.errorLogFile);
        }
        accessLog("/AccessLog", options_.log.accessLog.file);
        if (!options_.listen.httpsPorts.empty()) {
            writtenFile(Severity::error, "/TlsKeyLogFile", options_.tls.keyLogFile);
        }
        writtenFile(Severity::warning, "/PidFile", options_.process.pidFile);
    }

    void accessLog(const std::string& pointer, const std::string& file) {
        writtenFile(Severity::error, pointer, file);
    }

    void site(const std::string& name, const routing::SiteOptions& site) {
        const std::string pointer = schema::joinPointer("/Sites", name);
        if (!options_.routing.wwwDir.empty()) {
            return; // no site of its own is served
        }
        if (!site.root.empty()) {
            folder(Severity::error, pointer + "/Root", site.root);
        } else if (site.routes.empty() && !options_.routing.backendDir.empty() && !hasFolder(name) &&
                   !hasFolder(hostKey(name))) {
            say(Severity::warning, pointer,
                fmt::format("there is no folder \"{}\" in BackendDir; make it, or name one as its Root",
                            escapeControl(name)));
        }
        allowedRoots(pointer + "/AllowedRoots", site.allowedRoots.value_or(std::vector<std::string>()));
        if (site.accessLog) {
            accessLog(pointer + "/AccessLog", site.accessLog->file);
        }
        routes(pointer + "/Routes", site.routes);
        const auto& clients = site.clientCertificates;
        std::error_code error;
        if (clients.mode != routing::ClientCertificateMode::none &&
            !std::filesystem::is_regular_file(clients.caFile, error)) {
            say(Severity::error, pointer + "/ClientCertificates/CaFile",
                fmt::format("there is no file {}; create it or mend the path",
                            escapeControl(clients.caFile)));
        }
    }

    void routes(const std::string& pointer, const std::vector<upstream::RouteOptions>& routes) {
        for (std::size_t i = 0; i < routes.size() && options_.forward.forceTLS; ++i) {
            for (std::size_t j = 0; j < routes[i].proxy.size(); ++j) {
                if (upstream::isPlainElsewhere(routes[i].proxy[j].url)) {
                    say(Severity::error, fmt::format("{}/{}/Proxy/{}", pointer, i, j),
                        fmt::format("ForceTLS is on, so \"{}\" has to be an https:// address, or one of this "
                                    "machine such as http://127.0.0.1:3000",
                                    escapeControl(routes[i].proxy[j].url)));
                }
            }
        }
    }

    /// A host as requests find it, before aliases.
    std::string hostKey(std::string_view text) const {
        return routing::SiteTable::hostKey(text, options_.routing.filterFromDomain,
                                           options_.routing.domainFilterTo);
    }

    /// Whether BackendDir has a folder for the host.
    bool hasFolder(const std::string& host) const {
        const std::string& folder = options_.routing.backendDir;
        std::error_code error;
        if (folder.empty() || (!isBackendDirGiven(options_, standard_, overrides_) &&
                               !std::filesystem::exists(folder, error))) {
            return host == "localhost"; // the sample site that will be made
        }
        for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
             entry.increment(error)) {
            std::error_code ignored;
            if (equalsIgnoreCase(entry->path().filename().string(), host) && entry->is_directory(ignored)) {
                return true;
            }
        }
        return false;
    }

    /// Whether requests for the host, aliases of DomainAlias aside, are served by a site of its name.
    bool isSite(const std::string& host) const {
        for (const auto& [name, site] : options_.routing.sites) {
            if (hostKey(name) == host) {
                return true;
            }
            for (const std::string& alias : site.value ? site.value->aliases : std::vector<std::string>()) {
                if (hostKey(alias) == host) {
                    return true;
                }
            }
        }
        return hasFolder(host);
    }

    void defaultSite() {
        const std::string& name = options_.routing.defaultSite;
        if (!name.empty() && !isSite(hostKey(name))) {
            say(Severity::warning, "/DefaultSite", noSuchSite(name));
        }
    }

    void domainAliases() {
        const auto& aliases = options_.routing.domainAlias;
        const auto& usual = standard_.routing.domainAlias;
        for (const auto& alias : aliases) {
            const std::string to = hostKey(alias.second);
            if (std::find(usual.begin(), usual.end(), alias) != usual.end() || isSite(to)) {
                continue;
            }
            auto further = std::find_if(aliases.begin(), aliases.end(), [&](const auto& other) {
                return &other != &alias && hostKey(other.first) == to;
            });
            say(Severity::warning, schema::joinPointer("/DomainAlias", alias.first),
                further == aliases.end()
                    ? noSuchSite(alias.second)
                    : fmt::format("\"{}\" is an alias itself, and aliases are followed for one step only; "
                                  "write \"{}\"",
                                  escapeControl(alias.second), escapeControl(further->second)));
        }
    }

    /// Requests are matched by the host that DomainAlias has led to.
    void urlAliases() {
        for (const auto& [from, to] : options_.routing.urlAlias) {
            const auto slash = from.find('/');
            const std::string host = hostKey(std::string_view(from).substr(0, slash));
            for (const auto& [alias, target] : options_.routing.domainAlias) {
                if (slash != std::string::npos && !host.empty() && hostKey(alias) == host &&
                    hostKey(target) != host) {
                    say(Severity::warning, schema::joinPointer("/UrlAlias", from),
                        fmt::format(
                            "never matches, because DomainAlias turns \"{}\" into \"{}\" first; write "
                            "\"{}{}\"",
                            escapeControl(host), escapeControl(target), escapeControl(target),
                            escapeControl(std::string_view(from).substr(slash))));
                    break;
                }
            }
        }
    }

    const EngineOptions& options_;
    const EngineOptions& standard_;
    const Overrides& overrides_;
    std::string writer_; ///< of logs; "": who we are
    schema::Problems problems_;
};

} // namespace

schema::Problems checkSettings(const EngineOptions& options, const EngineOptions& standard,
                               const Overrides& overrides) {
    return Check(options, standard, overrides).run();
}

bool isBackendDirGiven(const EngineOptions& options, const EngineOptions& standard,
                       const Overrides& overrides) {
    return overrides.backendDir.has_value() || options.routing.backendDir != standard.routing.backendDir;
}

} // namespace saker::host
