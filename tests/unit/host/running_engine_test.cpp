#include "host/running_engine.h"

#include "support/temp_folder.h"
#include "unit/host/http_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <sstream>
#include <thread>

#include <fmt/format.h>

namespace saker::host {
namespace {

using control::StopMode;
using test::HttpClient;
using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

struct Owner final : EngineOwner {
    void onStartProgress(const StartProgress& progress) override { files = progress.files; }
    void requestStop(StopMode mode) override { stopAsked = mode; }
    void requestRestart() override { restartAsked = true; }

    std::uint64_t files = 0;
    std::optional<StopMode> stopAsked;
    bool restartAsked = false;
};

class RunningEngineTest : public testing::Test {
protected:
    RunningEngineTest() { folder_.write("www/a.com/x.txt", "hello"); }
    ~RunningEngineTest() override { engine_.reset(); }

    /// More members of the configuration's object, each with a comma behind.
    void configure(std::string_view more = "", std::string_view ports = "[0]") {
        folder_.write(
            "saker.json",
            fmt::format(R"({{ {} "BackendDir": "www", "HttpPorts": {}, "HttpsPorts": [], "Workers": 2,
                                     "ListenAddresses": ["127.0.0.1"] }})",
                        more, ports));
    }
    /// False when the configuration is wrong or it does not start; `failure_` says why.
    bool start() {
        auto config = ConfigStore().load(folder_.at("saker.json"));
        if (!config) {
            failure_ = config.error().text();
            return false;
        }
        engine_ = std::make_unique<RunningEngine>(*config, Overrides{}, owner_);
        if (auto started = engine_->start(); !started) {
            failure_ = started.error().text();
            return false;
        }
        return true;
    }
    std::uint16_t port(std::size_t i = 0) {
        auto addresses = engine_->listening();
        return i < addresses.size() ? addresses[i].address.port : std::uint16_t{0};
    }
    static std::uint16_t freePort() {
        return net::ListenSocket::bind(*loop::SocketAddress::parse("127.0.0.1", 0))->address().port;
    }
    std::string content(std::string_view name) {
        std::ostringstream text;
        text << std::ifstream(folder_.at(name)).rdbuf();
        return text.str();
    }
    std::vector<std::string> files(std::string_view search) {
        std::vector<std::string> found;
        engine_->services().listFiles(search, [&](std::string_view path) {
            found.emplace_back(path);
            return true;
        });
        return found;
    }
    /// The watcher needs a moment.
    static void waitFor(const std::function<bool()>& condition) {
        for (int i = 0; i < 4000 && !condition(); ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        EXPECT_TRUE(condition());
    }

    test::TempFolder folder_;
    Owner owner_;
    std::unique_ptr<RunningEngine> engine_;
    std::string failure_;
};

// ---- start ----

TEST_F(RunningEngineTest, Serves) {
    configure();
    ASSERT_TRUE(start()) << failure_;
    EXPECT_EQ(owner_.files, 1u);
    ASSERT_THAT(engine_->listening(), SizeIs(1));
    EXPECT_NE(port(), 0) << "the port that it got";
    EXPECT_THAT(engine_->warnings(), IsEmpty());
    for (int i = 0; i < 8; ++i) { // some on each loop
        EXPECT_THAT(HttpClient(port()).get("/x.txt"), EndsWith("\r\n\r\nhello"));
    }
    engine_->stop(StopMode::graceful);
    EXPECT_FALSE(HttpClient(port()).isOpen());
    engine_->stop(StopMode::now);
    auto reloaded = engine_->reload();
    ASSERT_FALSE(reloaded);
    EXPECT_EQ(reloaded.error().kind, ErrorKind::notRunning);
}

TEST_F(RunningEngineTest, ServesAndStopsOnEveryBackend) {
    for (std::string_view backend : {"epoll", "io_uring", "fault"}) {
        configure(fmt::format(R"("EventBackend": "{}",)", backend));
        if (!start()) {
            EXPECT_EQ(backend, "io_uring") << failure_; // not every system has it
            continue;
        }
        HttpClient idle(port()), busy(port());
        EXPECT_THAT(idle.get("/x.txt"), EndsWith("hello")) << backend;
        busy.send("GET /x.txt HTTP/1.1\r\n");
        engine_->stop(StopMode::now);
        EXPECT_TRUE(idle.isAtEnd()) << backend;
        EXPECT_TRUE(busy.isAtEnd()) << backend;
    }
}

