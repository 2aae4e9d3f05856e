// Programs that other servers run, through the whole engine: the test is the other server.

#include "host/running_engine.h"

#include "support/fake_upstream.h"
#include "support/temp_folder.h"
#include "unit/handlers/fastcgi/records.h"
#include "unit/host/http_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include <fmt/format.h>

namespace saker::host {
namespace {

using test::HttpClient;
using testing::Contains;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;
using testing::StartsWith;

struct NoOwner final : EngineOwner {
    void onStartProgress(const StartProgress&) override {}
    void requestStop(control::StopMode) override {}
    void requestRestart() override {}
};

class RunningEngineForwardTest : public testing::TestWithParam<const char*> {
protected:
    RunningEngineForwardTest() {
        folder_.write("www/a.com/x.php", "<?php secret");
        folder_.write("www/a.com/y.njs", "secret");
        folder_.write("www/a.com/z.php5", "secret");
    }
    /// False when the backend is not to be had here.
    bool start() {
        folder_.write("saker.json",
                      fmt::format(R"({{ "BackendDir": "www", "HttpPorts": [0], "HttpsPorts": [], "Workers": 1,
                              "ListenAddresses": ["127.0.0.1"], "EventBackend": "{}", "DefaultSite": "a.com", "PhpMode": "off",
                              "ForwardExt": {{"php": "fcgi:{}", "njs": "http://{}", "php5": "auto"}} }})",
                                  GetParam(), fastCgi_.address(), http_.address()));
        auto config = ConfigStore().load(folder_.at("saker.json"));
        EXPECT_TRUE(config) << config.error().text();
        engine_ = std::make_unique<RunningEngine>(*config, Overrides{}, owner_);
        const auto started = engine_->start();
        EXPECT_TRUE(started || GetParam() == std::string_view("io_uring")) << started.error().text();
        return started.ok();
    }
    std::uint16_t port() { return engine_->listening()[0].address.port; }
    template <class Condition>
    static void until(test::FakeUpstream& server, Condition condition) {
        for (int i = 0; i < 20000; ++i) {
            server.poll();
            if (condition()) {
                return;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        ADD_FAILURE() << "the condition never came true";
    }
    /// Until the server has got a whole request without body.
    static std::string& requestAt(test::FakeUpstream& server, std::size_t i, std::string_view end) {
        until(server, [&] {
            return server.connections.size() > i &&
                   std::string_view(server.connections[i].received).ends_with(end);
        });
        return server.connections.at(i).received;
    }

    test::TempFolder folder_;
    NoOwner owner_;
    test::FakeUpstream fastCgi_{folder_.at("php.sock")};
    test::FakeUpstream http_;
    std::unique_ptr<RunningEngine> engine_;
};

TEST_P(RunningEngineForwardTest, RunsPhpByFastCgi) {
    if (!start()) {
        GTEST_SKIP();
    }
    HttpClient client(port());
    client.send("GET /x.php/info?a=b HTTP/1.1\r\nHost: a.com\r\n\r\n");
    const std::string request = requestAt(fastCgi_, 0, test::record(5, ""));
    const std::string_view params = std::string_view(request).substr(24); // behind BEGIN_REQUEST and a header
    const auto variables = test::pairsOf(params.substr(0, params.size() - 16));
    EXPECT_THAT(variables, Contains(Pair("SCRIPT_FILENAME", folder_.at("www/a.com/x.php"))));
    EXPECT_THAT(variables, Contains(Pair("PATH_INFO", "/info")));
    EXPECT_THAT(variables, Contains(Pair("REQUEST_URI", "/x.php/info?a=b")));
    fastCgi_.send(0, test::out("Content-Type: text/html\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n\r\nhello") +
                         test::endRequest());
    const std::string answer = client.receive();
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
    EXPECT_THAT(answer, HasSubstr("\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n"));
    EXPECT_THAT(answer, Not(HasSubstr("Access-Control")));
    EXPECT_THAT(answer, EndsWith("\r\n\r\nhello"));

    fastCgi_.connections[0].received.clear();
    client.send("POST /x.php HTTP/1.1\r\nHost: a.com\r\nContent-Length: 3\r\n\r\nabc");
    until(fastCgi_, [&] {
        const std::string_view all(fastCgi_.connections.back().received);
        return all.ends_with(test::record(5, "abc") + test::record(5, ""));
    });
    fastCgi_.send(fastCgi_.connections.size() - 1, test::out("Status: 201\n\n") + test::endRequest());
    EXPECT_THAT(client.receive(), StartsWith("HTTP/1.1 201 Created\r\n"));
}

TEST_P(RunningEngineForwardTest, PassesRequestsOn) {
    if (!start()) {
        GTEST_SKIP();
    }
    HttpClient client(port());
    client.send("GET /y.njs?q HTTP/1.1\r\nHost: a.com\r\n\r\n");
    EXPECT_THAT(requestAt(http_, 0, "\r\n\r\n"), StartsWith("GET /y.njs?q HTTP/1.1\r\nHost: 127.0.0.1:"));
    http_.send(0, "HTTP/1.1 404 Nope\r\nContent-Length: 4\r\n\r\nnope");
    const std::string answer = client.receive();
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 404 Not Found\r\n"));
    EXPECT_THAT(answer, EndsWith("nope"));
}

TEST_P(RunningEngineForwardTest, SaysWhenTheOtherServerIsDown) {
    if (!start()) {
        GTEST_SKIP();
    }
    fastCgi_.stop();
    HttpClient client(port());
    EXPECT_THAT(client.get("/x.php"), StartsWith("HTTP/1.1 502 Bad Gateway\r\n"));
    EXPECT_THAT(client.get("/y.php"), StartsWith("HTTP/1.1 404 Not Found\r\n"));
    EXPECT_THAT(client.get("/z.php5"), StartsWith("HTTP/1.1 404 Not Found\r\n")) << "never its source";
}

TEST_P(RunningEngineForwardTest, ReloadsAndStopsWhileAnAnswerIsMade) {
    if (!start()) {
        GTEST_SKIP();
    }
    HttpClient first(port()), second(port());
    first.send("GET /x.php HTTP/1.1\r\nHost: a.com\r\n\r\n");
    requestAt(fastCgi_, 0, test::record(5, ""));
    ASSERT_TRUE(engine_->reload());
    fastCgi_.send(0, test::out("X: y\n\nold") + test::endRequest());
    EXPECT_THAT(first.receive(), EndsWith("old"));

    fastCgi_.connections[0].received.clear();
    second.send("GET /x.php HTTP/1.1\r\nHost: a.com\r\n\r\n");
    until(fastCgi_, [&] {
        return std::string_view(fastCgi_.connections.back().received).ends_with(test::record(5, ""));
    });
    engine_->stop(control::StopMode::now);
    EXPECT_TRUE(second.isAtEnd());
}

INSTANTIATE_TEST_SUITE_P(Backends, RunningEngineForwardTest, ::testing::Values("epoll", "io_uring"));

} // namespace
} // namespace saker::host
