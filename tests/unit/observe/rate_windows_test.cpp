#include "observe/rate_windows.h"

#include <gtest/gtest.h>

namespace saker::observe {
namespace {

void expectRates(const RateWindows& windows, std::uint64_t second, std::uint64_t minute, std::uint64_t hour) {
    Rates rates = windows.rates();
    EXPECT_EQ(rates.lastSecond, second);
    EXPECT_EQ(rates.lastMinute, minute);
    EXPECT_EQ(rates.lastHour, hour);
}

TEST(RateWindows, NothingBeforeTheFirstSample) {
    expectRates(RateWindows(), 0, 0, 0);
}

TEST(RateWindows, CountFromTheFirstSecondOn) {
    RateWindows windows;
    windows.sample(1000, 7);
    expectRates(windows, 7, 7, 7);
    windows.sample(1001, 10);
    expectRates(windows, 3, 10, 10);
}

TEST(RateWindows, Slide) {
    RateWindows windows;
    std::uint64_t total = 0;
    for (std::uint64_t second = 1; second <= 4000; ++second) {
        total += 5;
        windows.sample(second, total);
    }
    expectRates(windows, 5, 300, 18000);
    for (std::uint64_t second = 4001; second <= 4030; ++second) {
        windows.sample(second, total);
    }
    // Half of the minute was silent: half of its requests are left, at once and not at the turn of a minute.
    expectRates(windows, 0, 150, 17850);
    for (std::uint64_t second = 4031; second <= 4060; ++second) {
        windows.sample(second, total);
    }
    expectRates(windows, 0, 0, 17700);
}

TEST(RateWindows, MissedSecondsGetTheirShare) {
    RateWindows windows;
    windows.sample(100, 0);
    windows.sample(110, 100);
    expectRates(windows, 10, 100, 100);
    windows.sample(230, 220); // two minutes at one a second
    expectRates(windows, 1, 60, 220);
}

TEST(RateWindows, GapLongerThanTheRing) {
    RateWindows windows;
    windows.sample(100, 50);
    windows.sample(100 + 7200, 50 + 7200);
    expectRates(windows, 1, 60, 3600);
    windows.sample(100 + 1'000'000'000'000, 50 + 7200); // ends soon
    expectRates(windows, 0, 0, 0);
}

TEST(RateWindows, ClockThatStandsOrGoesBack) {
    RateWindows windows;
    windows.sample(100, 10);
    windows.sample(101, 20);
    windows.sample(101, 25);
    windows.sample(99, 26);
    expectRates(windows, 16, 26, 26);
    windows.sample(102, 30);
    expectRates(windows, 4, 30, 30);
}

} // namespace
} // namespace saker::observe
