#include "http/h2/h2_connection.h"

#include "http/h2/start_http.h"
#include "support/fake_transport.h"
#include "support/http2_peer.h"
#include "support/run_until.h"
#include "support/test_handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace saker::http {
namespace {

using test::Http2Peer;
using test::TestHandler;
using testing::ElementsAre;
using testing::StartsWith;

class H2ConnectionTest : public testing::Test {
protected:
    H2ConnectionTest() {
        auto settings = makeRef<ConnectionSettings>();
        settings->handler = &handler;
        settings->maxBody = 1000;
        settingsForTest = settings.get();
        context.setSettings(std::move(settings));
        context.setHttp2Starter(H2Connection::takeOver);
    }
    ~H2ConnectionTest() override {
        handler.waiting.clear();
        transport.finishClose();
        EXPECT_EQ(connections.load(), 0U);
    }
    void start() { startHttp(transport, context, "h2"); }
    std::uint64_t floods() const {
        std::uint64_t sum = 0;
        for (const std::uint64_t one : counters.read().http2Floods) {
            sum += one;
        }
        return sum;
    }
    void passTime(std::uint64_t ms) { loop->timers().advance(clock += ms); }

    static std::unique_ptr<loop::EventLoop> makeLoop() {
        loop::LoopOptions options;
        options.backend = loop::BackendKind::epoll;
        return std::move(*loop::EventLoop::create(options));
    }

    std::unique_ptr<loop::EventLoop> loop = makeLoop();
    std::uint64_t clock = loop->now();
    observe::LoopCounters counters{0};
    SlowClients slowClients;
    std::atomic<std::uint64_t> connections{0};
    TestHandler handler;
    LoopContext context{*loop, counters, slowClients, connections};
    test::FakeTransport transport{*loop};
    ConnectionSettings* settingsForTest = nullptr;
};

TEST_F(H2ConnectionTest, AnswersSeveralRequests) {
    start();
    Http2Peer peer(transport);
    const auto one = peer.request("GET", "/a");
    const auto two = peer.request("GET", "/b?c");
    EXPECT_EQ(peer[one].status(), "200");
    EXPECT_EQ(peer[one].body, "/a");
    EXPECT_EQ(peer[one].get("content-length"), "2");
    EXPECT_FALSE(peer[one].get("date").empty());
    EXPECT_TRUE(peer[one].isClosed);
    EXPECT_EQ(peer[two].body, "/b");
    EXPECT_THAT(handler.seen, ElementsAre("GET /a", "GET /b?c"));
    EXPECT_EQ(counters.read().requests(), 2U);
    EXPECT_FALSE(transport.isClosed);
}

TEST_F(H2ConnectionTest, StartsFromThePrefaceHoweverItIsCut) {
    // What a client begins with, as bytes: recorded from one that has another transport.
    std::string bytes;
    {
        test::FakeTransport other{*loop};
        struct Recorder final : net::TransportUser {
            std::string text;
            void onData(std::span<const char> data) override { text.append(data.data(), data.size()); }
            void onPeerClosed() override {}
            void onDrained() override {}
            void onBroken(int) override {}
            void onClosed() override {}
        } recorder;
        other.start(recorder);
        Http2Peer peer(other);
        peer.request("GET", "/a");
        bytes = recorder.text;
    }
    ASSERT_THAT(bytes, StartsWith("PRI * HTTP/2.0\r\n"));
    for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
        test::FakeTransport cutOff{*loop};
        startHttp(cutOff, context, {});
        cutOff.receive(std::string_view(bytes).substr(0, cut));
        cutOff.receive(std::string_view(bytes).substr(cut));
        EXPECT_THAT(handler.seen, ElementsAre("GET /a")) << "cut at " << cut;
        handler.seen.clear();
        cutOff.finishClose();
    }
    loop->stop();
    loop->run(); // lets go of what handed over
}

