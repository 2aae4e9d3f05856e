#include "host/runtime.h"

#include "support/temp_folder.h"
#include "support/test_credentials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace saker::host {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class RuntimeTest : public testing::Test {
protected:
    RuntimeTest() {
        options_.routing.backendDir = folder_.at("www");
        folder_.makeFolder("www");
    }

    std::shared_ptr<const Runtime> build(const Runtime* previous = nullptr) {
        auto built = buildRuntime(options_, previous, {roots_, logs_, metrics_, {}, secure_});
        EXPECT_TRUE(built) << built.error().text();
        return built ? *built : nullptr;
    }
    void setSite(const std::string& name, std::optional<routing::SiteOptions> site) {
        schema::Isolated<routing::SiteOptions> isolated;
        isolated.value = std::move(site);
        if (!isolated.value) {
            isolated.problems.push_back(schema::Problem{});
            isolated.problems.back().message = "it is wrong";
        }
        for (auto& [known, value] : options_.routing.sites) {
            if (known == name) {
                value = std::move(isolated);
                return;
            }
        }
        options_.routing.sites.emplace_back(name, std::move(isolated));
    }
    /// The site's name, a star for the default one, a minus for one that is off.
    static std::string find(const Runtime& runtime, std::string_view host) {
        std::vector<std::unique_ptr<routing::Quiescence::Reader>> readers;
        for (const auto& root : runtime.roots) {
            readers.push_back(std::make_unique<routing::Quiescence::Reader>(root->index.quiescence()));
        }
        auto answer = runtime.sites->find(host);
        return answer.site
                   ? answer.site->name + (answer.isDefault ? "*" : "") + (answer.site->isEnabled ? "" : "-")
                   : std::string();
    }
    static std::shared_ptr<const routing::Site> site(const Runtime& runtime, const std::string& key) {
        auto found = runtime.configuredSites.find(key);
        return found == runtime.configuredSites.end() ? nullptr : found->second;
    }

    test::TempFolder folder_;
    EngineOptions options_;
    RootPool roots_;
    LogPool logs_;
    observe::Metrics metrics_;
    SecureParts secure_;
};

// ---- roots ----

TEST_F(RuntimeTest, RootsAreSharedByWhatTheyWereOpenedWith) {
    routing::IndexOptions options;
    options.root = folder_.at("www");
    auto one = roots_.acquire(options, {});
    auto two = roots_.acquire(options, {});
    ASSERT_TRUE(one && two);
    EXPECT_EQ(*one, *two);
    options.links = routing::IndexOptions::Links::never;
    EXPECT_NE(*roots_.acquire(options, {}), *one);
    options.links = routing::IndexOptions::Links::inside;
    options.extraRoots = {folder_.at("more")};
    EXPECT_NE(*roots_.acquire(options, {}), *one);
}

TEST_F(RuntimeTest, NoNameOfAFolderIsTakenForTwo) {
    folder_.makeFolder("a");
    folder_.makeFolder("a|b");
    routing::IndexOptions one, two;
    one.root = folder_.at("a");
    one.extraRoots = {"b"};
    two.root = folder_.at("a") + "|b";
    auto first = roots_.acquire(one, {});
    auto second = roots_.acquire(two, {});
    ASSERT_TRUE(first && second);
    EXPECT_NE(*first, *second);
}

TEST_F(RuntimeTest, AMissingFolderIsAnError) {
    options_.routing.backendDir = folder_.at("www/");
    auto runtime = build();
    ASSERT_TRUE(runtime);
    EXPECT_EQ(runtime->roots[0]->options.root, folder_.at("www")) << "without the slash behind";
    folder_.write("file", "x");
    for (const char* name : {"none", "file"}) {
        options_.routing.backendDir = folder_.at(name);
        auto built = buildRuntime(options_, nullptr, {roots_, logs_, metrics_, {}});
        ASSERT_FALSE(built) << name;
        EXPECT_THAT(built.error().text(), HasSubstr(folder_.at(name)));
    }
    EXPECT_FALSE(std::filesystem::exists(folder_.at("none"))) << "a mistyped name makes no folder";
}

TEST_F(RuntimeTest, AReloadIndexesNothingAgain) {
    folder_.write("www/a.com/x.txt");
    auto first = build();
    auto second = build(first.get());
    EXPECT_EQ(first->roots, second->roots);
    std::weak_ptr<routing::ContentRoot> watch = first->roots[0];
    first.reset();
    second.reset();
    EXPECT_TRUE(watch.expired()) << "nobody needs it any more";
}