TEST_F(RunningEngineTest, APortThatCannotBeHad) {
    auto taken = net::ListenSocket::bind(*loop::SocketAddress::parse("127.0.0.1", 0));
    ASSERT_TRUE(taken->listen());
    configure("", fmt::format("[{}]", taken->address().port));
    EXPECT_FALSE(start());
    EXPECT_THAT(failure_, HasSubstr(fmt::format("cannot listen on port {}", taken->address().port)));
    EXPECT_EQ(owner_.files, 0u) << "said before files are read";
}

TEST_F(RunningEngineTest, EndsWithoutEverHavingStarted) {
    configure();
    auto config = ConfigStore().load(folder_.at("saker.json"));
    ASSERT_TRUE(config);
    RunningEngine engine(*config, Overrides{}, owner_);
    engine.stop(StopMode::graceful);
    EXPECT_THAT(engine.listening(), IsEmpty());
}

TEST_F(RunningEngineTest, ABrokenSiteDoesNotStopTheOthers) {
    configure(R"("Sites": {"b.com": {"CasePolicy": "what"}},)");
    ASSERT_TRUE(start()) << failure_;
    EXPECT_THAT(engine_->warnings(), ElementsAre(HasSubstr("\"b.com\" is not served")));
    EXPECT_THAT(HttpClient(port()).get("/x.txt"), EndsWith("hello"));
    EXPECT_THAT(HttpClient(port()).get("/x.txt", "b.com"), StartsWith("HTTP/1.1 503 "));
}

TEST_F(RunningEngineTest, ABrokenSiteWithoutAnyFolder) {
    folder_.write("saker.json", R"({"BackendDir": "", "HttpPorts": [0], "HttpsPorts": [], "Workers": 1,
        "ListenAddresses": ["127.0.0.1"], "Sites": {"b.com": {"CasePolicy": "what"}}})");
    ASSERT_TRUE(start()) << failure_;
    EXPECT_THAT(HttpClient(port()).get("/x.txt", "b.com"), StartsWith("HTTP/1.1 503 "));
    EXPECT_THAT(files(""), IsEmpty());
    EXPECT_FALSE(engine_->services().indexFolder(""));
}

// ---- reload ----

TEST_F(RunningEngineTest, AReloadAppliesToOpenConnections) {
    configure();
    ASSERT_TRUE(start()) << failure_;
    HttpClient client(port());
    EXPECT_THAT(client.get("/a/b"), StartsWith("HTTP/1.1 404 "));
    configure(R"("MaxDirDepth": 1, "Workers": 2, "RequestTimeout": 7,)");
    configure(R"("MaxDirDepth": 1,)");
    std::uint16_t before = port();
    auto report = engine_->reload();
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_THAT(report->applied, Contains("MaxDirDepth"));
    EXPECT_THAT(report->needsRestart, IsEmpty());
    EXPECT_EQ(port(), before) << "a free port stays the one it was";
    EXPECT_THAT(client.get("/a/b"), StartsWith("HTTP/1.1 414 "));
}

TEST_F(RunningEngineTest, WhatNeedsARestartIsSaid) {
    configure();
    ASSERT_TRUE(start()) << failure_;
    folder_.write("saker.json", R"({"BackendDir": "www", "HttpPorts": [0], "HttpsPorts": [], "Workers": 1,
        "ListenAddresses": ["127.0.0.1"]})");
    auto report = engine_->reload();
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_THAT(report->needsRestart, ElementsAre("Workers"));
}

