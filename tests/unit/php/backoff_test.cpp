#include "php/backoff.h"

#include <gtest/gtest.h>

namespace saker::php {
namespace {

using std::chrono::milliseconds;

TEST(Backoff, DoublesUpToALimit) {
    Backoff backoff;
    for (int expected : {100, 200, 400, 800, 1600, 3200, 6400, 10'000, 10'000}) {
        EXPECT_EQ(backoff.after(milliseconds(5)), milliseconds(expected));
    }
    backoff.reset();
    EXPECT_EQ(backoff.after(milliseconds(0)), milliseconds(100));
}

TEST(Backoff, BeginsAnewAfterAProgramThatStoodAWhile) {
    Backoff backoff;
    backoff.after(milliseconds(0));
    backoff.after(milliseconds(0));
    EXPECT_EQ(backoff.after(Backoff::kStood - milliseconds(1)), milliseconds(400));
    EXPECT_EQ(backoff.after(Backoff::kStood), milliseconds(100));
    EXPECT_EQ(backoff.after(milliseconds(0)), milliseconds(200));
}

} // namespace
} // namespace saker::php
