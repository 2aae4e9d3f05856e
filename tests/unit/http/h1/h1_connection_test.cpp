#include "http/h1/h1_connection.h"

#include "support/fake_transport.h"
#include "support/run_until.h"
#include "support/test_handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

namespace saker::http {
namespace {

using test::TestHandler;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class H1ConnectionTest : public testing::Test {
protected:
    H1ConnectionTest() {
        auto settings = makeRef<ConnectionSettings>();
        settings->handler = &handler;
        settings->maxBody = 1000;
        settingsForTest = settings.get();
        context.setSettings(std::move(settings));
        H1Connection::start(transport, context);
    }
    ~H1ConnectionTest() override {
        handler.waiting.clear();
        transport.finishClose();
        EXPECT_EQ(connections.load(), 0U);
    }

    static std::unique_ptr<loop::EventLoop> makeLoop() {
        loop::LoopOptions options;
        options.backend = loop::BackendKind::epoll;
        return std::move(*loop::EventLoop::create(options));
    }

    void expectClosed(bool lingering) {
        EXPECT_TRUE(transport.isClosed);
        EXPECT_EQ(transport.wasLingering, lingering);
    }

    std::unique_ptr<loop::EventLoop> loop = makeLoop();
    observe::LoopCounters counters{0};
    SlowClients slowClients;
    std::atomic<std::uint64_t> connections{0};
    TestHandler handler;
    LoopContext context{*loop, counters, slowClients, connections};
    test::FakeTransport transport{*loop};
    ConnectionSettings* settingsForTest = nullptr;
};

const std::string kGet = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n";

std::size_t count(std::string_view text, std::string_view what) {
    std::size_t n = 0;
    for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + what.size())) {
        ++n;
    }
    return n;
}

TEST_F(H1ConnectionTest, AnswersAndStaysOpen) {
    transport.receive(kGet);
    EXPECT_THAT(transport.sent, StartsWith("HTTP/1.1 200 OK\r\n"));
    EXPECT_THAT(transport.sent, HasSubstr("Content-Length: 2\r\n"));
    EXPECT_THAT(transport.sent, HasSubstr("Date: "));
    EXPECT_THAT(transport.sent, Not(HasSubstr("Connection:")));
    EXPECT_THAT(transport.sent, EndsWith("\r\n\r\n/a"));
    EXPECT_FALSE(transport.isClosed);
    EXPECT_EQ(counters.read().requests(), 1U);
}

TEST_F(H1ConnectionTest, AnswersTheSameHoweverTheBytesAreCut) {
    const std::string two = kGet + "POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc" + kGet;
    for (std::size_t cut = 1; cut < two.size(); ++cut) {
        test::FakeTransport peer(*loop);
        H1Connection::start(peer, context);
        peer.receive(two.substr(0, cut));
        peer.receive(two.substr(cut));
        EXPECT_EQ(count(peer.sent, "200 OK"), 3U) << "cut at " << cut;
        EXPECT_FALSE(peer.isClosed);
        peer.finishClose();
    }
}

TEST_F(H1ConnectionTest, TakesAHeadByteByByte) {
    for (char c : kGet + kGet) {
        transport.receive({&c, 1});
    }
    EXPECT_EQ(count(transport.sent, "200 OK"), 2U);
}

