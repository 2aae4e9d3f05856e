#include "routing/dispatcher.h"

#include "routing/index_directory.h"
#include "support/fake_exchange.h"
#include "unit/routing/site_fixture.h"

#include <gmock/gmock.h>

namespace saker::routing {
namespace {

using test::FakeExchange;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// Answers with the name of what it was asked for.
class RecordingHandler final : public ContentHandler {
public:
    struct Note final : RefCounted {
        std::string path;
        bool holds = true;
    };

    Ref<RefCounted> serve(http::Exchange& exchange, const Resource& resource) override {
        answer(exchange, 200, "file " + std::string(resource.path));
        if (!remembers) {
            return {};
        }
        last = makeRef<Note>();
        last->path = resource.path;
        return last;
    }
    bool serveAgain(http::Exchange& exchange, RefCounted& what) override {
        auto& note = static_cast<Note&>(what);
        if (note.holds) {
            answer(exchange, 200, "again " + note.path);
        }
        return note.holds;
    }
    void serveListing(http::Exchange& exchange, const std::shared_ptr<const Site>&,
                      const IndexDirectory& directory, std::string_view shownPath) override {
        answer(exchange, 200, "list " + std::string(directory.path()) + " as " + std::string(shownPath));
    }
    void serveErrorPage(http::Exchange& exchange, const Resource& page, int status,
                        std::string_view detail) override {
        lastDetail = detail;
        answer(exchange, status, "page " + std::string(page.path));
    }

    std::string lastDetail;
    bool remembers = false;
    Ref<Note> last;

private:
    static void answer(http::Exchange& exchange, int status, std::string text) {
        http::ResponseHead head;
        head.status = status;
        BufferChain body;
        body.append(std::move(text));
        exchange.respond(std::move(head), std::move(body));
    }
};

class DispatcherTest : public SiteFixture {
protected:
    Dispatcher& dispatcher() {
        if (!dispatcher_) {
            table_.folders = root_;
            table_.folderRules = rules_;
            dispatcher_ = std::make_unique<Dispatcher>(std::make_shared<const SiteTable>(table_),
                                                       std::make_shared<const DispatchRules>(dispatch_));
            dispatcher_->setContent(content_);
        }
        return *dispatcher_;
    }
    Ref<FakeExchange> ask(std::string_view target, std::string_view host = "a.com",
                          std::string_view method = "GET", const FakeExchange::Fields& fields = {}) {
        auto exchange = makeRef<FakeExchange>(*loop_, method, target, host, fields);
        dispatcher().handle(*exchange);
        EXPECT_TRUE(exchange->isAnswered()) << target;
        return exchange;
    }
    /// "status body" or "status -> location".
    std::string get(std::string_view target, std::string_view host = "a.com") {
        auto exchange = ask(target, host);
        std::string text = std::to_string(exchange->status()) + " ";
        if (exchange->has("Location")) {
            return text + "-> " + std::string(exchange->field("Location"));
        }
        return text + (exchange->body().starts_with("<") ? "built-in" : exchange->body());
    }

