// Parts of sites that other servers answer, through the whole engine: the test is the other servers.

#include "host/running_engine.h"

#include "support/fake_upstream.h"
#include "support/temp_folder.h"
#include "unit/host/http_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include <fmt/format.h>

namespace saker::host {
namespace {

using test::HttpClient;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

struct NoOwner final : EngineOwner {
    void onStartProgress(const StartProgress&) override {}
    void requestStop(control::StopMode) override {}
    void requestRestart() override {}
};

class RunningEngineRoutesTest : public testing::TestWithParam<const char*> {
protected:
    /// False when the backend is not to be had here. `more`: settings, with a comma in front.
    bool start(const std::string& routes, const std::string& more = {}) {
        folder_.write("www/a.com/api/file.txt", "a file");
        folder_.write("www/a.com/index.html", "home");
        folder_.write("saker.json",
                      fmt::format(R"({{ "BackendDir": "www", "HttpPorts": [0], "HttpsPorts": [], "Workers": 1,
                              "ListenAddresses": ["127.0.0.1"], "EventBackend": "{}", "DefaultSite": "a.com",
                              "Sites": {{"a.com": {{"Routes": [{}]}}}} {} }})",
                                  GetParam(), routes, more));
        auto config = ConfigStore().load(folder_.at("saker.json"));
        EXPECT_TRUE(config) << config.error().text();
        engine_ = std::make_unique<RunningEngine>(*config, Overrides{}, owner_);
        const auto started = engine_->start();
        EXPECT_TRUE(started || GetParam() == std::string_view("io_uring")) << started.error().text();
        return started.ok();
    }
    std::uint16_t port() { return engine_->listening()[0].address.port; }
    std::string both() const {
        return fmt::format(R"(["http://{}", "http://{}"])", one_.address(), two_.address());
    }
    /// Until one of the servers has a whole request; answers it with the server's name. Returns the request.
    std::string serve(std::string_view fields = {}) {
        for (int i = 0; i < 20000; ++i) {
            for (test::FakeUpstream* server : {&one_, &two_}) {
                server->poll();
                for (std::size_t c = 0; c < server->connections.size(); ++c) {
                    std::string& received = server->connections[c].received;
                    if (received.find("\r\n\r\n") != std::string::npos) {
                        server->send(c, fmt::format("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n{}\r\n{}",
                                                    fields, server == &one_ ? "one" : "two"));
                        return std::exchange(received, {});
                    }
                }
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        ADD_FAILURE() << "no server was asked";
        return {};
    }
    std::string ask(HttpClient& client, std::string_view target, std::string_view fields = {}) {
        client.send(fmt::format("GET {} HTTP/1.1\r\nHost: a.com\r\n{}\r\n", target, fields));
        asked_ = serve();
        return client.receive();
    }

    test::TempFolder folder_;
    NoOwner owner_;
    test::FakeUpstream one_, two_;
    std::string asked_; // the request that a server got
    std::unique_ptr<RunningEngine> engine_;
};

TEST_P(RunningEngineRoutesTest, LongestPathWinsBeforeFiles) {
    if (!start(fmt::format(R"({{"Path": "/api", "Proxy": ["http://{}"]}},
                               {{"Path": "/api/two/", "Proxy": ["http://{}"], "StripPrefix": true}})",
                           one_.address(), two_.address()))) {
        GTEST_SKIP();
    }
    HttpClient client(port());
    EXPECT_THAT(client.get("/"), EndsWith("home"));
    EXPECT_THAT(client.get("/apix"), StartsWith("HTTP/1.1 404"));
    EXPECT_THAT(ask(client, "/api/file.txt?q"), EndsWith("one"));
    EXPECT_THAT(asked_, StartsWith("GET /api/file.txt?q HTTP/1.1\r\nHost: 127.0.0.1:"));
    EXPECT_THAT(ask(client, "/api/two"), EndsWith("two"));
    EXPECT_THAT(asked_, StartsWith("GET / HTTP/1.1\r\n"));
    EXPECT_THAT(ask(client, "/x/../api/two/a%20b"), EndsWith("two"));
    EXPECT_THAT(asked_, StartsWith("GET /a%20b HTTP/1.1\r\n"));
}

TEST_P(RunningEngineRoutesTest, ChangesHostAndHeaders) {
    if (!start(fmt::format(R"({{"Path": "/", "Proxy": ["http://{}"], "Host": "client", "Rewrite": "/v2/",
                               "RequestHeaders": {{"X-Key": "k", "Cookie": ""}},
                               "ResponseHeaders": {{"X-Powered-By": "", "X-Route": "r"}}}})",
                           one_.address()))) {
        GTEST_SKIP();
    }
    HttpClient client(port());
    client.send("GET /a HTTP/1.1\r\nHost: a.com\r\nCookie: c=1\r\nX-Key: own\r\n\r\n");
    const std::string asked =
        serve("X-Powered-By: x\r\nLocation: http://127.0.0.1:" + std::to_string(one_.port()) + "/v2/b\r\n");
    EXPECT_THAT(asked, StartsWith("GET /v2/a HTTP/1.1\r\nHost: a.com\r\n"));
    EXPECT_THAT(asked, HasSubstr("\r\nX-Key: k\r\n"));
    EXPECT_THAT(asked, Not(HasSubstr("own")));
    EXPECT_THAT(asked, Not(HasSubstr("Cookie")));
    const std::string answer = client.receive();
    EXPECT_THAT(answer, HasSubstr("\r\nX-Route: r\r\n"));
    EXPECT_THAT(answer, HasSubstr("\r\nLocation: /b\r\n"));
    EXPECT_THAT(answer, Not(HasSubstr("X-Powered-By")));
}