TEST_F(H1ConnectionTest, AnswersPipelinedRequestsInOrderEvenIfOneIsLate) {
    transport.receive("GET /later HTTP/1.1\r\nHost: x\r\n\r\nGET /second HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ(transport.sent, "");
    transport.receive("GET /third HTTP/1.1\r\nHost: x\r\n\r\n");
    ASSERT_EQ(handler.seen.size(), 1U);
    Ref<Exchange> late = handler.waiting[0];
    EXPECT_EQ(late->request().get(FieldName::host), "x"); // its own copy
    TestHandler::text(*late, "first");
    std::size_t a = transport.sent.find("first"), b = transport.sent.find("/second"),
                c = transport.sent.find("/third");
    EXPECT_LT(a, b);
    EXPECT_LT(b, c);
    EXPECT_NE(c, std::string::npos);
}

TEST_F(H1ConnectionTest, PausesReadingWhenAPipelinerDoesNotStop) {
    transport.receive("GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
    for (int i = 0; i < 5000 && !transport.isPaused; ++i) {
        transport.receive(kGet);
    }
    EXPECT_TRUE(transport.isPaused);
    TestHandler::text(*handler.waiting[0], "first");
    EXPECT_FALSE(transport.isPaused);
    EXPECT_EQ(count(transport.sent, "200 OK"), handler.seen.size());
}

TEST_F(H1ConnectionTest, HeadHasTheLengthButNoBody) {
    transport.receive("HEAD /abc HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_THAT(transport.sent, HasSubstr("Content-Length: 4\r\n"));
    EXPECT_THAT(transport.sent, EndsWith("\r\n\r\n"));
}

TEST_F(H1ConnectionTest, ClosesWhenAsked) {
    transport.receive("GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" + kGet);
    EXPECT_THAT(transport.sent, HasSubstr("Connection: close\r\n"));
    EXPECT_EQ(count(transport.sent, "200 OK"), 1U);
    expectClosed(false);
}

TEST_F(H1ConnectionTest, KeepsHttp10OpenOnlyWhenAsked) {
    transport.receive("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT_THAT(transport.sent, HasSubstr("Connection: keep-alive\r\n"));
    EXPECT_FALSE(transport.isClosed);
    transport.receive("GET /a HTTP/1.0\r\n\r\n");
    expectClosed(false);
}

TEST_F(H1ConnectionTest, RefusesWhatItCannotReadAndLingers) {
    transport.receive("GET /a HTTP/1.1\r\nHost: x\r\nBad Name: x\r\n\r\n");
    EXPECT_THAT(transport.sent, StartsWith("HTTP/1.1 400 "));
    EXPECT_THAT(transport.sent, HasSubstr("Connection: close\r\n"));
    EXPECT_THAT(transport.sent, EndsWith("error 400"));
    expectClosed(true);
    EXPECT_EQ(counters.read().requestsRejected, 1U);
}

TEST_F(H1ConnectionTest, RefusesWithoutABodyWhatBeginsAsHead) {
    transport.receive("\r\nHEAD /a HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n");
    EXPECT_THAT(transport.sent, StartsWith("HTTP/1.1 400 "));
    EXPECT_THAT(transport.sent, HasSubstr("Content-Length: 9\r\n"));
    EXPECT_THAT(transport.sent, EndsWith("\r\n\r\n"));
}

TEST_F(H1ConnectionTest, RefusesABodyThatIsTooLarge) {
    transport.receive("POST /read HTTP/1.1\r\nHost: x\r\nContent-Length: 1001\r\n\r\n");
    EXPECT_THAT(transport.sent, StartsWith("HTTP/1.1 413 "));
    EXPECT_TRUE(handler.seen.empty());
    expectClosed(true);
}

TEST_F(H1ConnectionTest, RefusesAChunkedBodyOnceItIsTooLarge) {
    transport.receive("POST /read HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3e8\r\n" +
                      std::string(1000, 'x') + "\r\n");
    EXPECT_EQ(transport.sent, "");
    transport.receive("1\r\nx\r\n");
    EXPECT_THAT(transport.sent, StartsWith("HTTP/1.1 413 "));
    EXPECT_TRUE(handler.reader.hasFailed);
    expectClosed(true);
}

TEST_F(H1ConnectionTest, GivesABodyToItsReader) {
    transport.receive("POST /read HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: "
                      "chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n" +
                      kGet);
    EXPECT_EQ(handler.reader.text, "abcde");
    EXPECT_TRUE(handler.reader.isEnded);
    TestHandler::text(*handler.waiting[0], "done");
    EXPECT_EQ(count(transport.sent, "200 OK"), 2U);
}

TEST_F(H1ConnectionTest, SlowsDownAClientWhoseReaderPauses) {
    settingsForTest->maxBody = 1 << 20;
    transport.receive("POST /read HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\nabc");
    Exchange& exchange = *handler.waiting[0];
    exchange.pauseBody();
    transport.receive(std::string(60000, 'x'));
    EXPECT_FALSE(transport.isPaused);
    transport.receive(std::string(60000, 'x'));
    EXPECT_TRUE(transport.isPaused);
    EXPECT_EQ(handler.reader.text, "abc");
    exchange.resumeBody();
    EXPECT_FALSE(transport.isPaused);
    EXPECT_EQ(handler.reader.text.size(), 120003U);
    transport.receive(std::string(79997, 'x') + kGet);
    EXPECT_TRUE(handler.reader.isEnded);
    TestHandler::text(exchange, "done");
    EXPECT_EQ(count(transport.sent, "200 OK"), 2U);
}

TEST_F(H1ConnectionTest, KeepsTheRestOfABodyWhoseClientHasStoppedSending) {
    transport.receive("POST /read HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\n");
    handler.waiting[0]->pauseBody();
    transport.receive("abcdef");
    transport.peerCloses();
    EXPECT_FALSE(transport.isClosed);
    handler.waiting[0]->resumeBody();
    EXPECT_EQ(handler.reader.text, "abcdef");
    EXPECT_TRUE(handler.reader.isEnded);
    TestHandler::text(*handler.waiting[0], "done");
    EXPECT_THAT(transport.sent, EndsWith("done"));
}

TEST_F(H1ConnectionTest, GivesUpOnABodyThatCannotBeCompleted) {
    transport.receive("POST /read HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\n");
    handler.waiting[0]->pauseBody();
    transport.receive("abc");
    transport.peerCloses();
    EXPECT_FALSE(transport.isClosed);
    handler.waiting[0]->resumeBody();
    EXPECT_TRUE(transport.isClosed);
}

TEST_F(H1ConnectionTest, DropsABodyThatNobodyWantsAnyMore) {
    transport.receive("POST /read HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\nab");
    handler.waiting[0]->pauseBody();
    transport.receive("cd");
    handler.waiting[0]->discardBody();
    TestHandler::text(*handler.waiting[0], "done");
    transport.receive("ef" + kGet);
    EXPECT_EQ(handler.reader.text, "ab");
    EXPECT_FALSE(handler.reader.isEnded);
    EXPECT_EQ(count(transport.sent, "200 OK"), 2U);
}

struct Watcher final : ExchangeWatcher {
    void onAbandoned() override { ++told; }
    int told = 0;
};

TEST_F(H1ConnectionTest, TellsTheWatcherThatTheClientIsGone) {
    Watcher watcher;
    transport.receive("GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
    handler.waiting[0]->watch(&watcher);
    transport.finishClose();
    EXPECT_EQ(watcher.told, 1);
}

TEST_F(H1ConnectionTest, SendsContinueOnlyToWhoWantsTheBody) {
    transport.receive("POST /read HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
    EXPECT_EQ(transport.sent, "HTTP/1.1 100 Continue\r\n\r\n");
    transport.receive("abc");
    TestHandler::text(*handler.waiting[0], "done");
    EXPECT_THAT(transport.sent, EndsWith("done"));
    EXPECT_FALSE(transport.isClosed);
}

TEST_F(H1ConnectionTest, AnswersWithoutContinueAndCloses) {
    transport.receive("POST /now HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
    EXPECT_THAT(transport.sent, StartsWith("HTTP/1.1 200 OK\r\n"));
    EXPECT_THAT(transport.sent, HasSubstr("Connection: close\r\n"));
    expectClosed(true);
}

TEST_F(H1ConnectionTest, TellsTheReaderThatTheClientIsGone) {
    transport.receive("POST /read HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc");
    transport.peerCloses();
    EXPECT_TRUE(transport.isClosed);
    transport.finishClose();
    EXPECT_TRUE(handler.reader.hasFailed);
    EXPECT_FALSE(handler.waiting[0]->isConnected());
    TestHandler::text(*handler.waiting[0], "nobody hears this");
}

TEST_F(H1ConnectionTest, AnswersAClientThatHasStoppedSending) {
    transport.receive("GET /later HTTP/1.1\r\nHost: x\r\n\r\n" + kGet);
    transport.peerCloses();
    EXPECT_FALSE(transport.isClosed);
    TestHandler::text(*handler.waiting[0], "first");
    EXPECT_EQ(count(transport.sent, "200 OK"), 2U);
    expectClosed(false);
}

TEST_F(H1ConnectionTest, WaitsForALongAnswerToLeave) {
    transport.holds = true;
    transport.receive("GET /big HTTP/1.1\r\nHost: x\r\n\r\n" + kGet);
    EXPECT_EQ(handler.seen.size(), 1U);
    EXPECT_EQ(counters.read().requests(), 0U);
    transport.holds = false;
    transport.drain();
    EXPECT_EQ(handler.seen.size(), 2U);
    EXPECT_EQ(counters.read().requests(), 2U);
    EXPECT_THAT(transport.sent, EndsWith("/a"));
}

TEST_F(H1ConnectionTest, StreamsChunksToHttp11) {
    transport.receive("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n" + kGet);
    EXPECT_THAT(transport.sent, HasSubstr("Transfer-Encoding: chunked\r\n"));
    EXPECT_THAT(transport.sent, EndsWith("\r\n\r\n3\r\none\r\n3\r\ntwo\r\n"));
    handler.source->parts = {"three"};
    handler.source->isEnded = true;
    handler.source->ready();
    EXPECT_THAT(transport.sent, HasSubstr("5\r\nthree\r\n0\r\n\r\n"));
    EXPECT_THAT(transport.sent, EndsWith("/a")); // and goes on
}

TEST_F(H1ConnectionTest, StreamsUntilCloseToHttp10) {
    transport.receive("GET /stream HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT_THAT(transport.sent, Not(HasSubstr("Transfer-Encoding")));
    handler.source->isEnded = true;
    handler.source->ready();
    EXPECT_THAT(transport.sent, EndsWith("\r\n\r\nonetwo"));
    expectClosed(false);
}

TEST_F(H1ConnectionTest, CutsOffASourceThatFails) {
    transport.receive("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
    handler.source->fails = true;
    handler.source->ready();
    EXPECT_TRUE(transport.isClosed);
    EXPECT_TRUE(transport.wasReset);
    EXPECT_THAT(transport.sent, Not(EndsWith("0\r\n\r\n")));
}

TEST_F(H1ConnectionTest, CutsOffASourceThatIsShorterThanItSaid) {
    handler.streamLength = "100";
    transport.receive("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
    handler.source->isEnded = true;
    handler.source->ready();
    EXPECT_TRUE(transport.wasReset);
}

TEST_F(H1ConnectionTest, PullsASourceOnlyAsFastAsTheClientTakes) {
    transport.holds = true;
    transport.receive("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
    handler.source->parts = std::deque<std::string>(100, std::string(64 * 1024, 's'));
    handler.source->ready();
    EXPECT_GT(handler.source->parts.size(), 90U);
    std::size_t left = handler.source->parts.size();
    transport.drain();
    EXPECT_LT(handler.source->parts.size(), left);
}

TEST_F(H1ConnectionTest, AnswersForAHandlerThatForgets) {
    transport.receive("GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_THAT(transport.sent, StartsWith("HTTP/1.1 500 "));
    EXPECT_TRUE(transport.isClosed);
}

TEST_F(H1ConnectionTest, DrainClosesIdleConnectionsAndFinishesBusyOnes) {
    test::FakeTransport idle(*loop);
    H1Connection::start(idle, context);
    transport.receive("GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
    context.drain();
    EXPECT_TRUE(idle.isClosed);
    idle.finishClose();
    EXPECT_FALSE(transport.isClosed);
    TestHandler::text(*handler.waiting[0], "last");
    EXPECT_THAT(transport.sent, HasSubstr("Connection: close\r\n"));
    EXPECT_TRUE(transport.isClosed);
}

TEST_F(H1ConnectionTest, AClientThatArrivesWhileDrainingMustAskSoon) {
    context.drain();
    settingsForTest->headTimeout = 0; // of the configuration: none
    settingsForTest->keepAliveTimeout = 0;
    test::FakeTransport late(*loop);
    H1Connection::start(late, context);
    EXPECT_FALSE(late.isClosed);
    EXPECT_TRUE(test::runUntil(*loop, [&] { return late.isClosed; }));
    late.finishClose();
}

TEST_F(H1ConnectionTest, PreparedAnswersKeepTheirFormForEveryClient) {
    struct Prepared final : Handler {
        Ref<PreparedResponse> response;
        void handle(Exchange& exchange) override { exchange.respond(*response); }
        Page errorPage(int, std::string_view) override { return {}; }
    } prepared;
    ResponseHead head;
    head.set("ETag", "\"e\"");
    static const std::string kBody = "the body";
    prepared.response = makeRef<PreparedResponse>(head, PreparedResponse::Body{kBody, nullptr, {}, 0, 0});
    settingsForTest->handler = &prepared;
    transport.receive(kGet + "HEAD /a HTTP/1.1\r\nHost: x\r\n\r\n" + kGet);
    EXPECT_EQ(count(transport.sent, "Content-Length: 8\r\n"), 3U);
    EXPECT_EQ(count(transport.sent, kBody), 2U);
    transport.sent.clear();
    transport.receive("GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    EXPECT_THAT(transport.sent, EndsWith("Connection: close\r\n\r\nthe body"));
}

// ---- tunnels ----

const std::string kAskForTunnel =
    "GET /tunnel HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";

TEST_F(H1ConnectionTest, ATunnelLeavesHttpBehind) {
    transport.receive(kAskForTunnel + "early");
    EXPECT_THAT(transport.sent, StartsWith("HTTP/1.1 101 Switching Protocols\r\n"));
    EXPECT_THAT(transport.sent, HasSubstr("Connection: upgrade\r\n"));
    EXPECT_THAT(transport.sent, HasSubstr("Upgrade: websocket\r\n"));
    EXPECT_THAT(transport.sent, HasSubstr("Sec-WebSocket-Accept: proof\r\n"));
    EXPECT_THAT(transport.sent, Not(HasSubstr("Content-Length")));
    EXPECT_EQ(handler.reader.text, "early");
    transport.receive(kGet);
    EXPECT_EQ(handler.reader.text, "early" + kGet);
    handler.source->parts = {"one", "two"};
    handler.source->ready();
    EXPECT_THAT(transport.sent, EndsWith("\r\n\r\nonetwo"));
    EXPECT_EQ(counters.read().tunnelsActive(), 1U);
    transport.peerCloses();
    EXPECT_TRUE(handler.reader.isEnded);
    EXPECT_FALSE(transport.isClosed);
    handler.source->isEnded = true;
    handler.source->ready();
    expectClosed(false);
    EXPECT_FALSE(transport.wasReset);
    EXPECT_EQ(counters.read().tunnelsActive(), 0U);
    EXPECT_EQ(counters.read().requests(), 1U);
}

TEST_F(H1ConnectionTest, ATunnelsBytesWaitUntilItIsThere) {
    handler.upgradesLater = true;
    transport.receive(kAskForTunnel + "early");
    transport.receive(" birds");
    EXPECT_EQ(transport.sent, "");
    handler.upgrade(*handler.waiting[0]);
    EXPECT_THAT(transport.sent, StartsWith("HTTP/1.1 101 "));
    EXPECT_EQ(handler.reader.text, "early birds");
}

TEST_F(H1ConnectionTest, ATunnelMayEndItsWayFirst) {
    transport.receive(kAskForTunnel);
    handler.source->isEnded = true;
    handler.source->ready();
    EXPECT_TRUE(transport.isWriteShut);
    EXPECT_FALSE(transport.isClosed);
    transport.receive("still");
    EXPECT_EQ(handler.reader.text, "still");
    handler.waiting[0]->discardBody();
    expectClosed(true);
}

TEST_F(H1ConnectionTest, ATunnelThatFailsIsBrokenOff) {
    transport.receive(kAskForTunnel);
    handler.source->fails = true;
    handler.source->ready();
    EXPECT_TRUE(transport.wasReset);
    transport.finishClose();
    EXPECT_TRUE(handler.reader.hasFailed);
}

TEST_F(H1ConnectionTest, NoTunnelForHttp10) {
    transport.receive("GET /tunnel HTTP/1.0\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
    EXPECT_THAT(transport.sent, StartsWith("HTTP/1.1 200 "));
}

} // namespace
} // namespace saker::http