    loop::LoopOptions options_{loop::BackendKind::epoll, 1, nullptr};
    std::unique_ptr<loop::EventLoop> loop_ = std::move(*loop::EventLoop::create(options_));
    SiteTable::Options table_;
    DispatchRules dispatch_;
    RecordingHandler content_;
    std::unique_ptr<Dispatcher> dispatcher_;
};

TEST_F(DispatcherTest, LeadsToFiles) {
    folder_.write("a.com/x.txt");
    folder_.write("a.com/dir/y z.txt");
    index();
    EXPECT_EQ(get("/x.txt"), "200 file a.com/x.txt");
    EXPECT_EQ(get("/x.txt?a=b"), "200 file a.com/x.txt");
    EXPECT_EQ(get("//dir/./../dir/y%20z.txt"), "200 file a.com/dir/y z.txt");
    EXPECT_EQ(get("/X.TXT"), "200 file a.com/x.txt");
    EXPECT_EQ(get("/none"), "404 built-in");
    EXPECT_EQ(get("/x.txt/"), "404 built-in") << "a slash behind a file makes it another address";
    EXPECT_EQ(get("/x.txt/more"), "404 built-in");
    EXPECT_EQ(get("http://a.com/x.txt", "b.com"), "200 file a.com/x.txt") << "RFC 9112, section 3.2.2";
}

TEST_F(DispatcherTest, SaysWhoAnswersForTheLogs) {
    folder_.write("a.com/x.txt");
    index();
    auto exchange = ask("/x.txt");
    EXPECT_EQ(exchange->account.site, "a.com");
    EXPECT_EQ(exchange->account.handler, observe::HandlerKind::staticFile);
    EXPECT_FALSE(exchange->account.hasOwnLog);
    EXPECT_EQ(ask("/none")->account.handler, observe::HandlerKind::errorPage);
}

TEST_F(DispatcherTest, Methods) {
    folder_.write("a.com/x.txt");
    index();
    for (std::string_view method : {"POST", "PUT", "DELETE", "PATCH", "TRACE"}) {
        auto exchange = ask("/x.txt", "a.com", method);
        EXPECT_EQ(exchange->status(), 405) << method;
        EXPECT_EQ(exchange->field("Allow"), "GET, HEAD, OPTIONS");
    }
    EXPECT_EQ(ask("/x.txt", "a.com", "BREW")->status(), 501);
    EXPECT_FALSE(ask("/x.txt", "a.com", "BREW")->has("Allow"));
    EXPECT_EQ(ask("/x.txt", "a.com", "HEAD")->status(), 200);
    for (std::string_view target : {"*", "/x.txt", "/none"}) {
        auto exchange = ask(target, "a.com", "OPTIONS");
        EXPECT_EQ(exchange->status(), 204) << target;
        EXPECT_EQ(exchange->field("Allow"), "GET, HEAD, OPTIONS");
        EXPECT_FALSE(exchange->has("Cache-Control"));
        EXPECT_EQ(exchange->field("Server"), "Saker");
    }
}

/// Answers with what it was asked to run.
struct RecordingScripts final : ScriptHandler {
    void run(http::Exchange& exchange, const Script& script) override {
        BufferChain body;
        body.append(std::string(exchange.request().methodText()) + " " + script.name() + " " +
                    std::string(script.pathInfo));
        documentRoot = script.documentRoot();
        fileName = script.fileName();
        exchange.respond(http::ResponseHead{}, std::move(body));
    }
    std::string documentRoot, fileName;
};

TEST_F(DispatcherTest, RunsPrograms) {
    folder_.write("a.com/app/index.php");
    folder_.write("a.com/app/.hidden.php");
    folder_.write("a.com/x.txt");
    folder_.write("a.com/y.phtml");
    rules_->access = AccessPolicy({{"phtml"}, false});
    index();
    RecordingScripts scripts;
    dispatcher().setScript("php", scripts);
    EXPECT_EQ(get("/app/index.php"), "200 GET /app/index.php ");
    EXPECT_EQ(scripts.documentRoot, folder_.at("a.com"));
    EXPECT_EQ(scripts.fileName, folder_.at("a.com/app/index.php"));
    EXPECT_EQ(get("/app/INDEX.PHP?x"), "200 GET /app/index.php ");
    EXPECT_EQ(get("/app/index.php/user%20x/7"), "200 GET /app/index.php /user x/7");
    EXPECT_EQ(get("/app/index.php/"), "200 GET /app/index.php /");
    EXPECT_EQ(get("/app/index.php/a/"), "200 GET /app/index.php /a/");
    EXPECT_EQ(get("/app/"), "200 GET /app/index.php ");
    EXPECT_EQ(get("/app"), "301 -> /app/");
    for (std::string_view method : {"POST", "PUT", "OPTIONS", "BREW"}) {
        EXPECT_EQ(ask("/app/", "a.com", method)->body(), std::string(method) + " /app/index.php ");
        EXPECT_EQ(ask("/app/index.php/x", "a.com", method)->body(),
                  std::string(method) + " /app/index.php /x");
    }
    EXPECT_EQ(ask("/app", "a.com", "POST")->status(), 308);
    EXPECT_EQ(ask("/x.txt", "a.com", "POST")->status(), 405);
    EXPECT_EQ(ask("/x.txt", "a.com", "BREW")->status(), 501);
    EXPECT_EQ(ask("/none", "a.com", "POST")->status(), 405);
    EXPECT_EQ(ask("*", "a.com", "OPTIONS")->status(), 204);
    EXPECT_EQ(ask("/x.txt", "a.com", "OPTIONS")->status(), 204);
    EXPECT_EQ(get("/app/.hidden.php"), "404 built-in");
    EXPECT_EQ(get("/app/.hidden.php/x"), "404 built-in");
    EXPECT_EQ(get("/y.phtml/x"), "404 built-in");
    EXPECT_EQ(get("/x.txt/index.php"), "404 built-in");
}

TEST_F(DispatcherTest, RunsTheProgramOfAParent) {
    folder_.write("a.com/index.php");
    rules_->access = AccessPolicy();
    rules_->loopFindEndpoint = true;
    index();
    RecordingScripts scripts;
    dispatcher().setScript("php", scripts);
    EXPECT_EQ(get("/2024/05/a-post"), "200 GET /index.php ");
    EXPECT_EQ(ask("/wp-json/x", "a.com", "POST")->body(), "POST /index.php ");
}

TEST_F(DispatcherTest, RefusesPathsThatAreNone) {
    folder_.write("a.com/x.txt");
    folder_.write("secret.txt");
    index();
    for (std::string_view target : {"/../secret.txt", "/%2e%2e/secret.txt", "/a%2fb", "/%00", "/%zz", "/a\\b",
                                    "/%5c", "/a/../../x.txt"}) {
        EXPECT_EQ(get(target), "400 built-in") << target;
    }
}

TEST_F(DispatcherTest, DepthAndLength) {
    folder_.write("a.com/a/b/c.txt");
    dispatch_.maxDirDepth = 3;
    dispatch_.maxFilePathLength = 10;
    index();
    EXPECT_EQ(get("/a/b/c.txt"), "200 file a.com/a/b/c.txt");
    EXPECT_EQ(get("/a//b/./c.txt"), "200 file a.com/a/b/c.txt") << "counted once normalised";
    EXPECT_EQ(get("/a/b/c/d"), "414 built-in");
    EXPECT_EQ(get("/1234567890"), "404 built-in");
    EXPECT_EQ(get("/12345678901"), "414 built-in");
    EXPECT_EQ(get("/%31%32%33%34567890"), "404 built-in") << "after decoding";
    dispatcher_.reset();
    dispatch_ = {};
    EXPECT_EQ(get("/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q"), "404 built-in") << "0 is no limit";
}

TEST_F(DispatcherTest, UrlAliases) {
    folder_.write("a.com/new/x.txt");
    folder_.write("a.com/new/index.html");
    folder_.write("a.com/.git/config");
    dispatch_.urlAlias = {
        {"a.com/old", "/new/x.txt"},      {"a.com/folder", "/new"},      {"a.com/bad", "/%zz"},
        {"a.com/.env", "/new/x.txt"},     {"a.com/git", "/.git/config"}, {"a.com/", "/new/x.txt"},
        {"a.com/respelled", "/NEW/X.TXT"}};
    table_.domainAlias = {{"www.a.com", "a.com"}};
    rules_->casePolicy = CasePolicy::redirect;
    index();
    EXPECT_EQ(get("/old"), "200 file a.com/new/x.txt");
    EXPECT_EQ(get("/old/?q"), "200 file a.com/new/x.txt");
    EXPECT_EQ(get("/old", "www.A.com:80"), "200 file a.com/new/x.txt");
    EXPECT_EQ(get("/old/more"), "404 built-in") << "exact matches only";
    EXPECT_EQ(get("/folder"), "200 file a.com/new/index.html") << "without a redirect";
    EXPECT_EQ(get("/"), "200 file a.com/new/x.txt");
    EXPECT_EQ(get("/.env"), "200 file a.com/new/x.txt") << "what is served is judged";
    EXPECT_EQ(get("/git"), "404 built-in") << "what is served is judged";
    EXPECT_EQ(get("/bad"), "500 built-in");
    EXPECT_EQ(get("/respelled"), "200 file a.com/new/x.txt") << "the client did not spell it";
}

TEST_F(DispatcherTest, NeverServes) {
    for (const char* name : {"a.com/.env", "a.com/.git/config", "a.com/page.php", "a.com/x.bak", "a.com/x~",
                             "a.com/.htaccess", "a.com/.well-known/ok.txt", "a.com/dir/.x/y.txt"}) {
        folder_.write(name);
    }
    index();
    for (std::string_view target :
         {"/.env", "/.git/config", "/.GIT/config", "/page.php", "/PAGE.PHP", "/page.php/x", "/x.bak", "/x~",
          "/.htaccess", "/.git", "/dir/.x/y.txt", "/%2egit/config"}) {
        EXPECT_EQ(get(target), "404 built-in") << target;
    }
    EXPECT_EQ(get("/.well-known/ok.txt"), "200 file a.com/.well-known/ok.txt");
}

TEST_F(DispatcherTest, CaseSensitiveSites) {
    folder_.write("a.com/Page.html");
    folder_.write("a.com/Dir/index.html");
    rules_->casePolicy = CasePolicy::sensitive;
    index();
    EXPECT_EQ(get("/Page.html"), "200 file a.com/Page.html");
    EXPECT_EQ(get("/page.html"), "404 built-in");
    EXPECT_EQ(get("/dir/"), "404 built-in");
    EXPECT_EQ(get("/Page.html", "A.COM"), "200 file a.com/Page.html") << "hosts have no case";
}

TEST_F(DispatcherTest, AnotherCaseIsRedirected) {
    folder_.write("a.com/Page One.html");
    folder_.write("a.com/Dir/index.html");
    rules_->casePolicy = CasePolicy::redirect;
    index();
    EXPECT_EQ(get("/page%20one.html?q=1&r"), "301 -> /Page%20One.html?q=1&r");
    EXPECT_EQ(get("/page%20one.html?"), "301 -> /Page%20One.html?");
    EXPECT_EQ(get("/Page%20One.html"), "200 file a.com/Page One.html");
    EXPECT_EQ(get("/dir/"), "301 -> /Dir/");
    EXPECT_EQ(get("/dir"), "301 -> /Dir/") << "both at once";
    EXPECT_EQ(get("/Dir/INDEX.html"), "301 -> /Dir/index.html");
    EXPECT_EQ(get("/Dir/"), "200 file a.com/Dir/index.html");
}

TEST_F(DispatcherTest, TheFolderOfASiteMayBeSpelledOtherwise) {
    folder_.write("Shop/Page.html");
    folder_.write("Shop/Dir/index.html");
    rules_->casePolicy = CasePolicy::redirect;
    index();
    table_.sites["shop"] = makeSite("shop");
    EXPECT_EQ(get("/Page.html", "shop"), "200 file Shop/Page.html") << "a redirect would lead to itself";
    EXPECT_EQ(get("/page.html", "shop"), "301 -> /Page.html");
    EXPECT_EQ(get("/Dir/", "shop"), "200 file Shop/Dir/index.html");
    EXPECT_EQ(get("/Dir", "shop"), "301 -> /Dir/");
}

TEST_F(DispatcherTest, FoldersEndInASlash) {
    folder_.write("a.com/d x/index.html");
    folder_.write("a.com/index.html");
    index();
    EXPECT_EQ(get("/d%20x"), "301 -> /d%20x/");
    EXPECT_EQ(get("/d%20x?a=/b"), "301 -> /d%20x/?a=/b");
    EXPECT_EQ(get("/"), "200 file a.com/index.html");
    EXPECT_EQ(get("/."), "200 file a.com/index.html");
    EXPECT_EQ(get("//d%20x"), "301 -> /d%20x/") << "an address of this host: one slash in front";
    auto exchange = ask("/d%20x");
    EXPECT_EQ(exchange->account.handler, observe::HandlerKind::redirect);
    EXPECT_THAT(exchange->body(), HasSubstr("href=\"/d%20x/\""));
}

TEST_F(DispatcherTest, ARedirectNeverLeavesTheHost) {
    folder_.write("a.com/evil.com/x.txt");
    folder_.write("a.com/\"><script>/x.txt");
    index();
    EXPECT_EQ(get("//evil.com"), "301 -> /evil.com/");
    EXPECT_EQ(get("/%22%3E%3Cscript%3E"), "301 -> /%22%3E%3Cscript%3E/");
    EXPECT_THAT(ask("/%22%3E%3Cscript%3E?'<x>")->body(), Not(HasSubstr("<x>")));
}

TEST_F(DispatcherTest, TheFirstIndexDocumentThatMayBeServed) {
    folder_.write("a.com/index.php");
    folder_.write("a.com/index.html");
    folder_.write("a.com/only/index.php");
    folder_.write("a.com/case/INDEX.html");
    folder_.makeFolder("a.com/dir/index.html");
    index();
    EXPECT_EQ(get("/"), "200 file a.com/index.html") << "no handler for .php is active";
    EXPECT_EQ(get("/only/"), "404 built-in");
    EXPECT_EQ(get("/case/"), "200 file a.com/case/INDEX.html");
    EXPECT_EQ(get("/dir/"), "404 built-in") << "a folder of that name is no document";
    rules_->access = AccessPolicy(AccessPolicy::Options{});
    EXPECT_EQ(get("/"), "200 file a.com/index.php");
}

TEST_F(DispatcherTest, Listings) {
    folder_.write("a.com/D ir/x.txt");
    rules_->directoryListing = true;
    index();
    EXPECT_EQ(get("/d%20ir/"), "200 list a.com/D ir as /d ir/");
    EXPECT_EQ(get("/"), "200 list a.com as /");
    EXPECT_EQ(ask("/")->account.handler, observe::HandlerKind::directoryListing);
}

TEST_F(DispatcherTest, LooksInParentsWhenToldTo) {
    folder_.write("a.com/index.html");
    folder_.write("a.com/a/b/c.txt");
    folder_.write("a.com/a/app.html");
    folder_.write("a.com/a/run.php");
    folder_.write("a.com/i/index.html");
    index();
    EXPECT_EQ(get("/a/none"), "404 built-in");
    rules_->loopFindEndpoint = true;
    EXPECT_EQ(get("/a/none"), "200 file a.com/index.html");
    EXPECT_EQ(get("/a/b/"), "200 file a.com/index.html") << "a folder without document";
    EXPECT_EQ(get("/i/x/y/z"), "200 file a.com/i/index.html") << "the nearest one";
    EXPECT_EQ(get("/a/app.html/path/info"), "200 file a.com/a/app.html");
    EXPECT_EQ(get("/a/run.php/path/info"), "200 file a.com/index.html") << "the source of a page is no page";
    EXPECT_EQ(get("/.git/x"), "404 built-in");
    folder_.remove("a.com/index.html");
    root_->index.refresh("a.com/index.html");
    EXPECT_EQ(get("/a/none"), "404 built-in");
    EXPECT_EQ(get("/"), "404 built-in");
}

TEST_F(DispatcherTest, ASitesOwnErrorPages) {
    folder_.write("a.com/error404.html");
    folder_.write("a.com/error4xx.html");
    folder_.write("a.com/own/405.html");
    rules_->errorPages = {{405, "own/405.html"}, {501, "missing.html"}, {400, "../a.com/own/405.html"}};
    index();
    EXPECT_EQ(get("/none"), "404 page a.com/error404.html");
    EXPECT_EQ(content_.lastDetail, "There is no file of that name.");
    EXPECT_EQ(get("/%zz"), "400 page a.com/error4xx.html") << "a page outside of the site is none";
    EXPECT_EQ(ask("/", "a.com", "POST")->body(), "page a.com/own/405.html");
    EXPECT_THAT(ask("/", "a.com", "BREW")->body(), HasSubstr("501"));
    EXPECT_EQ(get("/none", "unknown"), "404 page a.com/error404.html") << "the default site's";
}

TEST_F(DispatcherTest, BuiltInErrorPages) {
    folder_.write("a.com/x.txt");
    index();
    auto exchange = ask("/none<b>", "a.com", "GET", {{"Accept", "application/json"}});
    EXPECT_EQ(exchange->field("Content-Type"), "application/problem+json");
    EXPECT_EQ(exchange->field("Cache-Control"), "no-store");
    EXPECT_EQ(exchange->field("Server"), "Saker");
    EXPECT_THAT(exchange->body(), HasSubstr("\"status\":404"));
    auto page = dispatcher().errorPage(400, "Nonsense <b>.");
    EXPECT_EQ(page.contentType, "text/html; charset=utf-8");
    EXPECT_THAT(page.body, HasSubstr("Nonsense &lt;b&gt;."));
}

TEST_F(DispatcherTest, DebugPagesAreForThisMachineOnly) {
    folder_.write("a.com/x.txt");
    rules_->debugPages = true;
    index();
    auto body = [&](std::string_view peer) {
        auto exchange = makeRef<FakeExchange>(*loop_, "GET", "/.env", "a.com");
        exchange->setPeer(peer);
        dispatcher().handle(*exchange);
        return exchange->body();
    };
    EXPECT_THAT(body("127.0.0.1"), HasSubstr("names that begin with a dot"));
    EXPECT_THAT(body("::1"), HasSubstr("names that begin with a dot"));
    EXPECT_THAT(body("10.0.0.1"), Not(HasSubstr("names that begin with a dot")));
    rules_->debugPagesRemote = true;
    EXPECT_THAT(body("10.0.0.1"), HasSubstr("names that begin with a dot"));
    rules_->debugPages = false;
    EXPECT_THAT(body("127.0.0.1"), Not(HasSubstr("names that begin with a dot")));
}

TEST_F(DispatcherTest, ASiteThatIsOff) {
    folder_.write("off/x.txt");
    folder_.write("off/error503.html");
    folder_.write("a.com/x.txt");
    index();
    auto off = makeSite("off");
    off->isEnabled = false;
    table_.sites["off"] = off;
    auto broken = std::make_shared<Site>(); // its settings have never been right, and there is no BackendDir
    broken->name = "broken";
    broken->isEnabled = false;
    broken->rules = rules_;
    table_.sites["broken"] = broken;
    EXPECT_EQ(get("/x.txt", "off"), "503 page off/error503.html");
    EXPECT_EQ(get("/x.txt", "broken"), "503 built-in");
    EXPECT_EQ(get("/x.txt", "a.com"), "200 file a.com/x.txt");
}

TEST_F(DispatcherTest, NoSiteAtAll) {
    folder_.write("a.com/x.txt");
    folder_.write("b.com/x.txt");
    index();
    auto exchange = ask("/x.txt", "unknown");
    EXPECT_EQ(exchange->status(), 404);
    EXPECT_EQ(exchange->field("Server"), "Saker");
    EXPECT_EQ(exchange->account.site, "-");
    EXPECT_EQ(ask("*", "unknown", "OPTIONS")->status(), 404);
}

TEST_F(DispatcherTest, RemembersHostsUntilTheIndexChanges) {
    folder_.write("a.com/x.txt");
    folder_.write("b.com/x.txt");
    index();
    EXPECT_EQ(get("/x.txt", "a.com"), "200 file a.com/x.txt");
    EXPECT_EQ(get("/x.txt", "a.com"), "200 file a.com/x.txt");
    EXPECT_EQ(get("/x.txt", "c.com"), "404 built-in");
    folder_.write("c.com/x.txt");
    root_->index.refresh("c.com");
    EXPECT_EQ(get("/x.txt", "c.com"), "200 file c.com/x.txt");
    EXPECT_EQ(get("/x.txt", "a.com"), "200 file a.com/x.txt");
    folder_.remove("a.com");
    root_->index.refresh("a.com");
    EXPECT_EQ(get("/x.txt", "a.com"), "404 built-in");
    folder_.remove("c.com");
    root_->index.refresh("c.com");
    EXPECT_EQ(get("/x.txt", "c.com"), "200 file b.com/x.txt") << "the only site there is now";
}

TEST_F(DispatcherTest, MadeUpHostsDoNotFillTheMemory) {
    folder_.write("localhost/x.txt");
    folder_.write("b.com/x.txt");
    index();
    for (int i = 0; i < 9000; ++i) { // the table starts over more than once
        std::string host = "made-up-" + std::to_string(i);
        ASSERT_EQ(get("/x.txt", host), "200 file localhost/x.txt");
        if (i % 1000 == 0) {
            ASSERT_EQ(get("/x.txt", "b.com"), "200 file b.com/x.txt");
        }
    }
}

TEST_F(DispatcherTest, TheSameAddressSkipsTheSteps) {
    folder_.write("a.com/x y.txt");
    folder_.write("a.com/index.html");
    folder_.write("b.com/x y.txt");
    rules_->loopFindEndpoint = true;
    content_.remembers = true;
    index();
    EXPECT_EQ(get("/x%20y.txt"), "200 file a.com/x y.txt");
    auto again = ask("/x%20y.txt?other=query", "A.com:80", "HEAD");
    EXPECT_EQ(again->status(), 200);
    EXPECT_EQ(again->account.handler, observe::HandlerKind::staticFile);
    EXPECT_EQ(again->account.site, "a.com");
    EXPECT_EQ(get("/x%20y.txt"), "200 again a.com/x y.txt");
    EXPECT_EQ(get("/x%20y.txt", "b.com"), "200 file b.com/x y.txt") << "another site";
    EXPECT_EQ(get("/x%20Y.txt"), "200 file a.com/x y.txt") << "another address";
    EXPECT_EQ(ask("/x%20y.txt", "a.com", "POST")->status(), 405);
    EXPECT_EQ(get("/"), "200 file a.com/index.html");
    EXPECT_EQ(get("/"), "200 again a.com/index.html");
    EXPECT_EQ(get("/none/at/all"), "200 file a.com/index.html");
    // Whatever changes, the steps are taken again.
    folder_.write("a.com/none/at/all");
    root_->index.refresh("a.com/none");
    EXPECT_EQ(get("/none/at/all"), "200 file a.com/none/at/all");
    EXPECT_EQ(get("/"), "200 file a.com/index.html");
    content_.last->holds = false;
    EXPECT_EQ(get("/"), "200 file a.com/index.html");
    EXPECT_EQ(get("/"), "200 again a.com/index.html");
}

TEST_F(DispatcherTest, AddressesThatDependOnTheHostNameAreNotRemembered) {
    folder_.write("a.com/x.txt");
    folder_.write("a.com/y.txt");
    content_.remembers = true;
    dispatch_.urlAlias = {{"alias.com/x.txt", "/y.txt"}};
    index();
    auto site = makeSite("a.com");
    table_.sites["a.com"] = site;
    table_.siteAlias["alias.com"] = "a.com";
    EXPECT_EQ(get("/x.txt", "a.com"), "200 file a.com/x.txt");
    EXPECT_EQ(get("/x.txt", "alias.com"), "200 file a.com/y.txt");
    EXPECT_EQ(get("/x.txt", "a.com"), "200 file a.com/x.txt");
}

TEST_F(DispatcherTest, ASitesOwnLog) {
    folder_.write("own/x.txt");
    folder_.write("none/x.txt");
    index();
    auto none = makeSite("none");
    table_.sites["none"] = none;
    dispatcher().setSiteLogs({{none.get(), nullptr}});
    auto exchange = ask("/x.txt", "none");
    EXPECT_TRUE(exchange->account.hasOwnLog);
    EXPECT_EQ(exchange->account.log, nullptr);
    EXPECT_FALSE(ask("/x.txt", "own")->account.hasOwnLog);
}

TEST_F(DispatcherTest, AnswersWithoutAContentHandlersHelpWhenThereIsNone) {
    folder_.write("a.com/error404.html");
    index();
    Dispatcher bare(std::make_shared<const SiteTable>(SiteTable::Options{}),
                    std::make_shared<const DispatchRules>());
    auto exchange = makeRef<FakeExchange>(*loop_, "GET", "/", "a.com");
    bare.handle(*exchange);
    EXPECT_EQ(exchange->status(), 404);
}

// ---- the channel ----

class ChannelTest : public DispatcherTest {
protected:
    ChannelTest() {
        folder_.write("a.com/x.txt");
        folder_.write("b.com/x.txt");
        folder_.write("a.com/.well-known/acme-challenge/token");
        index();
        dispatch_.securePorts = {{80, 443}, {8080, 8443}};
        setRules("a.com", a_);
        setRules("b.com", b_);
    }
    void setRules(const std::string& host, SiteRules& rules) {
        auto site = std::make_shared<Site>();
        site->name = site->folder = host;
        site->root = root_;
        rules = *rules_;
        sites_[host] = {site, &rules};
    }
    /// After the rules are as the test wants them.
    Ref<FakeExchange> over(bool encrypted, std::string_view host, std::string_view target = "/x.txt",
                           std::uint64_t policy = 0, std::string_view method = "GET",
                           std::uint16_t port = 80) {
        if (table_.sites.empty()) {
            for (auto& [name, entry] : sites_) {
                entry.first->rules = std::make_shared<const SiteRules>(*entry.second);
                table_.sites[name] = entry.first;
            }
        }
        auto exchange = makeRef<FakeExchange>(*loop_, method, target, host);
        exchange->encrypted = encrypted;
        exchange->policy = policy;
        exchange->setLocalPort(port);
        dispatcher().handle(*exchange);
        return exchange;
    }
    static std::string hsts(const FakeExchange& exchange) {
        return exchange.strictTransport ? exchange.strictTransport->text : std::string();
    }

