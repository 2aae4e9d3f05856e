#include "http/request_wait.h"

#include <gtest/gtest.h>

namespace saker::http {
namespace {

using Due = RequestWait::Due;

class RequestWaitTest : public testing::Test {
protected:
    RequestWaitTest() {
        settings.headTimeout = 30;
        settings.keepAliveTimeout = 100;
    }
    ConnectionSettings settings;
    RequestWait wait{1000};
};

TEST_F(RequestWaitTest, TheFirstHeadIsDueFromTheBeginning) {
    EXPECT_EQ(wait.deadline(false, settings), 1030U);
    EXPECT_EQ(wait.due(1029, false, settings), Due::nothing);
    EXPECT_EQ(wait.due(1030, false, settings), Due::head);
}

TEST_F(RequestWaitTest, ItsBytesDoNotProlongIt) {
    wait.setActive(1020);
    wait.beginHead();
    EXPECT_EQ(wait.due(1030, true, settings), Due::head);
}

TEST_F(RequestWaitTest, BetweenRequestsIdlenessCounts) {
    wait.endHead();
    wait.setActive(2000);
    EXPECT_EQ(wait.deadline(false, settings), 2100U);
    EXPECT_EQ(wait.due(2099, false, settings), Due::nothing);
    EXPECT_EQ(wait.due(2100, false, settings), Due::idle);
    EXPECT_EQ(wait.due(2100, true, settings), Due::nothing) << "a part of a request is there";
}

TEST_F(RequestWaitTest, TheNextHeadIsTimedFromItsFirstByte) {
    wait.endHead();
    wait.setActive(2000);
    wait.beginHead();
    wait.setActive(2010);
    wait.beginHead();
    EXPECT_EQ(wait.deadline(true, settings), 2030U);
    EXPECT_EQ(wait.due(2030, true, settings), Due::head);
}

TEST_F(RequestWaitTest, ZeroSwitchesOff) {
    settings.headTimeout = 0;
    settings.keepAliveTimeout = 0;
    EXPECT_EQ(wait.deadline(false, settings), RequestWait::kNever);
    EXPECT_EQ(wait.due(1'000'000'000, false, settings), Due::nothing);
}

} // namespace
} // namespace saker::http
