// Tunnels from a client's HTTP/1.1 connection to an upstream, over real sockets.
#include "http/h1/h1_connection.h"
#include "net/tcp_transport.h"
#include "unit/upstream/upstream_fixture.h"
#include "upstream/upstream_exchange.h"

#include <gmock/gmock.h>

#include <random>

#include <sys/socket.h>

namespace saker::upstream {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// "Q\n" asks; "u\n" agrees, "h\n" answers with a head alone, anything else is a failure.
class AskProtocol final : public UpstreamProtocol {
public:
    bool needsLength() const override { return false; }
    bool isIdempotent() const override { return true; }
    void begin(const RequestBody&, BufferChain& out) override { out.append(std::string("Q\n")); }
    void encodeBody(BufferChain&, BufferChain&) override {}
    void encodeEnd(BufferChain&) override {}
    void encodeAbort(BufferChain&) override {}
    ReplyEvent next(std::string_view input) override {
        using Kind = ReplyEvent::Kind;
        if (isDone_) {
            return {Kind::end};
        }
        const std::size_t newline = input.find('\n');
        line_ += input.substr(0, newline);
        if (newline == std::string_view::npos) {
            return {Kind::more, input.size()};
        }
        const std::size_t used = newline + 1;
        if (line_ == "u") {
            reply_.head.status = 101;
            reply_.head.set("Upgrade", "websocket");
            reply_.head.set("Sec-WebSocket-Protocol", "chat");
            return {Kind::upgraded, used};
        }
        if (line_ == "h") {
            isDone_ = true;
            reply_.head.status = 403;
            reply_.hasBody = false;
            reply_.bodyLength = 0;
            return {Kind::head, used};
        }
        failure_ = {502, "it said something else"};
        return {Kind::failed};
    }
    ReplyEvent finish() override {
        failure_ = {502, "it closed the connection"};
        return {ReplyEvent::Kind::failed};
    }
    ReplyHead takeHead() override { return std::move(reply_); }
    const std::vector<http::ResponseHead::Field>& trailers() const override { return trailers_; }
    const ReplyFailure& failure() const override { return failure_; }
    bool isReusable() const override { return false; }

private:
    std::string line_;
    ReplyHead reply_;
    ReplyFailure failure_;
    std::vector<http::ResponseHead::Field> trailers_;
    bool isDone_ = false;
};

/// What it refers to must not be needed once there is a tunnel.
struct Told {
    int brokenOff = 0;
    std::string refusal, detail;
};

class Answers final : public ReplyHandler {
public:
    explicit Answers(Told& told) : told_(told) {}
    bool onHead(http::Exchange&, ReplyHead&) override { return true; }
    std::string onUpgrade(http::Exchange&, ReplyHead&) override { return told_.refusal; }
    void onFailure(http::Exchange& exchange, int status, const std::string& detail) override {
        told_.detail = detail;
        http::ResponseHead head;
        head.status = status;
        exchange.respond(head, BufferChain());
    }
    void onBrokenOff(http::Exchange&, const std::string&) override { ++told_.brokenOff; }
    void onErrorText(http::Exchange&, std::string_view) override {}

private:
    Told& told_;
};

std::string randomText(std::size_t size, unsigned seed) {
    std::mt19937_64 random(seed);
    std::string text(size, '\0');
    for (char& c : text) {
        c = static_cast<char>(random());
    }
    return text;
}

class TunnelTest : public UpstreamFixture, protected http::Handler {
protected:
    void SetUp() override {
        UpstreamFixture::SetUp();
        if (!loop_) {
            return;
        }
        makePool();
        context_ = std::make_unique<http::LoopContext>(*loop_, counters_, slowClients_, connections_);
        settings_ = makeRef<http::ConnectionSettings>();
        settings_->handler = this;
        settings_->owner = std::shared_ptr<void>(nullptr, [this](void*) { isConfigurationGone_ = true; });
        context_->setSettings(settings_);
        int ends[2];
        ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), 0);
        client_ = ends[0];
        http::H1Connection::start(
            net::TcpTransport::open(*loop_, ends[1], *loop::SocketAddress::parse("127.0.0.1", 50000)),
            *context_);
    }
    void TearDown() override {
        closeClient();
        if (context_) {
            context_->abortAll();
        }
        UpstreamFixture::TearDown();
        settings_ = {};
        context_.reset();
        EXPECT_EQ(limit_.open(), 0U);
        EXPECT_EQ(counters_.read().tunnelsActive(), 0U);
    }

    void handle(http::Exchange& exchange) override {
        auto terms = std::make_unique<TunnelTerms>(TunnelTerms{idle_, endpoint_, limit_.take(0)});
        UpstreamExchange::start(exchange.retain(), std::make_unique<AskProtocol>(), pool_,
                                std::make_unique<Answers>(told_), {}, std::move(terms));
    }
    Page errorPage(int, std::string_view) override { return {}; }

    void closeClient(bool reset = false) {
        if (client_ >= 0) {
            if (reset) { // unread bytes make it one
                server_.send(0, "x");
            }
            ::close(std::exchange(client_, -1));
        }
    }
    std::size_t say(std::string_view bytes) {
        const ssize_t n = ::send(client_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        return n > 0 ? static_cast<std::size_t>(n) : 0;
    }
    void hear(std::size_t most = 1 << 20) {
        std::string bytes(most, '\0');
        const ssize_t n = ::recv(client_, bytes.data(), bytes.size(), MSG_DONTWAIT);
        if (n > 0) {
            heard_.append(bytes, 0, static_cast<std::size_t>(n));
        } else if (n == 0 || errno != EAGAIN) {
            isEnded_ = true;
            isReset_ = n < 0;
        }
    }
    void untilHeard(const std::function<bool()>& condition) {
        until([&] {
            if (client_ >= 0 && !isEnded_) {
                hear();
            }
            return condition();
        });
    }
    std::string& upstream() { return server_.connections.at(0).received; }
    /// Up to the tunnel; heard_ and upstream() are empty then.
    void open(std::string_view early = {}, std::string_view rest = {}) {
        say("GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n" +
            std::string(early));
        until([&] { return !server_.connections.empty() && upstream().size() >= 2; });
        ASSERT_EQ(upstream(), "Q\n");
        upstream().clear();
        server_.send(0, "u\n" + std::string(rest));
        untilHeard([&] { return heard_.find("\r\n\r\n") != std::string::npos; });
        ASSERT_THAT(heard_, StartsWith("HTTP/1.1 101 Switching Protocols\r\n"));
        EXPECT_THAT(heard_, HasSubstr("\r\nUpgrade: websocket\r\n"));
        EXPECT_THAT(heard_, HasSubstr("\r\nConnection: upgrade\r\n"));
        EXPECT_THAT(heard_, HasSubstr("\r\nSec-WebSocket-Protocol: chat\r\n"));
        heard_.erase(0, heard_.find("\r\n\r\n") + 4);
    }

    observe::LoopCounters counters_{0};
    http::SlowClients slowClients_;
    std::atomic<std::uint64_t> connections_{0};
    std::unique_ptr<http::LoopContext> context_;
    Ref<http::ConnectionSettings> settings_;
    TunnelLimit limit_;
    Told told_;
    std::uint64_t idle_ = 60'000, endpoint_ = 60'000;
    int client_ = -1;
    std::string heard_;
    bool isEnded_ = false, isReset_ = false;
    bool isConfigurationGone_ = false;
};

