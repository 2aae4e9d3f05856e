#include "http/status.h"

#include <gtest/gtest.h>

namespace saker::http {
namespace {

TEST(Status, HasItsReasonOrItsClass) {
    EXPECT_EQ(reasonPhrase(200), "OK");
    EXPECT_EQ(reasonPhrase(206), "Partial Content");
    EXPECT_EQ(reasonPhrase(404), "Not Found");
    EXPECT_EQ(reasonPhrase(431), "Request Header Fields Too Large");
    EXPECT_EQ(reasonPhrase(299), "Successful");
    EXPECT_EQ(reasonPhrase(499), "Client Error");
    EXPECT_EQ(reasonPhrase(99), "Unknown");
    EXPECT_EQ(reasonPhrase(-1), "Unknown");
    EXPECT_EQ(reasonPhrase(600), "Unknown");
}

TEST(Status, KnowsWhichAnswersHaveNoBody) {
    EXPECT_TRUE(isBodiless(100));
    EXPECT_TRUE(isBodiless(204));
    EXPECT_TRUE(isBodiless(304));
    EXPECT_FALSE(isBodiless(200));
    EXPECT_FALSE(isBodiless(205));
    EXPECT_FALSE(isBodiless(404));
}

} // namespace
} // namespace saker::http
