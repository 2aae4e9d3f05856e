#include "http/h2/flood_guard.h"

#include <gtest/gtest.h>

namespace saker::http {
namespace {

using Flood = observe::Http2Flood;

int allowedInARow(Flood kind) {
    FloodGuard guard(1000);
    int count = 0;
    while (guard.allows(kind, 1000) && count < 1'000'000) {
        ++count;
    }
    return count;
}

TEST(FloodGuard, EachKindHasItsPrice) {
    EXPECT_EQ(allowedInARow(Flood::resets), 500);
    EXPECT_EQ(allowedInARow(Flood::settings), 500);
    EXPECT_EQ(allowedInARow(Flood::badRequests), 500);
    EXPECT_EQ(allowedInARow(Flood::pings), 1000);
    EXPECT_EQ(allowedInARow(Flood::emptyFrames), 1000);
    EXPECT_EQ(allowedInARow(Flood::priorities), 1000);
    EXPECT_EQ(allowedInARow(Flood::windowUpdates), 10'000);
}

TEST(FloodGuard, SomeAreTooManyAtOnce) {
    for (const Flood kind : {Flood::continuations, Flood::headerBombs, Flood::unreadReplies}) {
        EXPECT_EQ(allowedInARow(kind), 0);
    }
}

TEST(FloodGuard, TimeGivesTheAllowanceBack) {
    FloodGuard guard(0);
    while (guard.allows(Flood::pings, 0)) {
    }
    EXPECT_FALSE(guard.allows(Flood::pings, 0));
    EXPECT_TRUE(guard.allows(Flood::pings, 60'000));
}

TEST(FloodGuard, ABusyClientMayCancelHalfOfItsRequests) {
    FloodGuard guard(0);
    for (int i = 0; i < 100'000; ++i) {
        guard.onAnswered();
        guard.onAnswered();
        ASSERT_TRUE(guard.allows(Flood::resets, 0)) << i;
    }
}

TEST(FloodGuard, AClientThatTakesDataMayOpenItsWindows) {
    FloodGuard guard(0);
    for (int i = 0; i < 100'000; ++i) {
        guard.onDataSent(1024);
        ASSERT_TRUE(guard.allows(Flood::windowUpdates, 0)) << i;
        ASSERT_TRUE(guard.allows(Flood::windowUpdates, 0)) << i;
    }
}

TEST(FloodGuard, WindowsOfAFewBytesAreAFlood) {
    FloodGuard guard(0);
    int opened = 0;
    while (guard.allows(Flood::windowUpdates, 0) && opened < 100'000) {
        guard.onDataSent(1);
        ++opened;
    }
    EXPECT_EQ(opened, 10'000);
}

} // namespace
} // namespace saker::http
