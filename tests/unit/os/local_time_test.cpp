#include "os/local_time.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

namespace saker::os {
namespace {

TEST(LocalTime, FollowsTheZone) {
    ::setenv("TZ", "XYZ-5:30", 1);
    ::tzset();
    CalendarTime local = localTime(951827696); // 2000-02-29 12:34:56 UTC
    ::unsetenv("TZ");
    ::tzset();
    EXPECT_EQ(local.year, 2000);
    EXPECT_EQ(local.month, 2);
    EXPECT_EQ(local.day, 29);
    EXPECT_EQ(local.hour, 18);
    EXPECT_EQ(local.minute, 4);
    EXPECT_EQ(local.second, 56);
    EXPECT_EQ(local.offsetMinutes, 330);
}

TEST(LocalTime, Utc) {
    CalendarTime utc = utcTime(951827696);
    EXPECT_EQ(utc.day, 29);
    EXPECT_EQ(utc.hour, 12);
    EXPECT_EQ(utc.offsetMinutes, 0);
}

} // namespace
} // namespace saker::os
