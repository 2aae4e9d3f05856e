#include "http/request_wait.h"

#include <gtest/gtest.h>

namespace saker::http {
namespace {

using Due = RequestWait::Due;

class RequestWaitTest : public testing::Test {
protected:
    WaitLimits limits{30, 100};
    RequestWait wait{1000};
};

TEST_F(RequestWaitTest, TheFirstHeadIsDueFromTheBeginning) {
    EXPECT_EQ(wait.deadline(false, limits), 1030U);
    EXPECT_EQ(wait.due(1029, false, limits), Due::nothing);
    EXPECT_EQ(wait.due(1030, false, limits), Due::head);
}

TEST_F(RequestWaitTest, ItsBytesDoNotProlongIt) {
    wait.setActive(1020);
    wait.beginHead();
    EXPECT_EQ(wait.due(1030, true, limits), Due::head);
}

TEST_F(RequestWaitTest, BetweenRequestsIdlenessCounts) {
    wait.endHead();
    wait.setActive(2000);
    EXPECT_EQ(wait.deadline(false, limits), 2100U);
    EXPECT_EQ(wait.due(2099, false, limits), Due::nothing);
    EXPECT_EQ(wait.due(2100, false, limits), Due::idle);
    EXPECT_EQ(wait.due(2100, true, limits), Due::nothing) << "a part of a request is there";
}

TEST_F(RequestWaitTest, TheNextHeadIsTimedFromItsFirstByte) {
    wait.endHead();
    wait.setActive(2000);
    wait.beginHead();
    wait.setActive(2010);
    wait.beginHead();
    EXPECT_EQ(wait.deadline(true, limits), 2030U);
    EXPECT_EQ(wait.due(2030, true, limits), Due::head);
}

TEST_F(RequestWaitTest, ZeroSwitchesOff) {
    limits = {};
    EXPECT_EQ(wait.deadline(false, limits), RequestWait::kNever);
    EXPECT_EQ(wait.due(1'000'000'000, false, limits), Due::nothing);
}

} // namespace
} // namespace saker::http