TEST_F(RunningEngineTest, AReloadThatFailsChangesNothing) {
    configure();
    ASSERT_TRUE(start()) << failure_;
    HttpClient client(port());
    client.get("/x.txt");
    auto taken = net::ListenSocket::bind(*loop::SocketAddress::parse("127.0.0.1", 0));
    ASSERT_TRUE(taken->listen());
    folder_.write("file", "x");
    for (std::string_view more : {R"("MaxDirDepth": -1,)", R"("nonsense)",
                                  R"("MaxDirDepth": 1, "AccessLog": {"File": "file/x.log"},)"}) {
        configure(more);
        EXPECT_FALSE(engine_->reload()) << more;
        EXPECT_THAT(client.get("/a/b"), StartsWith("HTTP/1.1 404 "));
    }
    configure(R"("MaxDirDepth": 1,)", fmt::format("[0, {}]", taken->address().port));
    auto report = engine_->reload();
    ASSERT_FALSE(report);
    EXPECT_THAT(report.error().text(), HasSubstr("cannot listen"));
    EXPECT_THAT(client.get("/a/b"), StartsWith("HTTP/1.1 404 "));
    EXPECT_THAT(engine_->listening(), SizeIs(1));
}

TEST_F(RunningEngineTest, PortsComeAndGoWithoutAFailure) {
    std::uint16_t stays = freePort(), goes = freePort();
    configure("", fmt::format("[{}, {}]", stays, goes));
    ASSERT_TRUE(start()) << failure_;
    std::atomic<bool> ends{false};
    std::atomic<int> failures{0}, requests{0};
    std::vector<std::thread> clients;
    for (int i = 0; i < 2; ++i) {
        clients.emplace_back([&, i] {
            while (!ends) {
                HttpClient client(stays); // now and then a fresh connection
                for (int k = 0; k < (i == 0 ? 1 : 20) && !ends; ++k) {
                    failures += client.get("/x.txt").ends_with("hello") ? 0 : 1;
                    ++requests;
                }
            }
        });
    }
    HttpClient onGoing(goes);
    EXPECT_THAT(onGoing.get("/x.txt"), EndsWith("hello"));
    for (int round = 0; round < 3; ++round) {
        configure("", fmt::format("[{}]", stays));
        auto report = engine_->reload();
        ASSERT_TRUE(report) << report.error().text();
        EXPECT_THAT(engine_->listening(), SizeIs(1));
        waitFor([&] { return !HttpClient(goes).isOpen(); });
        configure("", fmt::format("[{}, {}]", stays, goes));
        report = engine_->reload();
        ASSERT_TRUE(report) << report.error().text();
        EXPECT_THAT(HttpClient(goes).get("/x.txt"), EndsWith("hello"));
    }
    EXPECT_THAT(onGoing.get("/x.txt"), EndsWith("hello")) << "a connection outlives its listener";
    int before = requests;
    waitFor([&] { return requests > before + 5; });
    ends = true;
    for (std::thread& client : clients) {
        client.join();
    }
    EXPECT_EQ(failures, 0) << "of " << requests;
}

TEST_F(RunningEngineTest, AFreePortGoesWhenAnotherIsNamed) {
    configure();
    ASSERT_TRUE(start()) << failure_;
    std::uint16_t before = port(), next = freePort();
    configure("", fmt::format("[{}]", next));
    auto report = engine_->reload();
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(port(), next);
    EXPECT_THAT(HttpClient(next).get("/x.txt"), EndsWith("hello"));
    waitFor([&] { return !HttpClient(before).isOpen(); });
}

TEST_F(RunningEngineTest, ABrokenSiteKeepsItsLastGoodVersion) {
    folder_.write("www/b.com/x.txt", "of b");
    configure(R"("Sites": {"b.com": {"Aliases": ["c.com"]}},)");
    ASSERT_TRUE(start()) << failure_;
    configure(R"("MaxDirDepth": 1, "Sites": {"b.com": {"Aliases": 7}},)");
    auto report = engine_->reload();
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_THAT(report->keptSites, ElementsAre(StartsWith("b.com: ")));
    EXPECT_THAT(HttpClient(port()).get("/x.txt", "b.com"), EndsWith("of b"));
    EXPECT_THAT(HttpClient(port()).get("/x.txt", "c.com"), EndsWith("of b"));
    EXPECT_THAT(HttpClient(port()).get("/a/b"), StartsWith("HTTP/1.1 414 ")) << "all others apply";
}