TEST_F(RuntimeTest, SaysHowFarIndexingHasCome) {
    folder_.write("www/a.com/x.txt");
    std::uint64_t files = 0;
    auto built = buildRuntime(options_, nullptr,
                              {roots_, logs_, metrics_, [&](const routing::FileIndex::Progress& progress) {
                                   files = progress.files;
                               }});
    ASSERT_TRUE(built);
    EXPECT_EQ(files, 1u);
}

// ---- sites ----

TEST_F(RuntimeTest, OneFolderForEveryHost) {
    folder_.write("static/x.txt");
    options_.routing.wwwDir = folder_.at("static");
    setSite("a.com", routing::SiteOptions{});
    auto runtime = build();
    EXPECT_EQ(find(*runtime, "whoever"), "static");
    EXPECT_EQ(find(*runtime, "a.com"), "static") << "Sites is not looked at";
    EXPECT_THAT(runtime->roots, SizeIs(1));
}

TEST_F(RuntimeTest, FoldersAndConfiguredSites) {
    folder_.write("www/a.com/x.txt");
    folder_.write("www/Shop.com/x.txt");
    folder_.write("elsewhere/x.txt");
    routing::SiteOptions own;
    own.root = folder_.at("elsewhere");
    own.aliases = {"ALIAS.com:80"};
    setSite("Own.com", own);
    setSite("shop.com", routing::SiteOptions{});
    routing::SiteOptions off;
    off.enabled = false;
    setSite("off.com", off);
    auto runtime = build();
    EXPECT_EQ(find(*runtime, "a.com"), "a.com");
    EXPECT_EQ(find(*runtime, "own.com"), "Own.com");
    EXPECT_EQ(find(*runtime, "alias.com"), "Own.com");
    EXPECT_EQ(find(*runtime, "off.com"), "off.com-");
    EXPECT_EQ(site(*runtime, "own.com")->folder, "");
    EXPECT_EQ(site(*runtime, "own.com")->root->options.root, folder_.at("elsewhere"));
    EXPECT_EQ(site(*runtime, "shop.com")->folder, "Shop.com")
        << "as on the disk: a site may tell cases apart";
    EXPECT_THAT(runtime->roots, SizeIs(2));
    EXPECT_EQ(runtime->roots[0]->options.root, folder_.at("www")) << "what the console's commands are about";
}

TEST_F(RuntimeTest, ASitesNameIsItsOwn) {
    folder_.write("www/a.com/x.txt");
    folder_.write("www/b.com/x.txt");
    folder_.write("www/c.com/x.txt");
    routing::SiteOptions greedy;
    greedy.aliases = {"b.com", "shared.com"};
    setSite("a.com", greedy);
    setSite("b.com", routing::SiteOptions{});
    greedy.aliases = {"shared.com"};
    setSite("c.com", greedy);
    auto runtime = build();
    EXPECT_EQ(find(*runtime, "b.com"), "b.com");
    EXPECT_EQ(find(*runtime, "shared.com"), "a.com") << "the first one to claim it keeps it";
}

TEST_F(RuntimeTest, HostsAreFilteredEverywhere) {
    folder_.write("www/examplecom/x.txt");
    folder_.write("www/othercom/x.txt");
    options_.routing.filterFromDomain = ".";
    options_.routing.domainAlias = {{"www.other.com", "other.com"}};
    options_.routing.defaultSite = "other.com";
    routing::SiteOptions site;
    site.aliases = {"alias.org"};
    setSite("example.com", site);
    auto runtime = build();
    EXPECT_EQ(find(*runtime, "example.com"), "example.com");
    EXPECT_EQ(find(*runtime, "alias.org"), "example.com");
    EXPECT_EQ(find(*runtime, "www.other.com:80"), "othercom");
    EXPECT_EQ(find(*runtime, "unknown"), "othercom*");
    EXPECT_EQ(this->site(*runtime, "examplecom")->folder, "examplecom");
}

