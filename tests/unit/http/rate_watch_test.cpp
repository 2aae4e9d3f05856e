#include "http/rate_watch.h"

#include <gtest/gtest.h>

namespace saker::http {
namespace {

class RateWatchTest : public testing::Test {
protected:
    RateWatchTest() {
        settings.minRate = 10;
        settings.gracePeriod = 5000;
        settings.stallTimeout = 20'000;
    }
    ConnectionSettings settings;
    RateWatch watch = RateWatch::start(1000, 500);
};

TEST_F(RateWatchTest, GraceComesFirst) {
    EXPECT_FALSE(watch.isTooSlow(1000, 500, settings));
    EXPECT_FALSE(watch.isTooSlow(6000, 500, settings));
    EXPECT_TRUE(watch.isTooSlow(6001, 500, settings));
}

TEST_F(RateWatchTest, TheAverageSinceTheStartCounts) {
    EXPECT_FALSE(watch.isTooSlow(11'000, 500 + 100, settings));
    EXPECT_TRUE(watch.isTooSlow(11'000, 500 + 99, settings));
    // What was fast once may pause: people skim through videos.
    EXPECT_FALSE(watch.isTooSlow(12'000, 500 + 1'000'000, settings));
    EXPECT_FALSE(watch.isTooSlow(30'000, 500 + 1'000'000, settings));
}

TEST_F(RateWatchTest, ButNotForEver) {
    EXPECT_FALSE(watch.isTooSlow(2000, 1'000'000, settings));
    EXPECT_FALSE(watch.isTooSlow(21'999, 1'000'000, settings));
    EXPECT_TRUE(watch.isTooSlow(22'000, 1'000'000, settings));
}

TEST_F(RateWatchTest, ZeroSwitchesOff) {
    settings.minRate = 0;
    settings.stallTimeout = 0;
    EXPECT_FALSE(watch.isTooSlow(1'000'000'000, 500, settings));
}

} // namespace
} // namespace saker::http