TEST_F(RunningEngineTest, ReloadsFromSeveralSidesTakeTurns) {
    configure();
    ASSERT_TRUE(start()) << failure_;
    std::thread other([&] {
        for (int i = 0; i < 10; ++i) {
            EXPECT_TRUE(engine_->services().reload());
        }
    });
    for (int i = 0; i < 10; ++i) {
        EXPECT_TRUE(engine_->reload());
        engine_->services().collectGarbage();
        EXPECT_THAT(HttpClient(port()).get("/x.txt"), EndsWith("hello"));
    }
    other.join();
}

// ---- stop ----

TEST_F(RunningEngineTest, AGracefulStopFinishesWhatHasBegun) {
    configure();
    ASSERT_TRUE(start()) << failure_;
    HttpClient idle(port());
    idle.get("/x.txt");
    engine_->stop(StopMode::graceful);
    EXPECT_TRUE(idle.isAtEnd());
}

TEST_F(RunningEngineTest, AGracefulStopCutsOffAfterItsTime) {
    configure(R"("ShutdownTimeout": 0,)");
    ASSERT_TRUE(start()) << failure_;
    HttpClient stuck(port());
    stuck.get("/x.txt");
    stuck.send("POST /x.txt HTTP/1.1\r\nHost: a.com\r\nContent-Length: 5\r\n\r\n"); // and no body
    stuck.receive();
    engine_->stop(StopMode::graceful);
    EXPECT_TRUE(stuck.isAtEnd());
}

TEST_F(RunningEngineTest, ADrainCanBeCutShort) {
    configure();
    ASSERT_TRUE(start()) << failure_;
    HttpClient stuck(port());
    stuck.send("POST /x.txt HTTP/1.1\r\nHost: a.com\r\nContent-Length: 5\r\n\r\n");
    EXPECT_THAT(stuck.receive(), StartsWith("HTTP/1.1 405 ")); // and waits for the body
    std::thread draining([&] { engine_->stop(StopMode::drain); });
    waitFor([&] { return !HttpClient(port()).isOpen(); });
    engine_->services().collectGarbage(); // a console is still there
    engine_->stop(StopMode::now);
    draining.join();
    EXPECT_TRUE(stuck.isAtEnd());
}

TEST_F(RunningEngineTest, CommandsToStop) {
    configure();
    ASSERT_TRUE(start()) << failure_;
    engine_->services().shutdown(StopMode::drain);
    EXPECT_EQ(owner_.stopAsked, StopMode::drain);
    engine_->services().restart();
    EXPECT_TRUE(owner_.restartAsked);
}

// ---- services ----

TEST_F(RunningEngineTest, ListsAndCountsFiles) {
    folder_.write("www/a.com/sub/y.txt");
    folder_.write("www/b.com/z.txt");
    configure();
    ASSERT_TRUE(start()) << failure_;
    EXPECT_THAT(files(""), testing::UnorderedElementsAre(folder_.at("www/a.com/x.txt"),
                                                         folder_.at("www/a.com/sub/y.txt"),
                                                         folder_.at("www/b.com/z.txt")));
    EXPECT_THAT(files("b.com"), ElementsAre(folder_.at("www/b.com/z.txt")));
    EXPECT_EQ(engine_->services().countFiles(""), 3u);
    EXPECT_EQ(engine_->services().countFiles("sub/"), 1u);
    EXPECT_EQ(engine_->services().countFiles("none"), 0u);
    int seen = 0;
    engine_->services().listFiles("", [&](std::string_view) { return ++seen < 2; });
    EXPECT_EQ(seen, 2);
}