    SiteRules a_, b_;
    std::map<std::string, std::pair<std::shared_ptr<Site>, SiteRules*>> sites_;
};

TEST_F(ChannelTest, LeadsToTheSameAddressOverHttps) {
    a_.httpsRedirect = true;
    struct Case {
        std::string_view method, target, host;
        std::uint16_t port;
        int status;
        std::string_view location;
    };
    for (const Case& one : {
             Case{"GET", "/x.txt", "a.com", 80, 301, "https://a.com/x.txt"},
             Case{"HEAD", "/none?q=%20a", "a.com", 80, 301, "https://a.com/none?q=%20a"},
             Case{"GET", "/x.txt?", "a.com:8080", 8080, 301, "https://a.com:8443/x.txt?"},
             Case{"POST", "/x.txt", "a.com", 80, 308, "https://a.com/x.txt"},
             Case{"OPTIONS", "*", "a.com", 80, 308, "https://a.com/"},
             Case{"GET", "http://A.com/x.txt", "b.com", 80, 301, "https://A.com/x.txt"},
             Case{"GET", "//evil.test/x", "a.com", 80, 301, "https://a.com//evil.test/x"},
         }) {
        auto exchange = over(false, one.host, one.target, 0, one.method, one.port);
        EXPECT_EQ(exchange->status(), one.status) << one.target;
        EXPECT_EQ(exchange->field("Location"), one.location);
        EXPECT_EQ(hsts(*exchange), "");
    }
    EXPECT_EQ(over(true, "a.com")->status(), 200);
    EXPECT_EQ(over(false, "b.com")->status(), 200);
    EXPECT_EQ(over(false, "a.com", "/x.txt", 0, "GET", 9999)->status(), 200) << "there is nowhere to lead to";
    EXPECT_EQ(over(false, "a.com", "/.well-known/acme-challenge/token")->body(),
              "file a.com/.well-known/acme-challenge/token");
}

TEST_F(ChannelTest, AsksForHttpsInTheFutureOverHttpsOnly) {
    a_.strictTransport = "max-age=5";
    EXPECT_EQ(hsts(*over(true, "a.com")), "max-age=5");
    EXPECT_EQ(hsts(*over(true, "a.com", "/none")), "max-age=5");
    EXPECT_EQ(hsts(*over(false, "a.com")), "");
    EXPECT_EQ(hsts(*over(true, "b.com")), "");
}

TEST_F(ChannelTest, KeepsConnectionsOfOtherRulesOut) {
    dispatch_.hasClientPolicies = true;
    a_.clientPolicy = 7;
    a_.needsCertificate = true;
    EXPECT_EQ(over(true, "a.com", "/x.txt", 7)->status(), 200);
    EXPECT_EQ(over(true, "a.com", "/x.txt", 0)->status(), 421);
    EXPECT_EQ(over(true, "a.com", "/x.txt", 8)->status(), 421);
    EXPECT_EQ(over(true, "b.com", "/x.txt", 7)->status(), 421);
    EXPECT_EQ(over(true, "b.com", "/x.txt", 0)->status(), 200);
    EXPECT_EQ(over(false, "b.com")->status(), 200);
    auto plain = over(false, "a.com");
    EXPECT_EQ(plain->status(), 403);
    EXPECT_THAT(plain->body(), Not(HasSubstr("file")));
}

} // namespace
} // namespace saker::routing
