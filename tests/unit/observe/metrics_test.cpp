#include "observe/metrics.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace saker::observe {
namespace {

TEST(Metrics, MergeLoopsAndKeepWhatEndedLoopsCounted) {
    Metrics metrics;
    LoopCounters& one = metrics.addLoop();
    LoopCounters& two = metrics.addLoop();
    one.onRequest(200, 10, 1);
    two.onRequest(404, 10, 1);
    EXPECT_EQ(metrics.snapshot().totals.requests(), 2u);
    EXPECT_EQ(metrics.snapshot().loops, 2u);
    std::size_t freed = one.index();
    metrics.removeLoop(one);
    EXPECT_EQ(metrics.totalRequests(), 2u);
    EXPECT_EQ(metrics.snapshot().loops, 1u);
    EXPECT_EQ(metrics.addLoop().index(), freed);
    EXPECT_EQ(metrics.totalRequests(), 2u);
}

TEST(Metrics, DetailFollowsTheSwitch) {
    Metrics metrics;
    LoopCounters& before = metrics.addLoop();
    metrics.setDetailed(true);
    LoopCounters& after = metrics.addLoop();
    before.onRequest(200, 1, 50);
    after.onRequest(200, 1, 50);
    metrics.removeLoop(after);
    MetricsSnapshot snapshot = metrics.snapshot();
    EXPECT_TRUE(snapshot.detailed);
    EXPECT_EQ(snapshot.latency.count(), 2u);
    metrics.setDetailed(false);
    before.onRequest(200, 1, 50);
    EXPECT_EQ(metrics.snapshot().latency.count(), 2u);
    EXPECT_FALSE(metrics.isDetailed());
}

TEST(Metrics, SitesLiveAsLongAsSomebodyHoldsThem) {
    Metrics metrics;
    LoopCounters& loop = metrics.addLoop();
    auto b = metrics.site("b.example");
    auto a = metrics.site("a.example");
    b->onRequest(loop, 200, 1, 1, 1);
    {
        // A reload builds the new site before the old one goes.
        auto again = metrics.site("b.example");
        EXPECT_EQ(again, b);
    }
    MetricsSnapshot snapshot = metrics.snapshot();
    ASSERT_EQ(snapshot.sites.size(), 2u);
    EXPECT_EQ(snapshot.sites[0].name, "a.example");
    EXPECT_EQ(snapshot.sites[1].requests(), 1u);
    b.reset();
    EXPECT_EQ(metrics.snapshot().sites.size(), 1u);
    metrics.tick(1);
    EXPECT_EQ(metrics.site("b.example")->read().requests(), 0u);
}

TEST(Metrics, TickSamplesRatesAndTheProcess) {
    Metrics metrics;
    LoopCounters& loop = metrics.addLoop();
    metrics.tick(10);
    for (int i = 0; i < 30; ++i) {
        loop.onRequest(200, 1, 1);
    }
    metrics.tick(11);
    MetricsSnapshot snapshot = metrics.snapshot();
    EXPECT_EQ(snapshot.rates.lastSecond, 30u);
    EXPECT_EQ(snapshot.rates.lastMinute, 30u);
    EXPECT_GT(snapshot.process.residentBytes, 100'000u);
    EXPECT_GE(snapshot.process.threads, 1u);
    EXPECT_GE(snapshot.cpuPercent, 0);
}

// Meant for the thread sanitizer: loops count while others read, switch, tick, come and go.
TEST(Metrics, ReadWhileLoopsCount) {
    constexpr int kLoops = 3;
    constexpr std::uint64_t kRequests = 20000;
    Metrics metrics;
    auto site = metrics.site("example.com");
    std::atomic<int> running{kLoops};
    std::vector<std::thread> loops;
    for (int i = 0; i < kLoops; ++i) {
        loops.emplace_back([&] {
            LoopCounters& counters = metrics.addLoop();
            for (std::uint64_t n = 0; n < kRequests; ++n) {
                counters.onRequest(200, 10, n);
                counters.onHandled(HandlerKind::staticFile);
                site->onRequest(counters, 200, 1, 10, n);
            }
            metrics.removeLoop(counters);
            --running;
        });
    }
    std::uint64_t last = 0;
    std::uint64_t second = 0;
    while (running.load() > 0) {
        metrics.setDetailed(second % 2 == 0);
        metrics.tick(++second);
        MetricsSnapshot snapshot = metrics.snapshot();
        EXPECT_GE(snapshot.totals.requests(), last);
        last = snapshot.totals.requests();
    }
    for (std::thread& loop : loops) {
        loop.join();
    }
    EXPECT_EQ(metrics.totalRequests(), kLoops * kRequests);
    EXPECT_EQ(metrics.snapshot().totals.bytesSent, kLoops * kRequests * 10);
}

} // namespace
} // namespace saker::observe
