// TLS as the client over the loopback; the test is the server.

#include "tls/tls_connector.h"

#include "net/connector.h"
#include "support/fake_upstream.h"
#include "support/temp_folder.h"
#include "support/test_certificates.h"
#include "tls/tls_transport.h"
#include "unit/loop/loop_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include <openssl/err.h>

namespace saker::tls {
namespace {

using testing::HasSubstr;

/// The server's side of one connection.
class Server {
public:
    explicit Server(SSL_CTX& context) : ssl_(SSL_new(&context)) {
        in_ = BIO_new(BIO_s_mem());
        out_ = BIO_new(BIO_s_mem());
        BIO_set_mem_eof_return(in_, -1);
        SSL_set_bio(ssl_.get(), in_, out_);
        SSL_set_accept_state(ssl_.get());
    }
    /// What the client sent; returns what it gets.
    std::string take(std::string_view bytes) {
        BIO_write(in_, bytes.data(), static_cast<int>(bytes.size()));
        char buffer[4096];
        std::size_t size = 0;
        while (SSL_read_ex(ssl_.get(), buffer, sizeof buffer, &size) == 1) {
            received.append(buffer, size);
            SSL_write_ex(ssl_.get(), buffer, size, &size); // an echo
        }
        ERR_clear_error();
        char* data = nullptr;
        const long made = BIO_get_mem_data(out_, &data);
        std::string answer(data, static_cast<std::size_t>(made));
        (void)BIO_reset(out_);
        return answer;
    }
    SSL* ssl() const { return ssl_.get(); }
    std::string received;

private:
    SslPtr ssl_;
    BIO* in_ = nullptr;  // the SSL's
    BIO* out_ = nullptr; // the SSL's
};

class TlsConnectorTest : public loop::LoopFixture,
                         private net::ConnectUser,
                         private net::SecureUser,
                         private net::TransportUser {
protected:
    void SetUp() override {
        loop::LoopFixture::SetUp();
        if (loop_) {
            shared_.emplace(*loop_, counters_, nullptr);
            ticker_.loop = loop_.get();
            ticker_.onTimer();
            folder_.write("ca.pem", authority_.pem());
        }
    }
    void TearDown() override {
        if (loop_) {
            endConnection();
            until([&] { return loop_->socketCount() == 0; });
            ticker_.cancel();
        }
        shared_.reset();
    }

    ConnectorOptions connectorOptions(const std::string& host = "a.test") {
        ConnectorOptions options;
        options.host = host;
        options.caFile = folder_.at("ca.pem");
        options.protocol = "http/1.1";
        return options;
    }
    void serve(const test::Issued& issued) {
        context_.reset(SSL_CTX_new(TLS_server_method()));
        SSL_CTX_use_certificate(context_.get(), issued.certificate.get());
        SSL_CTX_use_PrivateKey(context_.get(), issued.key.get());
        SSL_CTX_set_session_id_context(context_.get(), reinterpret_cast<const unsigned char*>("t"), 1);
    }
    void connect(TlsConnector& connector) {
        connector_ = connector.shared_from_this();
        secured_ = nullptr;
        problem_.clear();
        isTimeout_ = isClosed_ = false;
        echoed_.clear();
        net::Connector::start(*loop_, {*loop::SocketAddress::parse("127.0.0.1", upstream_.port()), {}}, 5000,
                              *this);
    }
    /// A handshake's outcome: "" when it is done.
    std::string outcome(const ConnectorOptions& options) {
        auto connector = TlsConnector::make(*shared_, options);
        EXPECT_TRUE(connector) << connector.error().text();
        connect(**connector);
        until([&] { return secured_ != nullptr || !problem_.empty(); });
        endConnection();
        return problem_;
    }
    void endConnection() {
        if (secured_ != nullptr && !isClosed_) {
            secured_->close();
            until([&] { return isClosed_; });
        }
        secured_ = nullptr;
    }
    void until(const std::function<bool()>& condition) {
        runUntil([&] {
            upstream_.poll();
            while (servers_.size() < upstream_.connections.size() && context_) {
                servers_.push_back(std::make_unique<Server>(*context_));
            }
            for (std::size_t i = 0; i < servers_.size(); ++i) {
                std::string& received = upstream_.connections[i].received;
                if (!received.empty()) {
                    upstream_.send(i, servers_[i]->take(std::exchange(received, {})));
                }
            }
            return condition();
        });
    }

    test::TempFolder folder_;
    test::Authority authority_;
    test::FakeUpstream upstream_;
    SslContextPtr context_; // null: the server says nothing
    std::vector<std::unique_ptr<Server>> servers_;
    observe::LoopCounters counters_{0};
    std::optional<TlsLoop> shared_;
    std::shared_ptr<TlsConnector> connector_;
    net::Transport* secured_ = nullptr;
    std::string problem_, echoed_;
    std::uint64_t patience_ = 5000;
    bool isTimeout_ = false;
    bool isClosed_ = false;
    bool isCancelling_ = false;

private:
    void onConnected(net::Transport& transport) override {
        connector_->secure(transport, patience_, *this);
        if (isCancelling_) {
            connector_->cancel(*this);
        }
    }
    void onConnectFailed(const Error& error, bool) override { problem_ = error.text(); }
    void onSecured(net::Transport& transport) override {
        secured_ = &transport;
        transport.start(*this);
    }
    void onNotSecured(const std::string& reason, bool isTimeout) override {
        problem_ = reason;
        isTimeout_ = isTimeout;
    }
    void onData(std::span<const char> bytes) override { echoed_.append(bytes.data(), bytes.size()); }
    void onPeerClosed() override {}
    void onDrained() override {}
    void onBroken(int) override {}
    void onClosed() override { isClosed_ = true; }

    struct Ticker final : loop::Timer {
        loop::EventLoop* loop = nullptr;
        void onTimer() override { loop->timers().set(*this, loop->now() + 1); }
    } ticker_;
};

TEST_P(TlsConnectorTest, CarriesBytesAndTakesSessionsUpAgain) {
    serve(authority_.issue({{"a.test"}}));
    auto connector = TlsConnector::make(*shared_, connectorOptions());
    ASSERT_TRUE(connector);
    for (bool isAgain : {false, true}) {
        SCOPED_TRACE(isAgain);
        connect(**connector);
        until([&] { return secured_ != nullptr || !problem_.empty(); });
        ASSERT_NE(secured_, nullptr) << problem_;
        EXPECT_TRUE(secured_->isEncrypted());
        BufferChain chain;
        chain.append(std::string(100'000, 'x'));
        secured_->write(chain);
        until([&] { return echoed_.size() == 100'000; });
        SSL* const server = servers_.back()->ssl();
        EXPECT_EQ(SSL_session_reused(server) == 1, isAgain);
        EXPECT_STREQ(SSL_get_servername(server, TLSEXT_NAMETYPE_host_name), "a.test");
        endConnection();
    }
}

TEST_P(TlsConnectorTest, SaysWhatIsWrongWithACertificate) {
    serve(authority_.issue({{"a.test"}}));
    EXPECT_EQ(outcome(connectorOptions()), "");
    EXPECT_THAT(outcome(connectorOptions("b.test")), HasSubstr("ostname mismatch"));
    EXPECT_THAT(outcome(connectorOptions("127.0.0.1")), HasSubstr("IP address mismatch"));
    test::Wanted wanted{{"a.test"}};
    wanted.startsIn = -7200;
    wanted.endsIn = -3600;
    serve(authority_.issue(wanted));
    EXPECT_THAT(outcome(connectorOptions()), HasSubstr("certificate has expired"));
    serve(test::selfSigned({{"a.test"}}));
    EXPECT_THAT(outcome(connectorOptions()), HasSubstr("self-signed certificate"));
    ConnectorOptions lax = connectorOptions("b.test");
    lax.verify = false;
    EXPECT_EQ(outcome(lax), "");
    serve(authority_.issue({{}, {"127.0.0.1"}, test::KeyKind::ecdsa, "x"}));
    EXPECT_EQ(outcome(connectorOptions("127.0.0.1")), "");
}

TEST_P(TlsConnectorTest, GivesUpOnServersThatSayNothingOrSomethingElse) {
    patience_ = 30;
    EXPECT_THAT(outcome(connectorOptions()), HasSubstr("too long"));
    EXPECT_TRUE(isTimeout_);
    patience_ = 5000;
    auto connector = TlsConnector::make(*shared_, connectorOptions());
    connect(**connector);
    until([&] { return upstream_.connections.size() == 2 && !upstream_.connections[1].received.empty(); });
    upstream_.send(1, "HTTP/1.1 400 Bad Request\r\n\r\n");
    until([&] { return !problem_.empty(); });
    EXPECT_THAT(problem_, HasSubstr("TLS handshake failed"));
}

TEST_P(TlsConnectorTest, IsCancelled) {
    isCancelling_ = true;
    auto connector = TlsConnector::make(*shared_, connectorOptions());
    connect(**connector);
    until([&] { return !upstream_.connections.empty() && upstream_.connections[0].isEnded; });
    until([&] { return loop_->socketCount() == 0; });
    EXPECT_EQ(problem_, "");
    EXPECT_EQ(shared_->handshakeCount(), 0u);
}

TEST_P(TlsConnectorTest, RefusesFilesThatAreNone) {
    ConnectorOptions wrong = connectorOptions();
    wrong.caFile = folder_.at("none.pem");
    const auto made = TlsConnector::make(*shared_, wrong);
    ASSERT_FALSE(made);
    EXPECT_THAT(made.error().text(), HasSubstr("none.pem"));
    wrong = connectorOptions();
    wrong.certificate = folder_.at("ca.pem"); // without a key
    EXPECT_FALSE(TlsConnector::make(*shared_, wrong));
}

INSTANTIATE_TEST_SUITE_P(Backends, TlsConnectorTest, loop::everyBackend(),
                         [](const auto& info) { return loop::variantName(info.param); });

} // namespace
} // namespace saker::tls