TEST_F(H2ConnectionTest, RefusesThePrefaceWhereHttp2IsOff) {
    context.setHttp2Starter(nullptr);
    startHttp(transport, context, {});
    transport.receive("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    EXPECT_THAT(transport.sent, StartsWith("HTTP/1.1 505 "));
}

TEST_F(H2ConnectionTest, TheHeadLooksAsFromHttp1) {
    start();
    Http2Peer peer(transport);
    const auto stream =
        peer.request("GET", "/later?q", {{"cookie", "a=1"}, {"cookie", "b=2"}, {"x-more", "yes"}});
    ASSERT_EQ(handler.waiting.size(), 1U);
    const RequestHead& head = handler.waiting[0]->request();
    EXPECT_EQ(head.authority(), "x");
    EXPECT_EQ(head.path(), "/later");
    EXPECT_EQ(head.query(), "q");
    EXPECT_EQ(head.get("Cookie"), "a=1; b=2");
    EXPECT_EQ(head.get("X-More"), "yes");
    EXPECT_EQ(head.majorVersion, 2);
    TestHandler::text(*handler.waiting[0], "late");
    peer.exchange();
    EXPECT_EQ(peer[stream].body, "late");
}

TEST_F(H2ConnectionTest, MalformedRequestsAreRefusedAlone) {
    start();
    Http2Peer peer(transport);
    const Http2Peer::Fields base{{":method", "GET"}, {":scheme", "http"}, {":path", "/a"}};
    auto with = [&](std::string name, std::string value) {
        Http2Peer::Fields fields = base;
        fields.emplace_back(std::move(name), std::move(value));
        return fields;
    };
    for (const Http2Peer::Fields& fields :
         {base, with("host", "a b"), with("host", ""),
          Http2Peer::Fields{{":method", "G(T"}, {":scheme", "http"}, {":path", "/"}, {":authority", "x"}}}) {
        const auto stream = peer.submit(fields);
        EXPECT_TRUE(peer[stream].isClosed);
        EXPECT_TRUE(peer[stream].error != 0 || peer[stream].status().starts_with("4"))
            << peer[stream].status();
    }
    EXPECT_THAT(handler.seen, testing::IsEmpty());
    Http2Peer::Fields differing = with(":authority", "x");
    differing.emplace_back("host", "y");
    const auto other = peer.submit(differing);
    EXPECT_TRUE(peer[other].error != 0 || peer[other].status() == "400");
    EXPECT_THAT(handler.seen, testing::IsEmpty());
    EXPECT_EQ(peer[peer.request("GET", "/a")].body, "/a") << "the connection goes on";
}

TEST_F(H2ConnectionTest, LimitsAreThoseOfHttp1) {
    start();
    Http2Peer peer(transport);
    EXPECT_EQ(peer[peer.request("GET", "/" + std::string(20'000, 'p'))].status(), "414");
    Http2Peer::Fields many;
    for (int i = 0; i < 120; ++i) {
        many.emplace_back("x-" + std::to_string(i), "v");
    }
    EXPECT_EQ(peer[peer.request("GET", "/a", many)].status(), "431");
    EXPECT_EQ(peer[peer.request("GET", "/a")].body, "/a");
}

TEST_F(H2ConnectionTest, LongBodiesWaitForTheWindow) {
    start();
    Http2Peer peer(transport, 10'000);
    const auto stream = peer.request("GET", "/big");
    EXPECT_EQ(peer[stream].body.size(), 10'000U);
    std::size_t taken = 0;
    while (!peer[stream].isClosed) {
        const std::size_t more = peer[stream].body.size() - taken;
        ASSERT_GT(more, 0U) << "after " << taken;
        taken += more;
        peer.take(stream, more);
    }
    EXPECT_EQ(peer[stream].body.size(), handler.bigSize);
    EXPECT_EQ(peer[stream].error, 0U);
}

TEST_F(H2ConnectionTest, LongBodiesWaitForTheTransport) {
    start();
    Http2Peer peer(transport, 1 << 20);
    handler.bigSize = 60'000; // within the window of the connection
    transport.holds = true;
    const auto stream = peer.request("GET", "/big");
    EXPECT_EQ(peer[stream].body, "");
    for (int i = 0; i < 20 && !peer[stream].isClosed; ++i) {
        transport.drain();
        peer.exchange();
    }
    EXPECT_EQ(peer[stream].body.size(), handler.bigSize);
    transport.holds = false;
    transport.drain();
}

TEST_F(H2ConnectionTest, BodiesThatAreMadeOnTheWay) {
    start();
    Http2Peer peer(transport);
    const auto stream = peer.request("GET", "/stream");
    EXPECT_EQ(peer[stream].body, "onetwo");
    EXPECT_FALSE(peer[stream].isEnded);
    handler.source->parts = {"three"};
    handler.source->isEnded = true;
    handler.source->ready();
    peer.exchange();
    EXPECT_EQ(peer[stream].body, "onetwothree");
    EXPECT_TRUE(peer[stream].isEnded);
}

TEST_F(H2ConnectionTest, ABrokenBodyDoesNotLookComplete) {
    start();
    Http2Peer peer(transport);
    const auto stream = peer.request("GET", "/stream");
    handler.source->fails = true;
    handler.source->ready();
    peer.exchange();
    EXPECT_FALSE(peer[stream].isEnded);
    EXPECT_NE(peer[stream].error, 0U);
    handler.streamLength = "100";
    const auto tooShort = peer.request("GET", "/stream");
    handler.source->isEnded = true;
    handler.source->parts = {"x"};
    handler.source->ready();
    peer.exchange();
    EXPECT_FALSE(peer[tooShort].isEnded);
    EXPECT_NE(peer[tooShort].error, 0U);
}

TEST_F(H2ConnectionTest, ReadsBodies) {
    start();
    Http2Peer peer(transport);
    const auto stream = peer.request("POST", "/read", {}, "some text");
    EXPECT_EQ(handler.reader.text, "some text");
    EXPECT_TRUE(handler.reader.isEnded);
    TestHandler::text(*handler.waiting[0], "thanks");
    peer.exchange();
    EXPECT_EQ(peer[stream].body, "thanks");
}

TEST_F(H2ConnectionTest, KeepsAShortBodyWhileTheReaderPauses) {
    start();
    Http2Peer peer(transport);
    handler.pausesAtOnce = true;
    peer.request("POST", "/read", {}, "all of it");
    EXPECT_EQ(handler.reader.text, "");
    EXPECT_FALSE(handler.reader.isEnded);
    handler.waiting[0]->resumeBody();
    EXPECT_EQ(handler.reader.text, "all of it");
    EXPECT_TRUE(handler.reader.isEnded);
}

TEST_F(H2ConnectionTest, SlowsDownAStreamWhoseReaderPauses) {
    settingsForTest->maxBody = 10 << 20;
    start();
    Http2Peer peer(transport);
    handler.pausesAtOnce = true;
    const auto stream = peer.request("POST", "/read", {}, std::string(1 << 20, 'u'));
    EXPECT_EQ(handler.reader.text.size(), 0U);
    handler.waiting[0]->resumeBody();
    peer.exchange();
    EXPECT_EQ(handler.reader.text.size(), 1U << 20);
    EXPECT_TRUE(handler.reader.isEnded);
    TestHandler::text(*handler.waiting[0], "done");
    peer.exchange();
    EXPECT_EQ(peer[stream].status(), "200");
}

TEST_F(H2ConnectionTest, TooLargeABodyIsRefused) {
    start();
    Http2Peer peer(transport);
    EXPECT_EQ(
        peer[peer.request("POST", "/read", {{"content-length", "2000"}}, std::string(2000, 'u'))].status(),
        "413");
    const auto stream = peer.request("POST", "/read", {}, std::string(2000, 'u'));
    EXPECT_EQ(peer[stream].status(), "413");
    EXPECT_TRUE(handler.reader.hasFailed);
}

TEST_F(H2ConnectionTest, AClientThatGoesAwayCancels) {
    start();
    Http2Peer peer(transport);
    const auto stream = peer.request("GET", "/later");
    ASSERT_EQ(handler.waiting.size(), 1U);
    EXPECT_TRUE(handler.waiting[0]->isConnected());
    peer.reset(stream);
    EXPECT_FALSE(handler.waiting[0]->isConnected());
    TestHandler::text(*handler.waiting[0], "nobody hears");
    peer.request("POST", "/read", {}, "abc", false);
    transport.peerCloses();
    transport.finishClose();
    EXPECT_TRUE(handler.reader.hasFailed);
}

TEST_F(H2ConnectionTest, HeadHasNoBody) {
    start();
    Http2Peer peer(transport);
    const auto stream = peer.request("HEAD", "/abc");
    EXPECT_EQ(peer[stream].get("content-length"), "4");
    EXPECT_EQ(peer[stream].body, "");
    EXPECT_TRUE(peer[stream].isEnded);
}

TEST_F(H2ConnectionTest, AHandlerThatForgetsToAnswer) {
    start();
    Http2Peer peer(transport);
    EXPECT_EQ(peer[peer.request("GET", "/nothing")].status(), "500");
}

TEST_F(H2ConnectionTest, DrainFinishesWhatHasBegun) {
    start();
    Http2Peer peer(transport);
    const auto stream = peer.request("GET", "/later");
    context.drain();
    peer.exchange();
    EXPECT_TRUE(peer.wasSentAway());
    EXPECT_FALSE(transport.isClosed);
    TestHandler::text(*handler.waiting[0], "done");
    peer.exchange();
    EXPECT_EQ(peer[stream].body, "done");
    EXPECT_TRUE(transport.isClosed);
}

TEST_F(H2ConnectionTest, DrainClosesAnIdleOne) {
    start();
    Http2Peer peer(transport);
    peer.request("GET", "/a");
    context.drain();
    peer.takeSent();
    EXPECT_TRUE(peer.wasSentAway());
    EXPECT_FALSE(transport.isClosed) << "a request may be under way";
    peer.exchange(); // the client answers the PING
    EXPECT_EQ(peer.goAwayError(), static_cast<std::uint32_t>(NGHTTP2_NO_ERROR));
    EXPECT_TRUE(transport.isClosed);
}

TEST_F(H2ConnectionTest, WhatIsWantedFirstIsSentFirst) { // RFC 9218
    handler.bigSize = 30'000;
    start();
    Http2Peer peer(transport, 1 << 20);
    transport.holds = true;
    const auto blocker = peer.request("GET", "/big");
    const auto late = peer.request("GET", "/big", {{"priority", "u=6"}});
    const auto early = peer.request("GET", "/big", {{"priority", "u=1"}});
    transport.holds = false;
    std::string order;
    for (int i = 0; i < 20 && !peer[late].isEnded; ++i) {
        transport.drain();
        peer.takeSent();
        peer.take(0, 0);
        if (peer[early].isEnded && order.empty()) {
            order = peer[late].isEnded ? "together" : "early";
        }
    }
    EXPECT_TRUE(peer[blocker].isEnded);
    EXPECT_TRUE(peer[early].isEnded);
    EXPECT_EQ(order, "early");
}

TEST_F(H2ConnectionTest, BodiesHaveTheLengthTheySay) { // RFC 9113, section 8.1.1
    start();
    Http2Peer peer(transport);
    const auto right = peer.request("POST", "/read", {{"content-length", "4"}}, "body");
    EXPECT_TRUE(handler.reader.isEnded);
    for (const char* length : {"3", "5", "0"}) {
        handler.reader = {};
        const auto stream = peer.request("POST", "/read", {{"content-length", length}}, "body");
        EXPECT_EQ(peer[stream].error, static_cast<std::uint32_t>(NGHTTP2_PROTOCOL_ERROR)) << length;
        EXPECT_FALSE(handler.reader.isEnded) << length;
        EXPECT_TRUE(handler.reader.hasFailed) << length;
    }
    const auto without = peer.request("POST", "/read", {{"content-length", "5"}});
    EXPECT_EQ(peer[without].error, static_cast<std::uint32_t>(NGHTTP2_PROTOCOL_ERROR));
    EXPECT_FALSE(peer[right].isClosed);
    EXPECT_EQ(counters.read().requestsRejected, 4U);
}

TEST_F(H2ConnectionTest, TheShortRestOfABodyIsReadAndDropped) {
    settingsForTest->gracePeriod = 100;
    settingsForTest->minRate = 1000;
    start();
    Http2Peer peer(transport);
    const auto whole = peer.request("POST", "/a", {}, std::string(900, 'b'));
    EXPECT_EQ(peer[whole].body, "/a");
    EXPECT_EQ(peer[whole].error, static_cast<std::uint32_t>(NGHTTP2_NO_ERROR));
    const auto open = peer.request("POST", "/a", {}, "x", false);
    EXPECT_EQ(peer[open].body, "/a");
    EXPECT_TRUE(peer[open].isEnded);
    EXPECT_FALSE(peer[open].isClosed) << "the client may end its side";
    EXPECT_TRUE(test::runUntil(*loop, [&] {
        peer.exchange();
        return peer[open].isClosed;
    })) << "it did not";
    EXPECT_FALSE(transport.isClosed);
}

TEST_F(H2ConnectionTest, TheLongRestOfABodyIsCutOff) {
    start();
    Http2Peer peer(transport);
    const auto stream = peer.request("POST", "/a", {{"content-length", "10000000"}}, "x", false);
    EXPECT_EQ(peer[stream].status(), "413");
    EXPECT_TRUE(peer[stream].isClosed);
    EXPECT_EQ(peer[stream].error, static_cast<std::uint32_t>(NGHTTP2_NO_ERROR));
}

TEST_F(H2ConnectionTest, MalformedRequestsAreResetAndTheOthersGoOn) {
    start();
    Http2Peer peer(transport);
    for (const Http2Peer::Fields& fields : std::vector<Http2Peer::Fields>{
             {{":method", "GET"}, {":scheme", "http"}, {":authority", "x"}},
             {{":method", "GET"}, {":scheme", "http"}, {":authority", "x"}, {":path", "/"}, {"te", "gzip"}},
             {{":method", "GET"},
              {":scheme", "http"},
              {":authority", "x"},
              {":path", "/"},
              {"a", "b\r\nhost: other"}},
         }) {
        const auto stream = peer.submit(fields);
        EXPECT_EQ(peer[stream].error, static_cast<std::uint32_t>(NGHTTP2_PROTOCOL_ERROR));
    }
    EXPECT_TRUE(handler.seen.empty());
    EXPECT_EQ(peer[peer.request("GET", "/a")].body, "/a");
}

TEST_F(H2ConnectionTest, RapidResetsAreCutOff) {
    start();
    Http2Peer peer(transport);
    int made = 0;
    while (!transport.isClosed && made < 5000) {
        peer.reset(peer.request("GET", "/later"));
        handler.waiting.clear();
        ++made;
    }
    EXPECT_TRUE(transport.isClosed);
    EXPECT_EQ(peer.goAwayError(), static_cast<std::uint32_t>(NGHTTP2_ENHANCE_YOUR_CALM));
    EXPECT_LT(made, 2000);
    EXPECT_EQ(floods(), 1U);
}

TEST_F(H2ConnectionTest, PingFloodsAreCutOff) {
    start();
    Http2Peer peer(transport);
    for (int i = 0; i < 5000 && !transport.isClosed; ++i) {
        peer.ping();
    }
    EXPECT_TRUE(transport.isClosed);
    EXPECT_EQ(floods(), 1U);
}

TEST_F(H2ConnectionTest, EmptyFramesThatEndNothingAreCutOff) {
    start();
    Http2Peer peer(transport);
    const auto stream = peer.request("POST", "/read", {}, "x", false);
    const std::string empty{'\0', '\0', '\0', '\0', '\0', '\0', '\0', '\0', static_cast<char>(stream)};
    for (int i = 0; i < 5000 && !transport.isClosed; ++i) {
        transport.receive(empty);
    }
    EXPECT_TRUE(transport.isClosed);
    EXPECT_EQ(floods(), 1U);
}

/// A frame (RFC 9113, section 4.1).
std::string frame(std::uint8_t type, std::uint8_t flags, std::uint32_t stream, std::string_view payload) {
    std::string bytes;
    for (const int shift : {16, 8, 0}) {
        bytes += static_cast<char>(payload.size() >> shift);
    }
    bytes += static_cast<char>(type);
    bytes += static_cast<char>(flags);
    for (const int shift : {24, 16, 8, 0}) {
        bytes += static_cast<char>(stream >> shift);
    }
    return bytes.append(payload);
}

constexpr std::uint8_t kEndHeaders = 0x4;
/// :method GET, :scheme http, :path /, :authority x (RFC 7541, appendix A).
const std::string kIndexedHead = "\x82\x86\x84\x41\x01x";

std::uint64_t floodsOf(const observe::LoopCounters& counters, observe::Http2Flood kind) {
    return counters.read().http2Floods[static_cast<std::size_t>(kind)];
}

TEST_F(H2ConnectionTest, HeadsInEverMoreFramesAreCutOff) { // CVE-2024-28182
    start();
    Http2Peer peer(transport);
    peer.exchange();
    transport.receive(frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_STREAM, 1, kIndexedHead));
    int sent = 0;
    while (!transport.isClosed && sent < 1000) {
        transport.receive(frame(NGHTTP2_CONTINUATION, 0, 1, {}));
        ++sent;
    }
    EXPECT_TRUE(transport.isClosed);
    EXPECT_LT(sent, 100);
    EXPECT_EQ(floodsOf(counters, observe::Http2Flood::continuations), 1U);
}

TEST_F(H2ConnectionTest, HeaderBombsAreCutOff) { // RFC 7541, section 7.3
    start();
    Http2Peer peer(transport);
    peer.exchange();
    // A field of 3 KiB goes into the table, then each byte repeats it.
    const std::string value(3000, 'v');
    std::string head = kIndexedHead + std::string("\x40\x01n\x7f\xb9\x16", 6) + value;
    head += std::string(10'000, '\xbe');
    transport.receive(frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_STREAM | kEndHeaders, 1, head));
    peer.takeSent();
    EXPECT_TRUE(transport.isClosed);
    EXPECT_EQ(peer.goAwayError(), static_cast<std::uint32_t>(NGHTTP2_ENHANCE_YOUR_CALM));
    EXPECT_EQ(floodsOf(counters, observe::Http2Flood::headerBombs), 1U);
    EXPECT_TRUE(handler.seen.empty());
}

TEST_F(H2ConnectionTest, ALargeHeadIsRefusedAndTheConnectionGoesOn) {
    auto settings = makeRef<ConnectionSettings>();
    settings->handler = &handler;
    constexpr std::size_t kMost = 4096;
    settings->limits.maxHead = kMost;
    context.setSettings(std::move(settings));
    start();
    Http2Peer peer(transport);
    const auto stream = peer.request("GET", "/a", {{"x-large", std::string(kMost, 'v')}});
    EXPECT_EQ(peer[stream].status(), "431");
    EXPECT_EQ(peer[peer.request("GET", "/b")].body, "/b");
}

TEST_F(H2ConnectionTest, RepliesThatNobodyReadsAreCutOff) { // CVE-2019-9512
    start();
    Http2Peer peer(transport);
    peer.exchange();
    transport.holds = true;
    for (int i = 0; i < 2000 && !transport.isClosed; ++i) {
        transport.receive(frame(NGHTTP2_PING, 0, 0, "01234567"));
    }
    EXPECT_TRUE(transport.isClosed);
    EXPECT_EQ(floods(), 1U);
}

TEST_F(H2ConnectionTest, PriorityAndWindowFloodsAreCutOff) {
    for (const std::uint8_t type : {NGHTTP2_PRIORITY, NGHTTP2_WINDOW_UPDATE, NGHTTP2_SETTINGS}) {
        test::FakeTransport other(*loop);
        startHttp(other, context, "h2");
        {
            Http2Peer peer(other);
            peer.exchange();
            const std::string payload = type == NGHTTP2_PRIORITY        ? std::string("\0\0\0\0\x10", 5)
                                        : type == NGHTTP2_WINDOW_UPDATE ? std::string("\0\0\0\x01", 4)
                                                                        : std::string();
            for (int i = 0; i < 12'000 && !other.isClosed; ++i) {
                other.receive(frame(type, 0, type == NGHTTP2_PRIORITY ? 1 : 0, payload));
                other.sent.clear();
            }
            EXPECT_TRUE(other.isClosed) << int{type};
        }
        other.finishClose();
    }
    EXPECT_EQ(floods(), 3U);
}

TEST_F(H2ConnectionTest, MakingTheServerResetItsStreamsIsAFloodToo) { // CVE-2025-8671
    start();
    Http2Peer peer(transport);
    peer.exchange();
    std::uint32_t stream = 1;
    for (; stream < 4000 && !transport.isClosed; stream += 2) {
        transport.receive(frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_STREAM | kEndHeaders, stream,
                                std::string("\x82\x86\x44\x06/later\x41\x01x", 13)));
        transport.receive(frame(NGHTTP2_WINDOW_UPDATE, 0, stream, "\x7f\xff\xff\xff")); // an overflow
        handler.waiting.clear();
        transport.sent.clear();
    }
    EXPECT_TRUE(transport.isClosed);
    EXPECT_LT(stream, 2000U);
    EXPECT_EQ(floods(), 1U);
}

TEST_F(H2ConnectionTest, ManyRequestsInARowAreNoFlood) {
    start();
    Http2Peer peer(transport);
    for (int i = 0; i < 3000; ++i) {
        ASSERT_EQ(peer[peer.request("GET", "/a")].body, "/a") << i;
    }
    EXPECT_FALSE(transport.isClosed);
}

TEST_F(H2ConnectionTest, NonsenseEndsTheConnection) {
    start();
    transport.receive("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_TRUE(transport.isClosed);
}

TEST_F(H2ConnectionTest, AbortsWithTheLoop) {
    start();
    Http2Peer peer(transport);
    peer.request("GET", "/later");
    context.abortAll();
    EXPECT_TRUE(transport.isClosed);
    EXPECT_TRUE(transport.wasReset);
}

// ---- tunnels (RFC 8441) ----

const Http2Peer::Fields kAskForTunnel{
    {":method", "CONNECT"}, {":protocol", "websocket"}, {":scheme", "https"},           {":path", "/tunnel"},
    {":authority", "x"},    {"origin", "https://x"},    {"sec-websocket-version", "13"}};

TEST_F(H2ConnectionTest, ATunnelCarriesBytesBothWays) {
    settingsForTest->takesExtendedConnect = true;
    settingsForTest->maxBody = 3; // is not for tunnels
    start();
    Http2Peer peer(transport);
    handler.upgradesLater = true;
    const auto stream = peer.submit(kAskForTunnel, "early", false);
    EXPECT_EQ(handler.reader.text, "");
    handler.upgrade(*handler.waiting[0]);
    peer.exchange();
    EXPECT_EQ(peer[stream].status(), "200");
    EXPECT_EQ(peer[stream].get("sec-websocket-protocol"), "chat");
    EXPECT_EQ(peer[stream].get("sec-websocket-accept"), "");
    EXPECT_EQ(peer[stream].get("upgrade"), "");
    EXPECT_EQ(handler.reader.text, "early");
    EXPECT_EQ(counters.read().tunnelsActive(), 1U);
    handler.source->parts = {"one", "two"};
    handler.source->ready();
    peer.send(stream, " more");
    EXPECT_EQ(peer[stream].body, "onetwo");
    EXPECT_EQ(handler.reader.text, "early more");
    // Each way ends by itself.
    handler.source->isEnded = true;
    handler.source->ready();
    peer.exchange();
    EXPECT_TRUE(peer[stream].isEnded);
    EXPECT_FALSE(peer[stream].isClosed);
    peer.send(stream, ", last", true);
    EXPECT_EQ(handler.reader.text, "early more, last");
    EXPECT_TRUE(handler.reader.isEnded);
    EXPECT_TRUE(peer[stream].isClosed);
    EXPECT_EQ(peer[stream].error, 0U);
    EXPECT_EQ(counters.read().tunnelsActive(), 0U);
    EXPECT_EQ(counters.read().requests(), 1U);
    EXPECT_EQ(peer[peer.request("GET", "/a")].status(), "200");
}

TEST_F(H2ConnectionTest, AClientMayEndItsWayOfATunnelFirst) {
    settingsForTest->takesExtendedConnect = true;
    start();
    Http2Peer peer(transport);
    const auto stream = peer.submit(kAskForTunnel, "bye", true);
    EXPECT_EQ(handler.reader.text, "bye");
    EXPECT_TRUE(handler.reader.isEnded);
    EXPECT_FALSE(peer[stream].isClosed);
    handler.source->parts = {"answer"};
    handler.source->isEnded = true;
    handler.source->ready();
    peer.exchange();
    EXPECT_EQ(peer[stream].body, "answer");
    EXPECT_TRUE(peer[stream].isClosed);
}

TEST_F(H2ConnectionTest, AReaderThatGivesUpEndsATunnel) {
    settingsForTest->takesExtendedConnect = true;
    start();
    Http2Peer peer(transport);
    const auto stream = peer.submit(kAskForTunnel, "x", false);
    handler.source->isEnded = true;
    handler.source->ready();
    peer.exchange();
    EXPECT_FALSE(peer[stream].isClosed);
    handler.waiting[0]->discardBody();
    peer.exchange();
    EXPECT_TRUE(peer[stream].isClosed);
    EXPECT_EQ(peer[stream].error, 0U);
}

TEST_F(H2ConnectionTest, ATunnelThatFailsIsReset) {
    settingsForTest->takesExtendedConnect = true;
    start();
    Http2Peer peer(transport);
    const auto one = peer.submit(kAskForTunnel, "x", false);
    handler.source->fails = true;
    handler.source->ready();
    peer.exchange();
    EXPECT_TRUE(peer[one].isClosed);
    EXPECT_NE(peer[one].error, 0U);
    EXPECT_TRUE(handler.reader.hasFailed);
    handler.reader = {};
    const auto two = peer.submit(kAskForTunnel, "x", false);
    peer.reset(two);
    EXPECT_TRUE(handler.reader.hasFailed);
    EXPECT_FALSE(transport.isClosed);
}

TEST_F(H2ConnectionTest, WhoReadsATunnelSlowlyHoldsTheClientUp) {
    settingsForTest->takesExtendedConnect = true;
    start();
    Http2Peer peer(transport);
    const auto stream = peer.submit(kAskForTunnel, "x", false);
    handler.waiting[0]->pauseBody();
    peer.send(stream, std::string(1 << 20, 'y'));
    EXPECT_EQ(handler.reader.text, "x");
    handler.waiting[0]->resumeBody();
    peer.exchange();
    EXPECT_EQ(handler.reader.text.size(), 1U + (1 << 20));
}

TEST_F(H2ConnectionTest, AnAnswerIsNoTunnel) {
    settingsForTest->takesExtendedConnect = true;
    start();
    Http2Peer peer(transport);
    auto fields = kAskForTunnel;
    fields[3].second = "/a"; // whose answer to GET is a 200
    const auto stream = peer.submit(fields, "x", false);
    EXPECT_EQ(peer[stream].status(), "501");
    EXPECT_TRUE(peer[stream].isClosed);
    EXPECT_EQ(peer[stream].error, 0U);
    EXPECT_EQ(counters.read().tunnelsOpened, 0U);
}

TEST_F(H2ConnectionTest, WhatAClientWasToldOfTunnelsStaysSo) {
    settingsForTest->takesExtendedConnect = true;
    start();
    Http2Peer peer(transport);
    peer.request("GET", "/a");
    auto settings = makeRef<ConnectionSettings>();
    settings->handler = &handler;
    context.setSettings(std::move(settings));
    const auto stream = peer.submit(kAskForTunnel, "x", false);
    EXPECT_EQ(peer[stream].status(), "200");
    EXPECT_EQ(handler.reader.text, "x");
}

TEST_F(H2ConnectionTest, TunnelsLearnOfAShutdown) {
    settingsForTest->takesExtendedConnect = true;
    start();
    Http2Peer peer(transport);
    peer.submit(kAskForTunnel, "x", false);
    struct Watcher final : ExchangeWatcher {
        void onAbandoned() override {}
        void onDraining() override { ++told; }
        int told = 0;
    } watcher;
    handler.waiting[0]->watch(&watcher);
    context.drain();
    EXPECT_EQ(watcher.told, 1);
    handler.waiting[0]->watch(nullptr);
}

} // namespace
} // namespace saker::http
