#include "base/edit_distance.h"

#include <gtest/gtest.h>

#include <array>

namespace saker {
namespace {

TEST(EditDistanceTest, CountsInsertionsDeletionsReplacementsAndSwaps) {
    EXPECT_EQ(editDistance("", ""), 0U);
    EXPECT_EQ(editDistance("abc", ""), 3U);
    EXPECT_EQ(editDistance("", "abc"), 3U);
    EXPECT_EQ(editDistance("HttpPorts", "httpports"), 0U);
    EXPECT_EQ(editDistance("HttpPort", "HttpPorts"), 1U);
    EXPECT_EQ(editDistance("HtptPorts", "HttpPorts"), 1U);
    EXPECT_EQ(editDistance("kitten", "sitting"), 3U);
}

TEST(EditDistanceTest, SuggestsOnlyWhatIsNear) {
    constexpr std::array<std::string_view, 3> keys = {"Logging", "HttpPorts", "HttpsPorts"};
    EXPECT_EQ(nearest("Loging", keys), "Logging");
    EXPECT_EQ(nearest("HttpPort", keys), "HttpPorts");
    EXPECT_EQ(nearest("Banana", keys), "");
    EXPECT_EQ(didYouMean("Loging", keys), " Did you mean \"Logging\"?");
    EXPECT_EQ(didYouMean("Banana", keys), "");
}

} // namespace
} // namespace saker
