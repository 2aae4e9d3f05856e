#include "observe/site_metrics.h"

#include <gtest/gtest.h>

namespace saker::observe {
namespace {

TEST(SiteMetrics, SumOverLoops) {
    SiteMetrics site("example.com", 4);
    LoopCounters first(0);
    LoopCounters last(3);
    site.onRequest(first, 200, 10, 100, 7);
    site.onRequest(first, 404, 10, 100, 7);
    site.onRequest(last, 200, 10, 100, 7);
    SiteTotals totals = site.read();
    EXPECT_EQ(totals.name, "example.com");
    EXPECT_EQ(totals.requests(), 3u);
    EXPECT_EQ(totals.byStatusClass[1], 2u);
    EXPECT_EQ(totals.byStatusClass[3], 1u);
    EXPECT_EQ(totals.bytesReceived, 30u);
    EXPECT_EQ(totals.bytesSent, 300u);
    EXPECT_EQ(totals.durationMicros, 21u);
}

TEST(SiteMetrics, LoopsBeyondTheLimitAreLeftOut) {
    SiteMetrics site("example.com", 2);
    LoopCounters beyond(2);
    site.onRequest(beyond, 200, 1, 1, 1);
    EXPECT_EQ(site.read().requests(), 0u);
}

} // namespace
} // namespace saker::observe
