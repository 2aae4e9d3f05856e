#include "http/date_cache.h"

#include <gtest/gtest.h>

namespace saker::http {
namespace {

TEST(DateCache, FollowsTheSeconds) {
    DateCache cache;
    cache.refresh(784111777);
    EXPECT_EQ(cache.text(), "Sun, 06 Nov 1994 08:49:37 GMT");
    EXPECT_EQ(cache.seconds(), 784111777);
    const char* place = cache.text().data();
    cache.refresh(784111778);
    EXPECT_EQ(cache.text(), "Sun, 06 Nov 1994 08:49:38 GMT");
    EXPECT_EQ(cache.text().data(), place) << "who patches a date in place takes the text from here";
    cache.refresh(784111777); // clocks are set back
    EXPECT_EQ(cache.text(), "Sun, 06 Nov 1994 08:49:37 GMT");
    cache.refresh(0);
    EXPECT_EQ(cache.text(), "Thu, 01 Jan 1970 00:00:00 GMT");
}

} // namespace
} // namespace saker::http
