#include "upstream/upstream_exchange.h"

#include "base/text.h"
#include "support/fake_exchange.h"
#include "unit/upstream/upstream_fixture.h"

#include <gmock/gmock.h>

namespace saker::upstream {
namespace {

using test::FakeExchange;
using ::testing::EndsWith;
using ::testing::HasSubstr;

/// Lines, so that a test's server needs no parser: "Q length\n" and the body's bytes; replies are commands:
/// "i" interim, "h" head, "h5" head with a length of 5, "b12345\n" body, "e" error text, "." end, "!"
/// failure.
class LineProtocol final : public UpstreamProtocol {
public:
    LineProtocol(bool isIdempotent, bool needsLength)
        : isIdempotent_(isIdempotent), needsLength_(needsLength) {}

    bool needsLength() const override { return needsLength_; }
    bool isIdempotent() const override { return isIdempotent_; }
    void begin(const RequestBody& body, BufferChain& out) override {
        isSent_ = body.kind == RequestBody::Kind::none;
        line_.clear();
        out.append("Q" + std::to_string(body.length) + (body.kind == RequestBody::Kind::unknown ? "?" : "") +
                   "\n");
    }
    void encodeBody(BufferChain& data, BufferChain& out) override {
        out.append(std::move(data));
        data.clear();
    }
    void encodeEnd(BufferChain& out) override {
        isSent_ = true;
        out.append(std::string("|"));
    }
    void encodeAbort(BufferChain& out) override { out.append(std::string("ABORT")); }

    ReplyEvent next(std::string_view input) override {
        using Kind = ReplyEvent::Kind;
        if (isLineDone_) {
            line_.clear();
        }
        const std::size_t newline = input.find('\n');
        isLineDone_ = newline != std::string_view::npos;
        line_ += input.substr(0, newline);
        if (!isLineDone_) {
            return {Kind::more, input.size()};
        }
        const std::size_t end = newline;
        const std::string_view line = line_;
        switch (line.empty() ? '?' : line[0]) {
        case 'i':
            reply_.head.status = 103;
            return {Kind::interim, end + 1};
        case 'h':
            reply_ = {};
            reply_.head.set("X-From", "upstream");
            reply_.bodyLength = parseDecimal(line.substr(1));
            return {Kind::head, end + 1};
        case 'n': // no body
            reply_ = {};
            reply_.hasBody = false;
            return {Kind::head, end + 1};
        case 'b':
            return {Kind::body, end + 1, line.substr(1)};
        case 'e':
            return {Kind::errorText, end + 1, line.substr(1)};
        case '.':
            return {Kind::end, end + 1};
        default:
            failure_ = {503, "it said " + std::string(line)};
            return {Kind::failed, end + 1};
        }
    }
    ReplyEvent finish() override {
        failure_ = {502, "it closed the connection"};
        return {ReplyEvent::Kind::failed};
    }
    ReplyHead takeHead() override { return std::move(reply_); }
    const std::vector<http::ResponseHead::Field>& trailers() const override { return trailers_; }
    const ReplyFailure& failure() const override { return failure_; }
    bool isReusable() const override { return isSent_; }

private:
    bool isIdempotent_, needsLength_;
    bool isSent_ = false;
    std::string line_;
    bool isLineDone_ = false;
    ReplyHead reply_;
    ReplyFailure failure_;
    std::vector<http::ResponseHead::Field> trailers_;
};

struct Told {
    int failures = 0, brokenOff = 0;
    int status = 0;
    std::string detail, errorText;
    bool intercept = false;
};

class Handler final : public ReplyHandler {
public:
    explicit Handler(Told& told) : told_(told) {}
    bool onHead(http::Exchange&, ReplyHead& reply) override {
        reply.head.set("X-By", "handler");
        return !told_.intercept;
    }
    void onFailure(http::Exchange& exchange, int status, const std::string& detail) override {
        ++told_.failures;
        told_.status = status;
        told_.detail = detail;
        http::ResponseHead head;
        head.status = status;
        exchange.respond(head, BufferChain());
    }
    void onBrokenOff(http::Exchange&, const std::string& detail) override {
        ++told_.brokenOff;
        told_.detail = detail;
    }
    void onErrorText(http::Exchange&, std::string_view text) override { told_.errorText += text; }

private:
    Told& told_;
};

class UpstreamExchangeTest : public UpstreamFixture {
protected:
    void SetUp() override {
        UpstreamFixture::SetUp();
        if (loop_) {
            makePool();
        }
    }