TEST_P(RunningEngineRoutesTest, ServerThatIsDeadCostsNobodyAnError) {
    if (!start(fmt::format(R"({{"Path": "/", "Proxy": {}, "MaxFails": 2}})", both()))) {
        GTEST_SKIP();
    }
    HttpClient client(port());
    EXPECT_THAT(ask(client, "/"), EndsWith("one"));
    EXPECT_THAT(ask(client, "/"), EndsWith("two"));
    one_.stop();
    for (int i = 0; i < 8; ++i) {
        EXPECT_THAT(ask(client, "/"), EndsWith("two")) << i;
    }
    two_.stop();
    EXPECT_THAT(client.get("/"), StartsWith("HTTP/1.1 50"));
}

TEST_P(RunningEngineRoutesTest, AsksAnotherServerWhenTheConnectionIsLostBeforeAnAnswer) {
    if (!start(fmt::format(R"({{"Path": "/", "Proxy": {}}})", both()))) {
        GTEST_SKIP();
    }
    HttpClient client(port());
    for (bool mayRepeat : {true, false}) {
        SCOPED_TRACE(mayRepeat);
        client.send(fmt::format("{} / HTTP/1.1\r\nHost: a.com\r\nContent-Length: 3\r\n\r\nabc",
                                mayRepeat ? "PUT" : "POST"));
        bool isLost = false;
        for (int i = 0; i < 20000 && !isLost; ++i) {
            for (test::FakeUpstream* server : {&one_, &two_}) {
                server->poll();
                for (std::size_t c = 0; c < server->connections.size(); ++c) {
                    std::string& received = server->connections[c].received;
                    if (!isLost && std::string_view(received).ends_with("abc")) {
                        isLost = true;
                        received.clear();
                        server->close(c);
                    }
                }
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        ASSERT_TRUE(isLost);
        if (mayRepeat) {
            EXPECT_THAT(serve(), EndsWith("abc"));
            EXPECT_THAT(client.receive(), StartsWith("HTTP/1.1 200"));
        } else {
            EXPECT_THAT(client.receive(), StartsWith("HTTP/1.1 502"));
        }
    }
}

TEST_P(RunningEngineRoutesTest, CookieLeadsBackToTheSameServer) {
    if (!start(fmt::format(R"({{"Path": "/", "Proxy": {}, "Balance": "cookie", "StickyCookie": "to"}})",
                           both()))) {
        GTEST_SKIP();
    }
    HttpClient client(port());
    const std::string first = ask(client, "/");
    const std::size_t at = first.find("Set-Cookie: to=");
    ASSERT_NE(at, std::string::npos);
    const std::string cookie = first.substr(at + 12, first.find(';', at) - at - 12);
    const std::string server = first.substr(first.size() - 3);
    for (int i = 0; i < 4; ++i) {
        const std::string answer = ask(client, "/", "Cookie: x=y; " + cookie + "\r\n");
        EXPECT_THAT(answer, EndsWith(server));
        EXPECT_THAT(answer, Not(HasSubstr("Set-Cookie")));
    }
    (server == "one" ? one_ : two_).stop();
    EXPECT_THAT(ask(client, "/", "Cookie: " + cookie + "\r\n"), HasSubstr("Set-Cookie: to="));
}

TEST_P(RunningEngineRoutesTest, BelievesTrustedProxiesOnly) {
    for (bool isTrusted : {true, false}) {
        SCOPED_TRACE(isTrusted);
        if (!start(fmt::format(R"({{"Path": "/", "Proxy": ["http://{}"]}})", one_.address()),
                   isTrusted ? R"(, "TrustedProxies": ["127.0.0.0/8"])" : "")) {
            GTEST_SKIP();
        }
        HttpClient client(port());
        ask(client, "/", "X-Forwarded-For: 6.6.6.6, 192.0.2.9\r\nX-Forwarded-Proto: https\r\n");
        if (isTrusted) {
            EXPECT_THAT(asked_, HasSubstr("\r\nX-Forwarded-For: 6.6.6.6, 192.0.2.9, 127.0.0.1\r\n"));
            EXPECT_THAT(asked_, HasSubstr("\r\nX-Forwarded-Proto: https\r\n"));
            EXPECT_THAT(asked_, HasSubstr("\r\nX-Real-IP: 192.0.2.9\r\n"));
        } else {
            EXPECT_THAT(asked_, HasSubstr("\r\nX-Forwarded-For: 127.0.0.1\r\n"));
            EXPECT_THAT(asked_, HasSubstr("\r\nX-Forwarded-Proto: http\r\n"));
            EXPECT_THAT(asked_, Not(HasSubstr("6.6.6.6")));
        }
        engine_.reset();
    }
}

INSTANTIATE_TEST_SUITE_P(Backends, RunningEngineRoutesTest, testing::Values("epoll", "io_uring"));

} // namespace
} // namespace saker::host
