#include "observe/loop_counters.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace saker::observe {
namespace {

TEST(LoopCounters, CountEachThingOnce) {
    LoopCounters counters(3);
    counters.onRequest(200, 100, 5);
    counters.onRequest(206, 10, 5);
    counters.onRequest(304, 1, 5);
    counters.onRequest(404, 1000, 5);
    counters.onRequest(503, 1, 5);
    counters.onRequest(101, 1, 5);
    counters.onHandled(HandlerKind::staticFile);
    counters.onHandled(HandlerKind::staticFile);
    counters.onHandled(HandlerKind::errorPage);
    counters.onBytesReceived(77);
    counters.onBytesSent(1);
    counters.onConnectionOpened();
    counters.onConnectionOpened();
    counters.onConnectionClosed();
    counters.onConnectionRejected();
    counters.onRequestRejected();
    counters.onTimeout();
    counters.onSlowClient();

    CounterTotals totals = counters.read();
    EXPECT_EQ(totals.byStatusClass, (std::array<std::uint64_t, 5>{1, 2, 1, 1, 1}));
    EXPECT_EQ(totals.requests(), 6u);
    EXPECT_EQ(totals.bytesSent, 1114u);
    EXPECT_EQ(totals.bytesReceived, 77u);
    EXPECT_EQ(totals.byHandler[static_cast<std::size_t>(HandlerKind::staticFile)], 2u);
    EXPECT_EQ(totals.byHandler[static_cast<std::size_t>(HandlerKind::errorPage)], 1u);
    EXPECT_EQ(totals.connectionsActive(), 1u);
    EXPECT_EQ(totals.connectionsRejected, 1u);
    EXPECT_EQ(totals.requestsRejected, 1u);
    EXPECT_EQ(totals.timeouts, 1u);
    EXPECT_EQ(totals.slowClients, 1u);
    EXPECT_EQ(counters.index(), 3u);

    CounterTotals twice = totals;
    twice += totals;
    EXPECT_EQ(twice.requests(), 12u);
    EXPECT_EQ(twice.connectionsOpened, 4u);
}

TEST(LoopCounters, StatusOutOfRangeCountsAsTheNearestClass) {
    EXPECT_EQ(statusClassIndex(0), 0u);
    EXPECT_EQ(statusClassIndex(100), 0u);
    EXPECT_EQ(statusClassIndex(299), 1u);
    EXPECT_EQ(statusClassIndex(599), 4u);
    EXPECT_EQ(statusClassIndex(999), 4u);
}

TEST(LoopCounters, LatencyOnlyWhenDetailed) {
    LoopCounters counters(0);
    counters.onRequest(200, 1, 1000);
    EXPECT_FALSE(counters.isDetailed());
    counters.setDetailed(true);
    EXPECT_TRUE(counters.isDetailed());
    counters.onRequest(200, 1, 2000);
    counters.setDetailed(false);
    counters.onRequest(200, 1, 3000);
    LatencyCounts latency;
    counters.addLatency(latency);
    EXPECT_EQ(latency.count(), 1u);
    EXPECT_EQ(latency.sumMicros(), 2000u);
}

TEST(HandlerKind, NamesDiffer) {
    std::set<std::string> names;
    for (std::size_t i = 0; i < static_cast<std::size_t>(HandlerKind::count_); ++i) {
        names.insert(handlerKindName(static_cast<HandlerKind>(i)));
    }
    EXPECT_EQ(names.size(), static_cast<std::size_t>(HandlerKind::count_));
}

} // namespace
} // namespace saker::observe
