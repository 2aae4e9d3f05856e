#include "http/date.h"

#include <gtest/gtest.h>

#include <ctime>

namespace saker::http {
namespace {

constexpr std::int64_t kNow = 1700000000; // November 2023
constexpr std::int64_t kExample = 784111777;

TEST(Date, IsWrittenAsFixdate) {
    EXPECT_EQ(httpDate(kExample), "Sun, 06 Nov 1994 08:49:37 GMT");
    EXPECT_EQ(httpDate(0), "Thu, 01 Jan 1970 00:00:00 GMT");
    EXPECT_EQ(httpDate(-1), "Wed, 31 Dec 1969 23:59:59 GMT");
    EXPECT_EQ(httpDate(951782400), "Tue, 29 Feb 2000 00:00:00 GMT");
    EXPECT_EQ(httpDate(4107542399), "Sun, 28 Feb 2100 23:59:59 GMT");
    EXPECT_EQ(httpDate(4107542400), "Mon, 01 Mar 2100 00:00:00 GMT");
    EXPECT_EQ(httpDate(253402300799), "Fri, 31 Dec 9999 23:59:59 GMT");
    EXPECT_EQ(httpDate(INT64_MAX), "Fri, 31 Dec 9999 23:59:59 GMT");
    EXPECT_EQ(httpDate(-62167219200), "Sat, 01 Jan 0000 00:00:00 GMT");
    EXPECT_EQ(httpDate(INT64_MIN), "Sat, 01 Jan 0000 00:00:00 GMT");
}

TEST(Date, ComesBackTheSame) {
    for (std::int64_t seconds = -62167219200; seconds < 253402300799; seconds += 86400 * 97 + 12345) {
        std::string text = httpDate(seconds);
        ASSERT_EQ(parseHttpDate(text, kNow), seconds) << text;
    }
}

TEST(Date, IsReadInAllThreeForms) {
    const std::pair<std::string_view, std::int64_t> cases[] = {
        {"Sun, 06 Nov 1994 08:49:37 GMT", kExample},
        {"Sunday, 06-Nov-94 08:49:37 GMT", kExample},
        {"Sun Nov  6 08:49:37 1994", kExample},
        {"Wed Nov 16 08:49:37 1994", kExample + 10 * 86400},
        {"Thu, 29 Feb 2024 00:00:00 GMT", 1709164800},
        {"Sat, 31 Dec 2016 23:59:60 GMT", 1483228799},    // a leap second
        {"Mon, 06 Nov 1994 08:49:37 GMT", kExample},      // the weekday is not compared
        {"Thursday, 01-Jan-70 00:00:00 GMT", 3155760000}, // 2070 is not more than 50 years ahead
        {"Thursday, 01-Jan-73 00:00:00 GMT", 3250454400}, // 2073 is just within
        {"Thursday, 01-Jan-74 00:00:00 GMT", 126230400},  // 1974
    };
    for (const auto& [text, seconds] : cases) {
        EXPECT_EQ(parseHttpDate(text, kNow), seconds) << text;
    }
}

TEST(Date, IsRefused) {
    for (std::string_view text : {"",
                                  "0",
                                  "1700000000",
                                  "Sun, 06 Nov 1994 08:49:37",
                                  "Sun, 06 Nov 1994 08:49:37 UTC",
                                  "Sun, 06 Nov 1994 08:49:37 GMT ",
                                  " Sun, 06 Nov 1994 08:49:37 GMT",
                                  "sun, 06 Nov 1994 08:49:37 GMT",
                                  "Sun, 06 nov 1994 08:49:37 GMT",
                                  "Sun, 6 Nov 1994 08:49:37 GMT",
                                  "Sun, 06 Nov 94 08:49:37 GMT",
                                  "Sun,  6 Nov 1994 08:49:37 GMT",
                                  "Sun, 00 Nov 1994 08:49:37 GMT",
                                  "Sun, 31 Nov 1994 08:49:37 GMT",
                                  "Sun, 29 Feb 2023 08:49:37 GMT",
                                  "Sun, 29 Feb 1900 08:49:37 GMT",
                                  "Sun, 06 Nov 1994 24:00:00 GMT",
                                  "Sun, 06 Nov 1994 08:60:37 GMT",
                                  "Sun, 06 Nov 1994 08:49:61 GMT",
                                  "Sun, 06 Nov 1994 8:49:37 GMT",
                                  "Sun, 06 Foo 1994 08:49:37 GMT",
                                  "Sun, +6 Nov 1994 08:49:37 GMT",
                                  "Sun, 06-Nov-94 08:49:37 GMT",
                                  "Sunday, 06-Nov-1994 08:49:37 GMT",
                                  "Sunday, 06 Nov 94 08:49:37 GMT",
                                  "Sun Nov 6 08:49:37 1994",
                                  "Sun Nov 06 08:49:37 94",
                                  "Sun Nov  6 08:49:37 1994 GMT",
                                  "Sun Nov    08:49:37 1994"}) {
        EXPECT_EQ(parseHttpDate(text, kNow), std::nullopt) << text;
    }
}

} // namespace
} // namespace saker::http