TEST_F(RuntimeTest, ASiteWithRulesOfItsOwn) {
    folder_.write("www/a.com/x.txt");
    options_.routing.indexPriority = {"index.html"};
    options_.routing.errorPages = {{"404", "global.html"}};
    options_.staticFiles.defaultHeaders = {{"X-Global", "1"}};
    routing::SiteOptions own;
    own.indexPriority = std::vector<std::string>{"start.html"};
    own.loopFindEndpoint = true;
    own.casePolicy = routing::CasePolicy::sensitive;
    own.directoryListing = true;
    own.errorPages = schema::OrderedMap<std::string>{{"403", "own.html"}};
    own.defaultHeaders = schema::OrderedMap<std::string>{{"X-Own", "1"}};
    own.compressionLevel = http::CompressionLevel::fastest;
    own.extTypes = schema::OrderedMap<std::vector<std::string>>{{"foo", {"Content-Type: a/b"}}};
    own.downloadIfExtension = std::vector<std::string>{"bar"};
    setSite("a.com", own);
    setSite("b.com", routing::SiteOptions{});
    auto runtime = build();
    const routing::SiteRules& mine = *site(*runtime, "a.com")->rules;
    EXPECT_THAT(mine.indexPriority, ElementsAre("start.html"));
    EXPECT_TRUE(mine.loopFindEndpoint);
    EXPECT_EQ(mine.casePolicy, routing::CasePolicy::sensitive);
    EXPECT_TRUE(mine.directoryListing);
    EXPECT_THAT(mine.errorPages, ElementsAre(testing::Pair(403, "own.html")));
    ASSERT_THAT(mine.defaultHeaders, SizeIs(1));
    EXPECT_EQ(mine.defaultHeaders[0].name, "X-Own");
    EXPECT_EQ(mine.compressionLevel, http::CompressionLevel::fastest);
    EXPECT_EQ(mine.fileTypes->find("foo").contentType, "a/b");
    EXPECT_TRUE(mine.fileTypes->find("bar").isDownload);
    EXPECT_FALSE(mine.fileTypes->find("zip").isDownload) << "the whole list is replaced";
    const routing::SiteRules& common = *site(*runtime, "b.com")->rules;
    EXPECT_THAT(common.indexPriority, ElementsAre("index.html"));
    EXPECT_FALSE(common.loopFindEndpoint);
    EXPECT_THAT(common.errorPages, ElementsAre(testing::Pair(404, "global.html")));
    EXPECT_EQ(common.defaultHeaders[0].name, "X-Global");
    EXPECT_TRUE(common.access.allows("index.php")) << "it is run";
    EXPECT_FALSE(common.access.allows("index._cs")) << "its handler is not active";
}

TEST_F(RuntimeTest, LinksOfItsOwnMakeARootOfItsOwn) {
    folder_.write("www/Shop.com/x.txt");
    routing::SiteOptions own;
    own.followSymlinks = routing::FollowSymlinks::always;
    setSite("shop.com", own);
    auto runtime = build();
    EXPECT_EQ(site(*runtime, "shop.com")->root->options.root, folder_.at("www/Shop.com"));
    EXPECT_EQ(site(*runtime, "shop.com")->root->options.links, routing::IndexOptions::Links::follow);
    EXPECT_EQ(site(*runtime, "shop.com")->folder, "");
    EXPECT_FALSE(std::filesystem::exists(folder_.at("www/shop.com"))) << "no second folder beside it";
}

TEST_F(RuntimeTest, WithoutBackendDirASiteNeedsARoot) {
    options_.routing.backendDir.clear();
    folder_.write("elsewhere/x.txt");
    routing::SiteOptions own;
    own.root = folder_.at("elsewhere");
    setSite("own.com", own);
    setSite("lost.com", routing::SiteOptions{});
    routing::SiteOptions links;
    links.followSymlinks = routing::FollowSymlinks::always;
    setSite("saker-test-links.com", links);
    auto runtime = build();
    EXPECT_EQ(find(*runtime, "own.com"), "own.com");
    EXPECT_EQ(find(*runtime, "lost.com"), "lost.com-");
    EXPECT_EQ(find(*runtime, "saker-test-links.com"), "saker-test-links.com-");
    EXPECT_THAT(runtime->warnings, ElementsAre(HasSubstr("no Root"), HasSubstr("no Root")));
    EXPECT_FALSE(std::filesystem::exists("/saker-test-links.com"));
}

// ---- sites that are broken ----

