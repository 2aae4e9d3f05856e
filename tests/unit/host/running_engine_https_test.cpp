// HTTPS through the whole engine: what reloads, sites and stops do to connections.
#include "host/running_engine.h"
#include "support/temp_folder.h"
#include "support/test_credentials.h"
#include "unit/host/http_client.h"

#include <gmock/gmock.h>

#include <fmt/format.h>

#include <openssl/err.h>
#include <openssl/ssl.h>

namespace saker::host {
namespace {

using test::MadeCertificate;
using testing::HasSubstr;
using testing::StartsWith;

class NoOwner final : public EngineOwner {
public:
    void onStartProgress(const StartProgress&) override {}
    void requestStop(control::StopMode) override {}
    void requestRestart() override {}
};

/// A blocking client that trusts anybody.
class HttpsClient {
public:
    HttpsClient(std::uint16_t port, const std::string& serverName, const MadeCertificate* own = nullptr,
                SSL_SESSION* session = nullptr)
        : plain_(port), context_(SSL_CTX_new(TLS_client_method())) {
        if (own != nullptr) {
            SSL_CTX_use_certificate(context_.get(), own->certificate.get());
            SSL_CTX_use_PrivateKey(context_.get(), own->key.get());
        }
        ssl_.reset(SSL_new(context_.get()));
        SSL_set_fd(ssl_.get(), plain_.fd());
        SSL_set_tlsext_host_name(ssl_.get(), serverName.c_str());
        if (session != nullptr) {
            SSL_set_session(ssl_.get(), session);
        }
        isConnected = SSL_connect(ssl_.get()) == 1;
        ERR_clear_error();
    }

    bool isConnected = false;

    std::string get(std::string_view target, std::string_view host) {
        const std::string request = fmt::format("GET {} HTTP/1.1\r\nHost: {}\r\n\r\n", target, host);
        std::size_t size = 0;
        SSL_write_ex(ssl_.get(), request.data(), request.size(), &size);
        std::string got;
        char byte = 0;
        std::size_t whole = std::string::npos;
        while (got.size() < whole && SSL_read_ex(ssl_.get(), &byte, 1, &size) == 1) {
            got += byte;
            if (whole == std::string::npos && got.ends_with("\r\n\r\n")) {
                const std::size_t field = got.find("Content-Length: ");
                whole =
                    got.size() +
                    (field == std::string::npos ? 0 : std::strtoull(got.c_str() + field + 16, nullptr, 10));
            }
        }
        ERR_clear_error();
        return got;
    }
    /// The server's end: said, not cut.
    bool isEndedProperly() {
        char byte = 0;
        std::size_t size = 0;
        const int outcome = SSL_read_ex(ssl_.get(), &byte, 1, &size);
        const bool ended = SSL_get_error(ssl_.get(), outcome) == SSL_ERROR_ZERO_RETURN;
        ERR_clear_error();
        return ended;
    }
    bool isResumed() const { return SSL_session_reused(ssl_.get()) == 1; }
    SSL* ssl() const { return ssl_.get(); }

private:
    test::HttpClient plain_; // the socket's owner
    tls::SslContextPtr context_;
    tls::SslPtr ssl_;
};

struct SessionFree {
    void operator()(SSL_SESSION* session) const { SSL_SESSION_free(session); }
};

class HttpsTest : public testing::Test {
protected:
    HttpsTest() {
        folder_.write("www/a.com/x.txt", "hello");
        folder_.write("www/closed.test/x.txt", "secret");
        folder_.write("ca.pem", authority_.pem());
    }
    ~HttpsTest() override { engine_.reset(); }

    void configure(std::string_view more = "") {
        folder_.write(
            "saker.json",
            fmt::format(R"({{ {} "BackendDir": "www", "HttpPorts": [0], "HttpsPorts": [0], "Workers": 2,
                                     "ListenAddresses": ["127.0.0.1"], "CertDir": "certs" }})",
                        more));
    }
    void start(std::string_view more = "") {
        configure(more);
        auto config = ConfigStore().load(folder_.at("saker.json"));
        ASSERT_TRUE(config) << config.error().text();
        engine_ = std::make_unique<RunningEngine>(*config, Overrides{}, owner_);
        auto started = engine_->start();
        ASSERT_TRUE(started) << started.error().text();
    }
    std::uint16_t port(bool tls = true) {
        for (const ListeningAddress& one : engine_->listening()) {
            if (one.tls == tls) {
                return one.address.port;
            }
        }
        return 0;
    }

    test::TempFolder folder_;
    NoOwner owner_;
    MadeCertificate authority_ = test::makeCertificate("authority", false, nullptr, true);
    MadeCertificate friend_ = test::makeCertificate("friend", false, &authority_);
    std::unique_ptr<RunningEngine> engine_;
};

