// From a request to who answers it: site, path, file. One per loop and configuration; the http::Handler of
// that loop.
//
// The steps, in order (the reference's, made safe): host -> site; the channel (HTTPS, certificates); path
// decoded and normalised; depth and length limits; the site's routes; UrlAlias; what is never served; the
// index; a directory's slash and its index document; LoopFindEndpoint; listing; 404.
#pragma once

#include "http/handler.h"
#include "routing/content_handler.h"
#include "routing/route_handler.h"
#include "routing/script_handler.h"
#include "routing/site_table.h"

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace saker::routing {

struct DispatchRules {
    std::uint32_t maxDirDepth = 0;       ///< names in a path; 0: no limit
    std::uint32_t maxFilePathLength = 0; ///< bytes of a path; 0: no limit
    /// Local port of plain HTTP -> port that HTTPS requests for the same address go to. Without an entry
    /// there is nowhere to lead to.
    std::unordered_map<std::uint16_t, std::uint16_t> securePorts;
    /// Some site asks for certificates of clients: each request has to be on a connection of its site's
    /// rules.
    bool hasClientPolicies = false;
    http::TrustedProxies trustedProxies;
    /// "host/path" (host folded and aliased, path without a slash behind) -> path with a slash in front.
    std::unordered_map<std::string, std::string> urlAlias;
};

class Dispatcher final : public http::Handler, public ErrorResponder {
public:
    Dispatcher(std::shared_ptr<const SiteTable> sites, std::shared_ptr<const DispatchRules> rules);
    /// Before the first request.
    void setContent(ContentHandler& content) { content_ = &content; }
    /// Files with this extension (lower case) are programs, from now on. The handler outlives this.
    void setScript(std::string extension, ScriptHandler& handler);
    /// A path of a site, decoded and normalised ("api/v1"), that somebody else answers for, and all below it.
    struct Route {
        std::string path;
        RouteHandler* handler; ///< outlives this
    };
    /// Before the first request.
    void setRoutes(const Site& site, std::vector<Route> routes);
    /// This loop's channels of the sites that have access logs of their own (null: the site keeps none).
    /// Outlive this.
    using SiteLogs = std::unordered_map<const Site*, observe::AccessLog::Channel*>;
    void setSiteLogs(SiteLogs logs) { siteLogs_ = std::move(logs); }

    void handle(http::Exchange& exchange) override;
    Page errorPage(int status, std::string_view sentence) override;

    void fail(http::Exchange& exchange, const std::shared_ptr<const Site>& site, int status,
              std::string_view detail) override;
    void failPlainly(http::Exchange& exchange, const std::shared_ptr<const Site>& site, int status,
                     std::string_view detail) override;

private:
    struct HostEntry {
        std::shared_ptr<const Site> site;
        observe::AccessLog::Channel* log = nullptr;
        bool hasOwnLog = false;
        const std::vector<Route>* routes = nullptr; // null: none
        bool caresForTls = false;                   // over which channel a request comes makes a difference
        Ref<StringBlock> strictTransport;           // null: not sent
        std::uint64_t generation = 0;
    };
    struct HostHash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const;
    };

    const HostEntry& entryOf(std::string_view authority);
    /// Longer than MaxDirDepth or MaxFilePathLength allow: answered then.
    bool isTooLong(http::Exchange& exchange, const std::shared_ptr<const Site>& site,
                   const http::NormalPath& path);
    /// False when no route is for the path.
    bool followRoute(http::Exchange& exchange, const HostEntry& entry);
    /// False when the channel is not one that the site is served over: answered then.
    bool admits(http::Exchange& exchange, const HostEntry& entry);
    void leadToHttps(http::Exchange& exchange, const Site& site, std::uint16_t port);
    void answerOptions(http::Exchange& exchange, const std::shared_ptr<const Site>& site);
    /// The path below the index's root: the site's folder and the path, in scratch space.
    std::string_view indexPath(const Site& site, std::string_view path);
    void setStored(const FileIndex& index, const IndexDirectory& directory, std::string_view name);
    /// Null when the file is no program.
    ScriptHandler* scriptOf(const FileIndex& index, const FileFacts& file) const;
    /// A program is run; a file is sent, if the method is one for files.
    Ref<RefCounted> serveFile(http::Exchange& exchange, const std::shared_ptr<const Site>& site,
                              const Found& found, std::uint64_t generation, std::string_view pathInfo = {});
    /// Nothing that was found takes the request's method.
    void refuseMethod(http::Exchange& exchange, const std::shared_ptr<const Site>& site);
    /// An index document or a listing; false when the directory has neither.
    bool serveDirectory(http::Exchange& exchange, const std::shared_ptr<const Site>& site, const Found& found,
                        std::string_view askedPath, std::uint64_t generation,
                        Ref<RefCounted>* what = nullptr);
    bool serveParent(http::Exchange& exchange, const std::shared_ptr<const Site>& site, std::string_view path,
                     std::uint64_t generation);
    void redirect(http::Exchange& exchange, const Site& site, std::string_view path, bool isDirectory);
    void answerWithRedirect(http::Exchange& exchange, const Site& site, int status,
                            std::string_view location);
    Denial judge(const Site& site, std::string_view path);
    std::string_view sitePath(const Site& site, std::string_view indexPath) const;

    std::shared_ptr<const SiteTable> sites_;
    std::shared_ptr<const DispatchRules> rules_;
    struct Recent {
        const Site* site = nullptr; // may be gone: then `what` holds no longer
        std::uint64_t generation = 0;
        std::string path; // as requested, still encoded
        Ref<RefCounted> what;
    };
    Recent& recentOf(const Site& site, std::string_view path);
    void remember(const Site& site, std::string_view path, std::uint64_t generation, Ref<RefCounted> what);

    ContentHandler* content_ = nullptr;
    std::vector<std::pair<std::string, ScriptHandler*>> scripts_; // by extension; few
    std::vector<Recent>
        recents_; // addresses answered lately, by hash; what is asked for most skips all steps
    SiteLogs siteLogs_;
    std::unordered_map<const Site*, std::vector<Route>> routes_; // the longest first
    std::unordered_map<std::string, HostEntry, HostHash, std::equal_to<>> hosts_;
    const std::string* lastHost_ = nullptr; // a key of hosts_
    HostEntry* lastEntry_ = nullptr;
    // Scratch space, kept for its capacity.
    std::string decoded_;
    std::string lookup_;
    std::string folded_;
    std::string stored_;
};

} // namespace saker::routing