    Ref<FakeExchange> request(std::string_view method = "GET", const FakeExchange::Fields& fields = {}) {
        auto exchange = makeRef<FakeExchange>(*loop_, method, "/", "a", fields);
        exchange->hasBody = !fields.empty();
        return exchange;
    }
    void start(const Ref<FakeExchange>& exchange, bool isIdempotent = true, bool needsLength = false) {
        UpstreamExchange::start(exchange->retain(), std::make_unique<LineProtocol>(isIdempotent, needsLength),
                                pool_, std::make_unique<Handler>(told_), options_);
    }
    /// A GET that was started.
    Ref<FakeExchange> started() {
        auto exchange = request();
        start(exchange);
        return exchange;
    }
    void untilReceived(std::size_t connection, std::string_view text) {
        until([&] {
            return server_.connections.size() > connection &&
                   server_.connections[connection].received == text;
        });
        if (server_.connections.size() > connection) {
            server_.connections[connection].received.clear();
        }
    }
    /// An idle connection in the pool.
    void warm() {
        auto exchange = started();
        untilReceived(0, "Q0\n");
        server_.send(0, "h\n.\n");
        until([&] { return exchange->bodyEnded; });
        EXPECT_EQ(pool_->idleCount(), 1U);
    }

    ExchangeOptions options_;
    Told told_;
};

TEST_P(UpstreamExchangeTest, answers) {
    auto exchange = started();
    untilReceived(0, "Q0\n");
    server_.send(0, "h\nbhello \nbworld\n.\n");
    until([&] { return exchange->bodyEnded; });
    EXPECT_EQ(exchange->status(), 200);
    EXPECT_EQ(exchange->body(), "hello world");
    EXPECT_EQ(exchange->field("X-From"), "upstream");
    EXPECT_EQ(exchange->field("X-By"), "handler");
    if (GetParam().kind != loop::BackendKind::fault) {
        EXPECT_EQ(exchange->field("Content-Length"), "11") << "it came whole";
    }
    EXPECT_EQ(pool_->idleCount(), 1U);
    EXPECT_EQ(exchange->references(), 1U) << "nothing is left";
}

TEST_P(UpstreamExchangeTest, streamsAsItComes) {
    auto exchange = started();
    untilReceived(0, "Q0\n");
    server_.send(0, "i\nh\nb1\n");
    until([&] { return exchange->body() == "1"; });
    EXPECT_EQ(exchange->interims.size(), 1U);
    EXPECT_FALSE(exchange->has("Content-Length"));
    server_.send(0, "b2\n");
    until([&] { return exchange->body() == "12"; });
    server_.send(0, "b3\n.\n");
    until([&] { return exchange->bodyEnded; });
    EXPECT_EQ(exchange->body(), "123");
    EXPECT_EQ(pool_->idleCount(), 1U);
    EXPECT_EQ(exchange->references(), 1U);
}

TEST_P(UpstreamExchangeTest, sendsTheHeadBeforeTheBodyComes) {
    auto exchange = started();
    untilReceived(0, "Q0\n");
    server_.send(0, "h3\n");
    until([&] { return exchange->isAnswered(); });
    EXPECT_EQ(exchange->field("Content-Length"), "3");
    server_.send(0, "b123\n.\n");
    until([&] { return exchange->bodyEnded; });
}

TEST_P(UpstreamExchangeTest, collectsReplies) {
    options_.bufferReply = 5;
    auto exchange = started();
    untilReceived(0, "Q0\n");
    server_.send(0, "h\nb12\n");
    turns(20);
    EXPECT_FALSE(exchange->isAnswered());
    server_.send(0, "b345\n");
    until([&] { return exchange->body() == "12345"; });
    server_.send(0, ".\n");
    until([&] { return exchange->bodyEnded; });
}

TEST_P(UpstreamExchangeTest, usesAConnectionForManyRequests) {
    warm();
    for (int i = 0; i < 3; ++i) {
        auto exchange = started();
        untilReceived(0, "Q0\n");
        server_.send(0, "h\nb" + std::to_string(i) + "\n.\n");
        until([&] { return exchange->bodyEnded; });
        EXPECT_EQ(exchange->body(), std::to_string(i));
    }
    EXPECT_EQ(server_.connections.size(), 1U);
}

TEST_P(UpstreamExchangeTest, doesNotKeepAConnectionThatSaidMore) {
    auto exchange = started();
    untilReceived(0, "Q0\n");
    server_.send(0, "h\n.\nh\nbfor somebody else\n.\n");
    until([&] { return exchange->bodyEnded; });
    EXPECT_EQ(exchange->body(), "");
    EXPECT_EQ(pool_->idleCount(), 0U);
    EXPECT_EQ(pool_->connectionCount(), 0U);
}

TEST_P(UpstreamExchangeTest, answersWithoutBody) {
    auto exchange = request("HEAD");
    start(exchange);
    untilReceived(0, "Q0\n");
    server_.send(0, "n\n");
    until([&] { return exchange->isAnswered(); });
    server_.send(0, ".\n");
    until([&] { return pool_->idleCount() == 1; });
    EXPECT_EQ(exchange->references(), 1U);
}

TEST_P(UpstreamExchangeTest, passesErrorTextOn) {
    auto exchange = started();
    untilReceived(0, "Q0\n");
    server_.send(0, "eoops\nh\n.\n");
    until([&] { return exchange->bodyEnded; });
    EXPECT_EQ(told_.errorText, "oops");
}

TEST_P(UpstreamExchangeTest, letsTheHandlerAnswerInAnotherWay) {
    told_.intercept = true;
    auto exchange = started();
    untilReceived(0, "Q0\n");
    server_.send(0, "h\nbunwanted\n.\n");
    until([&] { return pool_->idleCount() == 1; });
    EXPECT_FALSE(exchange->isAnswered());
    EXPECT_EQ(exchange->references(), 1U);
}

// ---- bodies of requests ----

TEST_P(UpstreamExchangeTest, streamsABody) {
    auto exchange = request("POST", {{"Content-Length", "6"}});
    start(exchange, false);
    EXPECT_TRUE(exchange->isBodyPaused) << "nobody reads it yet";
    until([&] { return exchange->reader != nullptr; });
    EXPECT_FALSE(exchange->isBodyPaused);
    exchange->reader->onBody("abc");
    untilReceived(0, "Q6\nabc");
    exchange->reader->onBody("def");
    exchange->reader->onBodyEnd();
    untilReceived(0, "def|");
    server_.send(0, "h\n.\n");
    until([&] { return exchange->bodyEnded; });
    EXPECT_EQ(pool_->idleCount(), 1U);
}

TEST_P(UpstreamExchangeTest, streamsABodyOfUnknownLength) {
    auto exchange = request("POST", {{"Transfer-Encoding", "chunked"}});
    start(exchange, false);
    until([&] { return exchange->reader != nullptr; });
    exchange->reader->onBody("abc");
    exchange->reader->onBodyEnd();
    untilReceived(0, "Q0?\nabc|");
    server_.send(0, "h\n.\n");
    until([&] { return exchange->bodyEnded; });
}

TEST_P(UpstreamExchangeTest, collectsABodyWhoseLengthHasToBeKnown) {
    test::TempFolder folder;
    options_.spool = {4, folder.at("")};
    auto exchange = request("POST", {{"Transfer-Encoding", "chunked"}});
    start(exchange, false, true);
    ASSERT_NE(exchange->reader, nullptr);
    for (int i = 0; i < 5; ++i) {
        exchange->reader->onBody("abc");
    }
    turns(5);
    server_.poll();
    EXPECT_EQ(server_.connections.size(), 0U);
    exchange->reader->onBodyEnd();
    untilReceived(0, "Q15\nabcabcabcabcabc|");
    server_.send(0, "h\n.\n");
    until([&] { return exchange->bodyEnded; });
}

TEST_P(UpstreamExchangeTest, saysWhenABodyCannotBeKept) {
    options_.spool = {4, "/nowhere/at/all"};
    auto exchange = request("POST", {{"Transfer-Encoding", "chunked"}});
    start(exchange, false, true);
    exchange->reader->onBody("abcdef");
    EXPECT_EQ(told_.status, 503);
    EXPECT_THAT(told_.detail,
                HasSubstr("the request's body cannot be kept: /nowhere/at/all: making a temporary"));
    EXPECT_EQ(exchange->references(), 1U);
}

TEST_P(UpstreamExchangeTest, slowsDownAClientWhoseUpstreamIsSlow) {
    auto exchange = request("POST", {{"Content-Length", "50000000"}});
    start(exchange, false);
    until([&] { return exchange->reader != nullptr && server_.connections.size() == 1; });
    server_.isDeaf = true;
    std::uint64_t sent = 0;
    const std::string part(60000, 'x');
    for (int i = 0; i < 1000 && !exchange->isBodyPaused; ++i) {
        exchange->reader->onBody(part);
        sent += part.size();
        turns(1);
    }
    EXPECT_TRUE(exchange->isBodyPaused);
    EXPECT_LT(sent, 50'000'000U);
    server_.isDeaf = false;
    until([&] { return !exchange->isBodyPaused; });
    until([&] { return server_.connections[0].received.size() == sent + 10; });
    exchange->abandon();
}

TEST_P(UpstreamExchangeTest, takesAnAnswerBeforeTheBodyIsSent) {
    auto exchange = request("POST", {{"Content-Length", "6"}});
    start(exchange, false);
    until([&] { return exchange->reader != nullptr; });
    exchange->reader->onBody("abc");
    untilReceived(0, "Q6\nabc");
    server_.send(0, "h\nbno\n.\n");
    until([&] { return exchange->bodyEnded; });
    EXPECT_EQ(exchange->body(), "no");
    EXPECT_EQ(exchange->reader, nullptr) << "the rest is dropped";
    EXPECT_EQ(pool_->connectionCount(), 0U) << "it waits for the rest of a body";
}

// ---- clients ----

TEST_P(UpstreamExchangeTest, slowsDownAnUpstreamWhoseClientIsSlow) {
    options_.mostUnsent = 100'000;
    auto exchange = request();
    exchange->isSlow = true;
    start(exchange);
    untilReceived(0, "Q0\n");
    server_.send(0, "h\n");
    until([&] { return exchange->isAnswered(); });
    const std::string line = "b" + std::string(9998, 'x') + "\n";
    std::uint64_t sent = 0;
    // The system's buffers are full when nothing went for a while.
    std::uint64_t since = loop_->now();
    until([&] {
        if (const std::size_t n = server_.send(0, std::string_view(line).substr(sent % line.size()))) {
            sent += n;
            since = loop_->now();
        }
        return sent > 50'000'000 || loop_->now() > since + 50;
    });
    EXPECT_LT(sent, 50'000'000U);
    exchange->isSlow = false;
    exchange->pullBody();
    until([&] { return exchange->body().size() >= sent / line.size() * (line.size() - 2); });
    exchange->abandon();
    EXPECT_EQ(pool_->connectionCount(), 0U);
}

TEST_P(UpstreamExchangeTest, abortsWhenTheClientGoesAway) {
    auto waiting = started();
    waiting->abandon(); // while it waits for a connection
    EXPECT_EQ(waiting->references(), 1U);
    until([&] { return pool_->idleCount() == 1; });

    auto running = started();
    untilReceived(0, "Q0\n");
    running->abandon();
    until([&] { return server_.connections[0].received == "ABORT" && server_.connections[0].isEnded; });
    EXPECT_EQ(running->references(), 1U);

    auto streaming = started();
    untilReceived(1, "Q0\n");
    server_.send(1, "h\nb1\n");
    until([&] { return streaming->body() == "1"; });
    streaming->abandon();
    until([&] { return server_.connections[1].received == "ABORT" && server_.connections[1].isEnded; });
    EXPECT_EQ(pool_->connectionCount(), 0U);
    EXPECT_EQ(streaming->references(), 1U);

    auto uploading = request("POST", {{"Content-Length", "6"}});
    start(uploading, false);
    until([&] { return uploading->reader != nullptr; });
    uploading->abandon();
    until([&] { return server_.connections.size() == 3 && server_.connections[2].isEnded; });
    EXPECT_EQ(uploading->references(), 1U);
    EXPECT_EQ(told_.failures, 0);
}

// ---- failures ----

TEST_P(UpstreamExchangeTest, saysThatTheUpstreamIsDown) {
    server_.stop();
    auto exchange = started();
    until([&] { return exchange->isAnswered(); });
    EXPECT_EQ(told_.status, 502);
    EXPECT_THAT(told_.detail, HasSubstr("http://127.0.0.1:"));
    EXPECT_THAT(told_.detail, EndsWith("Connection refused"));
    EXPECT_EQ(exchange->references(), 1U);
}

TEST_P(UpstreamExchangeTest, dropsTheBodyOfARequestThatNobodyTakes) {
    server_.stop();
    auto exchange = request("POST", {{"Content-Length", "6"}});
    start(exchange, false);
    until([&] { return exchange->isAnswered(); });
    EXPECT_FALSE(exchange->isBodyPaused);
    EXPECT_EQ(exchange->reader, nullptr);
}

TEST_P(UpstreamExchangeTest, saysWhatThereWasInPlaceOfAnAnswer) {
    auto closed = started();
    untilReceived(0, "Q0\n");
    server_.close(0);
    until([&] { return closed->isAnswered(); });
    EXPECT_EQ(told_.status, 502);
    EXPECT_THAT(told_.detail, EndsWith(": it closed the connection"));

    auto nonsense = started();
    untilReceived(1, "Q0\n");
    server_.send(1, "!nonsense\n");
    until([&] { return nonsense->isAnswered(); });
    EXPECT_EQ(told_.status, 503);
    EXPECT_THAT(told_.detail, EndsWith(": it said !nonsense"));
    EXPECT_EQ(pool_->connectionCount(), 0U);

    auto reset = started();
    untilReceived(2, "Q0\n");
    server_.close(2, true);
    until([&] { return reset->isAnswered(); });
    EXPECT_EQ(told_.status, 502);
    EXPECT_THAT(told_.detail, HasSubstr(": the connection broke ("));
}

TEST_P(UpstreamExchangeTest, takesTheAnswerOfAnUpstreamThatDoesNotWantTheBody) {
    auto exchange = request("POST", {{"Content-Length", "50000000"}});
    start(exchange, false);
    until([&] { return exchange->reader != nullptr && server_.connections.size() == 1; });
    server_.isDeaf = true;
    bool hasSpoken = false;
    until([&] {
        if (exchange->reader != nullptr && !exchange->isBodyPaused) {
            exchange->reader->onBody(std::string(60000, 'x'));
        } else if (!std::exchange(hasSpoken, true)) {
            server_.send(0, "h\nbtoo large\n.\n");
            server_.close(0); // with bytes unread: a reset
        }
        return exchange->bodyEnded || exchange->bodyFailed;
    });
    EXPECT_EQ(exchange->body(), "too large");
    EXPECT_EQ(told_.failures, 0);
    EXPECT_EQ(pool_->connectionCount(), 0U);
}

TEST_P(UpstreamExchangeTest, doesNotWaitLongForTheAnswerOfABrokenConnection) {
    auto exchange = request("POST", {{"Content-Length", "50000000"}});
    start(exchange, false);
    until([&] { return exchange->reader != nullptr && server_.connections.size() == 1; });
    server_.close(0, true);
    until([&] {
        if (exchange->reader != nullptr && !exchange->isBodyPaused) {
            exchange->reader->onBody(std::string(60000, 'x'));
        }
        return exchange->isAnswered();
    });
    EXPECT_EQ(told_.status, 502);
    EXPECT_EQ(exchange->references(), 1U);
}

TEST_P(UpstreamExchangeTest, cutsOffAnAnswerThatBreaks) {
    auto exchange = started();
    untilReceived(0, "Q0\n");
    server_.send(0, "h\nb1\n");
    until([&] { return exchange->body() == "1"; });
    server_.send(0, "b2\n!\n");
    until([&] { return exchange->bodyFailed; });
    EXPECT_EQ(exchange->body(), "12");
    EXPECT_EQ(told_.brokenOff, 1);
    EXPECT_EQ(told_.failures, 0);
    EXPECT_EQ(exchange->references(), 1U);
}

TEST_P(UpstreamExchangeTest, answersWhatBreaksBeforeTheClientHasSeenIt) {
    options_.bufferReply = 100;
    auto exchange = started();
    untilReceived(0, "Q0\n");
    server_.send(0, "h\nb1\n");
    turns(10);
    server_.close(0);
    until([&] { return exchange->isAnswered(); });
    EXPECT_EQ(told_.status, 502);
}

TEST_P(UpstreamExchangeTest, doesNotWaitForEver) {
    options_.receiveTimeout = 150;
    auto silent = started();
    until([&] { return silent->isAnswered(); });
    EXPECT_EQ(told_.status, 504);
    EXPECT_THAT(told_.detail, EndsWith(": it sent nothing for 150 ms"));

    auto stuck = started();
    untilReceived(1, "Q0\n");
    server_.send(1, "h\nb1\n");
    until([&] { return stuck->bodyFailed; });
    EXPECT_EQ(told_.brokenOff, 1);
}

TEST_P(UpstreamExchangeTest, doesNotWaitForEverToSend) {
    options_.sendTimeout = 30;
    auto exchange = request("POST", {{"Content-Length", "50000000"}});
    start(exchange, false);
    until([&] { return exchange->reader != nullptr && server_.connections.size() == 1; });
    server_.isDeaf = true;
    until([&] {
        if (exchange->reader != nullptr && !exchange->isBodyPaused) {
            exchange->reader->onBody(std::string(60000, 'x'));
        }
        return exchange->isAnswered();
    });
    EXPECT_EQ(told_.status, 504);
    EXPECT_THAT(told_.detail, EndsWith(": it took nothing of the request for 30 ms"));
}

TEST_P(UpstreamExchangeTest, doesNotBlameTheUpstreamForASlowClient) {
    options_.receiveTimeout = 5;
    auto exchange = request("POST", {{"Content-Length", "6"}});
    start(exchange, false);
    untilReceived(0, "Q6\n");
    const std::uint64_t from = loop_->now();
    until([&] { return loop_->now() > from + 30; });
    EXPECT_FALSE(exchange->isAnswered());
    exchange->abandon();
}

// ---- once more ----

TEST_P(UpstreamExchangeTest, sendsAgainWhenAnIdleConnectionWasClosed) {
    warm();
    auto exchange = started();
    untilReceived(0, "Q0\n");
    server_.close(0, true);
    untilReceived(1, "Q0\n");
    server_.send(1, "h\nbagain\n.\n");
    until([&] { return exchange->bodyEnded; });
    EXPECT_EQ(exchange->body(), "again");
    EXPECT_EQ(told_.failures, 0);
}

TEST_P(UpstreamExchangeTest, sendsAgainWithTheBodySoFar) {
    warm();
    auto exchange = request("PUT", {{"Content-Length", "6"}});
    start(exchange);
    until([&] { return exchange->reader != nullptr; });
    exchange->reader->onBody("abc");
    untilReceived(0, "Q6\nabc");
    server_.close(0);
    untilReceived(1, "Q6\nabc");
    EXPECT_FALSE(exchange->isBodyPaused);
    exchange->reader->onBody("def");
    exchange->reader->onBodyEnd();
    untilReceived(1, "def|");
    server_.send(1, "h\n.\n");
    until([&] { return exchange->bodyEnded; });
}

TEST_P(UpstreamExchangeTest, sendsAgainOnlyOnce) {
    warm();
    auto exchange = started();
    untilReceived(0, "Q0\n");
    server_.close(0);
    untilReceived(1, "Q0\n");
    server_.close(1);
    until([&] { return exchange->isAnswered(); });
    EXPECT_EQ(told_.status, 502);
}

TEST_P(UpstreamExchangeTest, doesNotSendTwiceWhatMustNotBe) {
    warm();
    auto exchange = request();
    start(exchange, false);
    untilReceived(0, "Q0\n");
    server_.close(0);
    until([&] { return exchange->isAnswered(); });
    EXPECT_EQ(told_.status, 502);
    server_.poll();
    EXPECT_EQ(server_.connections.size(), 1U);
}

TEST_P(UpstreamExchangeTest, doesNotSendAgainOnceAnAnswerHasBegun) {
    warm();
    auto exchange = started();
    untilReceived(0, "Q0\n");
    server_.send(0, "h");
    turns(10);
    server_.close(0);
    until([&] { return exchange->isAnswered(); });
    EXPECT_EQ(told_.status, 502);
}

TEST_P(UpstreamExchangeTest, doesNotSendAgainAfterTooMuchOfABody) {
    warm();
    auto exchange = request("PUT", {{"Content-Length", "100000"}});
    start(exchange);
    until([&] { return exchange->reader != nullptr; });
    exchange->reader->onBody(std::string(70000, 'x'));
    until([&] { return server_.connections[0].received.size() == 70008; });
    server_.close(0);
    until([&] { return exchange->isAnswered(); });
    EXPECT_EQ(told_.status, 502);
}

INSTANTIATE_TEST_SUITE_P(Backends, UpstreamExchangeTest, loop::everyBackend(),
                         [](const auto& info) { return loop::variantName(info.param); });

} // namespace
} // namespace saker::upstream