TEST_F(RuntimeTest, ASiteThatIsBrokenFromTheStartIsOff) {
    folder_.write("www/a.com/x.txt");
    folder_.write("www/b.com/x.txt");
    setSite("a.com", std::nullopt);
    auto runtime = build();
    EXPECT_EQ(find(*runtime, "a.com"), "a.com-");
    EXPECT_EQ(find(*runtime, "b.com"), "b.com") << "all others are served";
    EXPECT_THAT(runtime->warnings, ElementsAre(HasSubstr("\"a.com\" is not served")));
    EXPECT_THAT(runtime->keptSites, IsEmpty());
    auto next = build(runtime.get());
    EXPECT_EQ(find(*next, "a.com"), "a.com-");
    EXPECT_THAT(next->keptSites, IsEmpty()) << "there is no good version that could be kept";
    EXPECT_THAT(next->warnings, SizeIs(1));
    setSite("a.com", routing::SiteOptions{});
    EXPECT_EQ(find(*build(next.get()), "a.com"), "a.com");
}

TEST_F(RuntimeTest, ABrokenSiteKeepsItsLastGoodVersion) {
    folder_.write("www/b.com/x.txt");
    folder_.write("elsewhere/x.txt");
    routing::SiteOptions own;
    own.root = folder_.at("elsewhere");
    own.aliases = {"alias.com"};
    own.directoryListing = true;
    own.accessLog = observe::AccessLogOptions{};
    own.accessLog->file = folder_.at("own.log");
    setSite("a.com", own);
    auto runtime = build();
    auto good = site(*runtime, "a.com");
    auto log = runtime->siteLogs.at(good.get());
    ASSERT_TRUE(log);
    setSite("a.com", std::nullopt);
    for (int round = 0; round < 2; ++round) {
        runtime = build(runtime.get());
        EXPECT_EQ(site(*runtime, "a.com"), good) << round;
        EXPECT_EQ(find(*runtime, "a.com"), "a.com");
        EXPECT_EQ(find(*runtime, "alias.com"), "a.com") << "under its other names too";
        EXPECT_EQ(runtime->siteLogs.at(good.get()), log);
        EXPECT_THAT(runtime->keptSites, ElementsAre(HasSubstr("a.com: ")));
        EXPECT_THAT(runtime->roots, testing::Contains(good->root)) << "the loops have to read its index";
        EXPECT_THAT(runtime->warnings, IsEmpty());
    }
    setSite("a.com", routing::SiteOptions{});
    runtime = build(runtime.get());
    EXPECT_NE(site(*runtime, "a.com"), good);
    EXPECT_EQ(find(*runtime, "alias.com"), "") << "it is no alias any more";
}

TEST_F(RuntimeTest, AFolderOrLogThatCannotBeHadBreaksTheSiteOnly) {
    folder_.write("file", "x");
    folder_.write("www/b.com/x.txt");
    routing::SiteOptions own;
    own.root = folder_.at("file");
    setSite("a.com", own);
    routing::SiteOptions logs;
    logs.accessLog = observe::AccessLogOptions{};
    logs.accessLog->file = folder_.at("file/x.log");
    setSite("b.com", logs);
    auto runtime = build();
    EXPECT_EQ(find(*runtime, "a.com"), "a.com-");
    EXPECT_EQ(find(*runtime, "b.com"), "b.com-");
    EXPECT_THAT(runtime->warnings, SizeIs(2));
}

// ---- logs, aliases, limits ----

TEST_F(RuntimeTest, LogsAreShared) {
    options_.log.accessLog.file = folder_.at("access.log");
    routing::SiteOptions same, none;
    same.accessLog = options_.log.accessLog;
    none.accessLog = observe::AccessLogOptions{};
    setSite("a.com", same);
    setSite("b.com", none);
    auto runtime = build();
    ASSERT_TRUE(runtime->accessLog);
    EXPECT_EQ(runtime->siteLogs.at(site(*runtime, "a.com").get()), runtime->accessLog);
    EXPECT_EQ(runtime->siteLogs.at(site(*runtime, "b.com").get()), nullptr) << "this site keeps none";
    EXPECT_EQ(build(runtime.get())->accessLog, runtime->accessLog);
    folder_.write("file", "x");
    options_.log.accessLog.file = folder_.at("file/x.log");
    EXPECT_FALSE(buildRuntime(options_, runtime.get(), {roots_, logs_, metrics_, {}}));
}