TEST_F(RunningEngineTest, IndexesFolders) {
    folder_.write("www/a.com/sub/y.txt");
    folder_.write("www2/z.txt");
    configure();
    ASSERT_TRUE(start()) << failure_;
    auto& services = engine_->services();
    for (std::string_view name : {"a.com", "/a.com/", "a.com/"}) {
        auto folder = services.indexFolder(name);
        ASSERT_TRUE(folder) << name;
        EXPECT_EQ(*folder, folder_.at("www/a.com"));
    }
    EXPECT_EQ(*services.indexFolder(""), folder_.at("www"));
    EXPECT_EQ(*services.indexFolder("."), folder_.at("www"));
    EXPECT_EQ(*services.indexFolder(folder_.at("www/a.com")), folder_.at("www/a.com"));
    EXPECT_FALSE(services.indexFolder(".."));
    EXPECT_FALSE(services.indexFolder("a.com/../../www2"));
    EXPECT_FALSE(services.indexFolder("none"));
    folder_.makeFolder("www/2");
    EXPECT_FALSE(services.indexFolder(folder_.at("www2")))
        << "another folder whose name begins alike is not below this one";
    auto all = services.indexFiles("");
    ASSERT_TRUE(all);
    EXPECT_EQ(all->files, 2u);
    EXPECT_EQ(all->folder, folder_.at("www"));
    auto one = services.indexOneLevel("a.com");
    ASSERT_TRUE(one) << one.error().text();
    EXPECT_EQ(one->files, 1u);
    EXPECT_FALSE(services.indexFiles("none"));
}

TEST_F(RunningEngineTest, CountsWhatItDoes) {
    configure(R"("ServerMetrics": true,)");
    ASSERT_TRUE(start()) << failure_;
    HttpClient client(port());
    client.get("/x.txt");
    client.get("/none");
    control::StatsSnapshot stats;
    waitFor([&] { // an answer is counted just after it has left
        stats = engine_->services().stats(std::chrono::milliseconds(0));
        return stats.requests == 2;
    });
    EXPECT_TRUE(stats.detailed);
    EXPECT_EQ(stats.statusClasses[1], 1u);
    EXPECT_EQ(stats.statusClasses[3], 1u);
    EXPECT_EQ(stats.connections, 1u);
    EXPECT_EQ(stats.connectionsAccepted, 1u);
    EXPECT_EQ(stats.indexedFiles, 1u);
    EXPECT_GT(stats.memoryBytes, 0u);
}

TEST_F(RunningEngineTest, LogsAreWrittenAndReopened) {
    configure(R"("AccessLog": {"File": "access.log"},)");
    ASSERT_TRUE(start()) << failure_;
    HttpClient client(port());
    client.get("/x.txt");
    waitFor([&] { return content("access.log").find("/x.txt") != std::string::npos; });
    folder_.rename("access.log", "old.log");
    engine_->reopenLogs();
    waitFor([&] { return std::ifstream(folder_.at("access.log")).good(); });
    client.get("/none");
    engine_->stop(StopMode::graceful);
    EXPECT_THAT(content("access.log"), HasSubstr("/none"));
}

TEST_F(RunningEngineTest, GarbageIsCollectedWhileServing) {
    configure();
    ASSERT_TRUE(start()) << failure_;
    HttpClient client(port());
    client.get("/x.txt");
    engine_->services().collectGarbage();
    EXPECT_THAT(client.get("/x.txt"), EndsWith("hello"));
    engine_->stop(StopMode::graceful);
    engine_->services().collectGarbage();
}

TEST_F(RunningEngineTest, WithoutHttpsNoCertificateIsLoaded) {
    folder_.makeFolder("data"); // the machine's own may hold an authority
    configure(R"("DataDir": "data",)");
    ASSERT_TRUE(start()) << failure_;
    EXPECT_THAT(engine_->services().certificates().certificates, IsEmpty());
    EXPECT_TRUE(engine_->services().loadCertificates());
    EXPECT_FALSE(engine_->services().authority());
}

TEST_F(RunningEngineTest, WithoutAContentCache) {
    folder_.write("www/a.com/error404.html", "own page");
    folder_.write("www/a.com/page.html", std::string(5000, 'p'));
    configure(R"("ContentCacheSize": 0,)");
    ASSERT_TRUE(start()) << failure_;
    HttpClient client(port());
    EXPECT_THAT(client.get("/x.txt"), EndsWith("hello"));
    EXPECT_THAT(client.get("/none"), EndsWith("own page"));
    client.send("GET /page.html HTTP/1.1\r\nHost: a.com\r\nAccept-Encoding: br, gzip\r\n\r\n");
    EXPECT_THAT(client.receive(), testing::Not(HasSubstr("Content-Encoding")))
        << "every request would compress anew";
}

} // namespace
} // namespace saker::host
