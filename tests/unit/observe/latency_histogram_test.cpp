#include "observe/latency_histogram.h"

#include <gtest/gtest.h>

namespace saker::observe {
namespace {

TEST(LatencyHistogram, BucketsAreContiguousAndOrdered) {
    for (std::size_t bucket = 0; bucket < LatencyHistogram::kBuckets; ++bucket) {
        std::uint64_t low = LatencyHistogram::lowerBound(bucket);
        std::uint64_t next = LatencyHistogram::lowerBound(bucket + 1);
        ASSERT_LT(low, next);
        ASSERT_EQ(LatencyHistogram::bucketOf(low), bucket);
        ASSERT_EQ(LatencyHistogram::bucketOf(next - 1), bucket);
        // No bucket is wider than an eighth of its values.
        ASSERT_LE((next - low) * 8, std::max<std::uint64_t>(low, 8));
    }
    EXPECT_EQ(LatencyHistogram::bucketOf(UINT64_MAX), LatencyHistogram::kBuckets - 1);
}

TEST(LatencyHistogram, PercentilesAreNearTheTruth) {
    LatencyHistogram histogram;
    for (std::uint64_t micros = 1; micros <= 10000; ++micros) {
        histogram.record(micros);
    }
    LatencyCounts counts;
    histogram.addTo(counts);
    EXPECT_EQ(counts.count(), 10000u);
    EXPECT_EQ(counts.sumMicros(), 50005000u);
    EXPECT_EQ(counts.meanMicros(), 5000u);
    for (double share : {0.01, 0.5, 0.9, 0.99, 1.0}) {
        double truth = share * 10000;
        EXPECT_NEAR(static_cast<double>(counts.percentileMicros(share)), truth, truth * 0.0625 + 1) << share;
    }
    EXPECT_EQ(counts.percentileMicros(0), 1u);
    EXPECT_NEAR(static_cast<double>(counts.countUpTo(5000)), 5000, 5000 * 0.125);
    EXPECT_EQ(counts.countUpTo(UINT64_MAX), 10000u);
}

TEST(LatencyHistogram, IsEmptyAtFirst) {
    LatencyCounts counts;
    LatencyHistogram().addTo(counts);
    EXPECT_EQ(counts.count(), 0u);
    EXPECT_EQ(counts.percentileMicros(0.99), 0u);
    EXPECT_EQ(counts.meanMicros(), 0u);
}

TEST(LatencyCounts, Merge) {
    LatencyHistogram fast;
    LatencyHistogram slow;
    for (int i = 0; i < 90; ++i) {
        fast.record(100);
    }
    for (int i = 0; i < 10; ++i) {
        slow.record(100000);
    }
    LatencyCounts sum;
    LatencyCounts other;
    fast.addTo(sum);
    slow.addTo(other);
    sum.merge(other);
    EXPECT_EQ(sum.count(), 100u);
    EXPECT_NEAR(static_cast<double>(sum.percentileMicros(0.5)), 100, 7);
    EXPECT_NEAR(static_cast<double>(sum.percentileMicros(0.95)), 100000, 6250);
}

} // namespace
} // namespace saker::observe