TEST_F(RuntimeTest, UrlAliasesAreNormalised) {
    options_.routing.urlAlias = {{"Example.com:80/a//b/../c/", "/to"},
                                 {"example.com/%41", "to/it"},
                                 {"example.com/", "/start"},
                                 {"example.com", "/never"},
                                 {"example.com/%zz", "/never"}};
    auto runtime = build();
    EXPECT_THAT(runtime->dispatch->urlAlias,
                testing::UnorderedElementsAre(testing::Pair("example.com/a/c", "/to"),
                                              testing::Pair("example.com/A", "/to/it"),
                                              testing::Pair("example.com/", "/start")));
    EXPECT_THAT(runtime->warnings, ElementsAre(HasSubstr("has no path"), HasSubstr("is no path")));
}

TEST_F(RuntimeTest, LimitsAsConnectionsUseThem) {
    http::HttpOptions options;
    options.maxRequestLineSize = 1000;
    options.maxRequestHeadersSize = 2000;
    options.maxRequestHeaderCount = 1000;
    options.maxRequestBodySize = 1ull << 40;
    options.keepAliveTimeout = std::chrono::seconds(7);
    options.requestHeadersTimeout = std::chrono::seconds(8);
    options.requestTimeout = std::chrono::seconds(0);
    options.gracePeriod = std::chrono::seconds(9);
    options.bytesPerSecond = 0.5;
    options.slowClientBlockSeconds = std::chrono::seconds(10);
    http::ConnectionSettings settings;
    applyHttpOptions(options, settings);
    EXPECT_EQ(settings.limits.maxLine, 1000u);
    EXPECT_EQ(settings.limits.maxHead, 3000u);
    EXPECT_EQ(settings.limits.maxFields, http::RequestHead::kMaxFields);
    EXPECT_EQ(settings.maxBody, 1ull << 40);
    EXPECT_EQ(settings.keepAliveTimeout, 7000u);
    EXPECT_EQ(settings.headTimeout, 8000u);
    EXPECT_EQ(settings.requestTimeout, 0u);
    EXPECT_EQ(settings.gracePeriod, 9000u);
    EXPECT_EQ(settings.minRate, 0.5);
    EXPECT_EQ(settings.slowClientBlock, 10'000u);
}

// ---- HTTPS ----

TEST_F(RuntimeTest, HasNoTlsWithoutCertificates) {
    EXPECT_EQ(build()->tls, nullptr);
    secure_.credentials = std::make_shared<test::FixedSource>();
    secure_.tickets = std::make_shared<tls::SessionTickets>(std::chrono::hours(1));
    EXPECT_NE(build()->tls, nullptr);
    options_.tls.ciphers = "NONSENSE";
    auto failed = buildRuntime(options_, nullptr, {roots_, logs_, metrics_, {}, secure_});
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().where, "TlsCiphers");
}

TEST_F(RuntimeTest, SitesHaveTheirRulesForTheChannel) {
    folder_.write("ca.pem", test::makeCertificate("authority", false, nullptr, true).pem());
    options_.routing.httpsRedirect = true;
    options_.routing.hsts = routing::HstsOptions{std::chrono::hours(1), false, false};
    routing::SiteOptions own;
    own.httpsRedirect = false;
    own.hsts = routing::HstsOptions{std::chrono::hours(2), true, true};
    own.clientCertificates = {routing::ClientCertificateMode::required, folder_.at("ca.pem")};
    setSite("own.test", own);
    setSite("other.test", routing::SiteOptions{});
    auto runtime = build();
    const routing::SiteRules& rules = *site(*runtime, "own.test")->rules;
    EXPECT_FALSE(rules.httpsRedirect);
    EXPECT_EQ(rules.strictTransport, "max-age=7200; includeSubDomains; preload");
    EXPECT_TRUE(rules.needsCertificate);
    EXPECT_TRUE(runtime->dispatch->hasClientPolicies);
    EXPECT_TRUE(runtime->clientPolicies.contains(rules.clientPolicy));
    const routing::SiteRules& other = *site(*runtime, "other.test")->rules;
    EXPECT_TRUE(other.httpsRedirect);
    EXPECT_EQ(other.strictTransport, "max-age=3600");
    EXPECT_EQ(other.clientPolicy, 0U);

    // The authorities' file goes: the site keeps its rules, the others do not care.
    folder_.remove("ca.pem");
    auto next = build(runtime.get());
    EXPECT_THAT(next->keptSites, ElementsAre(HasSubstr("ca.pem")));
    EXPECT_TRUE(next->dispatch->hasClientPolicies);
    EXPECT_TRUE(next->clientPolicies.contains(rules.clientPolicy));
    EXPECT_EQ(find(*build(), "own.test"), "own.test-") << "never served without its rules";
}

} // namespace
} // namespace saker::host