TEST_P(TunnelTest, CarriesBytesBothWays) {
    open("early", "rest");
    untilHeard([&] { return heard_ == "rest" && upstream() == "early"; });
    EXPECT_EQ(counters_.read().tunnelsActive(), 1U);
    EXPECT_EQ(limit_.open(), 1U);
    say("more");
    server_.send(0, "again");
    untilHeard([&] { return heard_ == "restagain" && upstream() == "earlymore"; });
}

TEST_P(TunnelTest, IsExactWithMuchInBothDirectionsAtOnceAndSlowReaders) {
    open();
    const std::string up = randomText(3'000'000, 1), down = randomText(3'000'000, 2);
    std::size_t said = 0, sent = 0, round = 0;
    until([&] {
        ++round;
        said += say(std::string_view(up).substr(said, 100'000));
        sent += server_.send(0, std::string_view(down).substr(sent, 100'000));
        server_.isDeaf = round % 7 != 0 && said < up.size();
        if (round % 5 == 0 || sent == down.size()) {
            hear(50'000);
        }
        return heard_.size() == down.size() && upstream().size() == up.size();
    });
    EXPECT_TRUE(heard_ == down);
    EXPECT_TRUE(upstream() == up);
}

TEST_P(TunnelTest, ASlowReaderHoldsTheOtherSideUp) {
    open();
    const std::string part(100'000, 'x');
    std::size_t sent = 0;
    int still = 0; // turns in which nothing was taken
    until([&] {
        const std::size_t more = server_.send(0, part);
        sent += more;
        still = more == 0 ? still + 1 : 0;
        return still > 50;
    });
    EXPECT_LT(sent, 64U << 20);
    untilHeard([&] { return heard_.size() == sent; });
}

TEST_P(TunnelTest, EachWayEndsByItself) {
    open();
    say("last");
    ::shutdown(client_, SHUT_WR);
    until([&] { return server_.connections[0].isEnded; });
    EXPECT_EQ(upstream(), "last");
    server_.send(0, "goes on");
    untilHeard([&] { return heard_ == "goes on"; });
    EXPECT_FALSE(isEnded_);
    server_.close(0);
    untilHeard([&] { return isEnded_; });
    EXPECT_FALSE(isReset_);
    until([&] { return limit_.open() == 0; });
}

TEST_P(TunnelTest, TheUpstreamMayEndFirst) {
    open();
    server_.send(0, "bye");
    ::shutdown(server_.connections[0].fd, SHUT_WR);
    untilHeard([&] { return isEnded_; });
    EXPECT_EQ(heard_, "bye");
    say("answer");
    until([&] { return upstream() == "answer"; });
    ::shutdown(client_, SHUT_WR);
    until([&] { return server_.connections[0].isEnded && limit_.open() == 0; });
}

TEST_P(TunnelTest, AClientThatBreaksOffEndsTheUpstreams) {
    open();
    closeClient(true);
    until([&] { return server_.connections[0].isEnded && limit_.open() == 0; });
    EXPECT_EQ(told_.brokenOff, 0);
}

TEST_P(TunnelTest, AnUpstreamThatBreaksOffIsPassedOn) {
    open();
    server_.send(0, "half");
    untilHeard([&] { return heard_ == "half"; });
    server_.close(0, true);
    untilHeard([&] { return isEnded_ && limit_.open() == 0; });
}

TEST_P(TunnelTest, OutlivesItsConfiguration) {
    open();
    auto other = makeRef<http::ConnectionSettings>();
    other->handler = this;
    context_->setSettings(std::move(other));
    settings_ = {};
    until([&] { return isConfigurationGone_; });
    say("still");
    server_.send(0, "here");
    untilHeard([&] { return heard_ == "here" && upstream() == "still"; });
}

TEST_P(TunnelTest, EndsWhenNothingMoves) {
    idle_ = 30;
    open();
    untilHeard([&] { return isEnded_ && server_.connections[0].isEnded; });
    EXPECT_FALSE(isReset_);
    until([&] { return limit_.open() == 0; });
}

TEST_P(TunnelTest, EndsSoonWhenTheServerStops) {
    open();
    context_->drain();
    say("x");
    until([&] { return upstream() == "x"; });
    EXPECT_FALSE(isEnded_);
    untilHeard([&] { return isEnded_ && server_.connections[0].isEnded; });
}

TEST_P(TunnelTest, ARefusalIsAnAnswer) {
    say("GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
    until([&] { return !server_.connections.empty() && upstream() == "Q\n"; });
    server_.send(0, "h\n");
    untilHeard([&] { return heard_.find("\r\n\r\n") != std::string::npos; });
    EXPECT_THAT(heard_, StartsWith("HTTP/1.1 403 "));
    EXPECT_FALSE(isEnded_);
    EXPECT_EQ(limit_.open(), 0U);
    EXPECT_EQ(counters_.read().tunnelsOpened, 0U);
}

TEST_P(TunnelTest, AnAgreementThatIsWrongIsABadGateway) {
    told_.refusal = "not that";
    say("GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
    until([&] { return !server_.connections.empty() && upstream() == "Q\n"; });
    server_.send(0, "u\n");
    untilHeard([&] { return heard_.find("\r\n\r\n") != std::string::npos; });
    EXPECT_THAT(heard_, StartsWith("HTTP/1.1 502 "));
    EXPECT_THAT(told_.detail, HasSubstr("not that"));
}

TEST_P(TunnelTest, AnUpstreamThatSaysNothingIsATimeOut) {
    endpoint_ = 30;
    say("GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
    untilHeard([&] { return heard_.find("\r\n\r\n") != std::string::npos; });
    EXPECT_THAT(heard_, StartsWith("HTTP/1.1 504 "));
    EXPECT_EQ(limit_.open(), 0U);
}

TEST_P(TunnelTest, AnUpstreamThatIsDownIsABadGateway) {
    server_.stop();
    say("GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
    untilHeard([&] { return heard_.find("\r\n\r\n") != std::string::npos; });
    EXPECT_THAT(heard_, StartsWith("HTTP/1.1 502 "));
    EXPECT_EQ(limit_.open(), 0U);
}

TEST(TunnelLimit, GivesSoManyPlacesAtOnce) {
    TunnelLimit limit;
    {
        const auto one = limit.take(2);
        auto two = limit.take(2);
        EXPECT_TRUE(one && two);
        EXPECT_FALSE(limit.take(2));
        EXPECT_EQ(limit.open(), 2U);
        two = {};
        EXPECT_TRUE(limit.take(2));
        EXPECT_TRUE(limit.take(0));
    }
    EXPECT_EQ(limit.open(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Backends, TunnelTest, loop::everyBackend(),
                         [](const auto& info) { return loop::variantName(info.param); });

} // namespace
} // namespace saker::upstream
