#include "base/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace saker {
namespace {

using testing::ElementsAre;

TEST(TextTest, ComparesWithoutCaseOfAsciiOnly) {
    EXPECT_TRUE(equalsIgnoreCase("Content-Type", "content-TYPE"));
    EXPECT_FALSE(equalsIgnoreCase("a", "ab"));
    EXPECT_FALSE(equalsIgnoreCase("\xc4", "\xe4"));
    EXPECT_TRUE(startsWithIgnoreCase("BYTES=0-1", "bytes="));
    EXPECT_FALSE(startsWithIgnoreCase("by", "bytes"));
}

TEST(TextTest, SplitsAndTrims) {
    EXPECT_THAT(split("a,,b", ','), ElementsAre("a", "", "b"));
    EXPECT_THAT(split("", ','), ElementsAre(""));
    EXPECT_EQ(trim(" \t a b\t "), "a b");
    EXPECT_EQ(trim(" \t"), "");
    EXPECT_EQ(trim("\r\na"), "\r\na");
    EXPECT_EQ(trimLines("\r\na \n"), "a");
}

TEST(TextTest, ReadsWholeDecimalNumbersOnly) {
    EXPECT_EQ(parseDecimal("0"), 0U);
    EXPECT_EQ(parseDecimal("18446744073709551615"), 18446744073709551615U);
    for (std::string_view bad :
         {"", " 1", "1 ", "+1", "-1", "0x1", "1.0", "18446744073709551616", "99999999999999999999"}) {
        EXPECT_FALSE(parseDecimal(bad).has_value()) << bad;
    }
}

TEST(TextTest, EscapesForHtmlAndLogs) {
    EXPECT_EQ(escapeHtml("<a href='x'>\"&</a>"), "&lt;a href=&#39;x&#39;&gt;&quot;&amp;&lt;/a&gt;");
    EXPECT_EQ(escapeControl(std::string_view("a\r\n\0\x7f\"\\b", 8)), "a\\x0D\\x0A\\x00\\x7F\\\"\\\\b");
}

TEST(TextTest, KnowsUtf8) {
    for (std::string_view good :
         {"", "plain", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\xa6\x85", "\xef\xbf\xbd"}) {
        EXPECT_TRUE(isUtf8(good)) << good;
    }
    // Overlong, surrogate, beyond U+10FFFF, cut, stray continuation.
    for (std::string_view bad :
         {"\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\x80", "\xff"}) {
        EXPECT_FALSE(isUtf8(bad));
    }
}

TEST(TextTest, CountsThingsInTheRightNumber) {
    EXPECT_EQ(counted(0, "file"), "0 files");
    EXPECT_EQ(counted(1, "file"), "1 file");
    EXPECT_EQ(counted(2, "file"), "2 files");
    EXPECT_EQ(counted(1, "entry", "entries"), "1 entry");
    EXPECT_EQ(counted(2, "entry", "entries"), "2 entries");
}

TEST(TextTest, FormatsBytesForPeople) {
    EXPECT_EQ(formatBytes(1023), "1023 B");
    EXPECT_EQ(formatBytes(1536), "1.5 KiB");
    EXPECT_EQ(formatBytes(12'345'678), "11.8 MiB");
}

} // namespace
} // namespace saker