TEST_F(HttpsTest, ServesBesidesHttp) {
    start();
    HttpsClient client(port(), "a.com");
    ASSERT_TRUE(client.isConnected);
    EXPECT_THAT(client.get("/x.txt", "a.com"), testing::EndsWith("hello"));
    test::HttpClient plain(port(false));
    EXPECT_THAT(plain.get("/x.txt"), testing::EndsWith("hello"));
    auto stats = engine_->services().stats(std::chrono::milliseconds(0));
    EXPECT_EQ(stats.tlsHandshakes, 1U);
    EXPECT_EQ(stats.tls13, 1U);
    EXPECT_EQ(stats.connections, 2U);
}

TEST_F(HttpsTest, ConnectionsAndSessionsLiveThroughReloads) {
    start();
    HttpsClient client(port(), "a.com");
    EXPECT_THAT(client.get("/x.txt", "a.com"), StartsWith("HTTP/1.1 200 "));
    const std::unique_ptr<SSL_SESSION, SessionFree> session(SSL_get1_session(client.ssl()));
    for (int i = 0; i < 20; ++i) {
        configure(i % 2 == 0 ? R"("TlsProfile": "modern", "Hsts": {"MaxAge": 9},)" : "");
        auto report = engine_->services().reload();
        ASSERT_TRUE(report) << report.error().text();
        EXPECT_EQ(client.get("/x.txt", "a.com").find("max-age=9") != std::string::npos, i % 2 == 0);
    }
    HttpsClient again(port(), "a.com", nullptr, session.get());
    EXPECT_TRUE(again.isConnected && again.isResumed());
}

TEST_F(HttpsTest, ASiteMayAskForCertificates) {
    start(R"("Sites": {"closed.test": {"ClientCertificates": {"Mode": "required", "CaFile": "ca.pem"}}},)");
    HttpsClient open(port(), "a.com", &friend_);
    EXPECT_THAT(open.get("/x.txt", "a.com"), StartsWith("HTTP/1.1 200 "));
    EXPECT_THAT(open.get("/x.txt", "closed.test"),
                AllOf(StartsWith("HTTP/1.1 421 "), Not(HasSubstr("secret"))));
    HttpsClient known(port(), "closed.test", &friend_);
    EXPECT_THAT(known.get("/x.txt", "closed.test"), testing::EndsWith("secret"));
    EXPECT_THAT(known.get("/x.txt", "a.com"), StartsWith("HTTP/1.1 421 "));
    HttpsClient stranger(port(), "closed.test"); // in TLS 1.3 it learns with the first answer
    EXPECT_EQ(stranger.get("/x.txt", "closed.test"), "");
    EXPECT_THAT(test::HttpClient(port(false)).get("/x.txt", "closed.test"), StartsWith("HTTP/1.1 403 "));
    // The same rules after a reload: their connections go on.
    ASSERT_TRUE(engine_->services().reload());
    EXPECT_THAT(known.get("/x.txt", "closed.test"), testing::EndsWith("secret"));
}

TEST_F(HttpsTest, EndsIdleAndSilentConnectionsWhenItStops) {
    start();
    HttpsClient idle(port(), "a.com");
    EXPECT_THAT(idle.get("/x.txt", "a.com"), StartsWith("HTTP/1.1 200 "));
    test::HttpClient silent(port());
    test::HttpClient shaking(port());
    shaking.send("\x16\x03\x01");
    auto stop = std::thread([&] { engine_->stop(control::StopMode::graceful); });
    EXPECT_TRUE(idle.isEndedProperly());
    EXPECT_TRUE(silent.isAtEnd());
    shaking.close();
    stop.join();
}

TEST_F(HttpsTest, LeadsToThePortThatItGot) {
    start(R"("HttpsRedirect": true,)");
    EXPECT_THAT(test::HttpClient(port(false)).get("/x.txt?q"),
                AllOf(StartsWith("HTTP/1.1 301 "),
                      HasSubstr(fmt::format("\r\nLocation: https://a.com:{}/x.txt?q\r\n", port()))));
}

} // namespace
} // namespace saker::host
