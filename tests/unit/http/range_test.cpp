#include "http/range.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace saker::http {

void PrintTo(const ByteRange& range, std::ostream* out) {
    *out << range.first << "-" << range.last;
}

namespace {

using Kind = RangeSet::Kind;

struct Case {
    std::string field;
    std::uint64_t size;
    Kind kind;
    std::vector<ByteRange> ranges;
};

TEST(Range, IsRead) {
    const std::vector<Case> cases = {
        {"", 1000, Kind::whole, {}},
        {"bytes=0-499", 1000, Kind::partial, {{0, 499}}},
        {"Bytes=0-499", 1000, Kind::partial, {{0, 499}}},
        {"bytes=500-", 1000, Kind::partial, {{500, 999}}},
        {"bytes=-500", 1000, Kind::partial, {{500, 999}}},
        {"bytes=-1", 1000, Kind::partial, {{999, 999}}},
        {"bytes=-5000", 1000, Kind::partial, {{0, 999}}},
        {"bytes=0-", 1000, Kind::partial, {{0, 999}}},
        {"bytes=999-", 1000, Kind::partial, {{999, 999}}},
        {"bytes=0-0", 1000, Kind::partial, {{0, 0}}},
        {"bytes=900-5000", 1000, Kind::partial, {{900, 999}}},
        {"bytes=0-99999999999999999999999", 1000, Kind::partial, {{0, 999}}},
        {"bytes= 0-1 , 500-501", 1000, Kind::partial, {{0, 1}, {500, 501}}},
        {"bytes=,,0-1,", 1000, Kind::partial, {{0, 1}}},
        {"bytes=500-600,0-10", 1000, Kind::partial, {{500, 600}, {0, 10}}},
        {"bytes=0-1,5000-6000", 1000, Kind::partial, {{0, 1}}},
        // joined
        {"bytes=0-10,5-20", 1000, Kind::partial, {{0, 20}}},
        {"bytes=0-10,11-20", 1000, Kind::partial, {{0, 20}}},
        {"bytes=0-10,20-30", 1000, Kind::partial, {{0, 30}}},
        {"bytes=0-10,500-600,8-20", 1000, Kind::partial, {{0, 20}, {500, 600}}},
        {"bytes=0-0,-1", 1000, Kind::partial, {{0, 0}, {999, 999}}},
        {"bytes=0-,0-,0-", 1000, Kind::partial, {{0, 999}}},
        {"bytes=0-900,10-20", 1000, Kind::partial, {{0, 900}}},
        // nothing to send
        {"bytes=1000-", 1000, Kind::unsatisfiable, {}},
        {"bytes=1000-2000,3000-", 1000, Kind::unsatisfiable, {}},
        {"bytes=-0", 1000, Kind::unsatisfiable, {}},
        {"bytes=99999999999999999999999-", 1000, Kind::unsatisfiable, {}},
        {"bytes=0-", 0, Kind::unsatisfiable, {}},
        {"bytes=-5", 0, Kind::unsatisfiable, {}},
        // ignored
        {"bytes", 1000, Kind::whole, {}},
        {"bytes=", 1000, Kind::whole, {}},
        {"bytes=,", 1000, Kind::whole, {}},
        {"bytes =0-1", 1000, Kind::whole, {}},
        {"lines=0-1", 1000, Kind::whole, {}},
        {"bytes=1", 1000, Kind::whole, {}},
        {"bytes=-", 1000, Kind::whole, {}},
        {"bytes=5-4", 1000, Kind::whole, {}},
        {"bytes=a-b", 1000, Kind::whole, {}},
        {"bytes=0x0-1", 1000, Kind::whole, {}},
        {"bytes=+0-1", 1000, Kind::whole, {}},
        {"bytes=0 -1", 1000, Kind::whole, {}},
        {"bytes=0-1;", 1000, Kind::whole, {}},
        {"bytes=0-1-2", 1000, Kind::whole, {}},
        {"bytes=--1", 1000, Kind::whole, {}},
        {"bytes=0-1,x", 1000, Kind::whole, {}},
    };
    for (const Case& c : cases) {
        RangeSet set = parseRange(c.field, c.size);
        EXPECT_EQ(set.kind, c.kind) << c.field;
        EXPECT_THAT(std::vector<ByteRange>(set.ranges().begin(), set.ranges().end()),
                    testing::ElementsAreArray(c.ranges))
            << c.field;
    }
}

TEST(Range, TooManyAreIgnored) {
    std::string field = "bytes=0-0";
    for (std::size_t i = 1; i < RangeSet::kMaxRanges; ++i) {
        field += "," + std::to_string(i * 1000) + "-" + std::to_string(i * 1000);
    }
    EXPECT_EQ(parseRange(field, 1000000).ranges().size(), RangeSet::kMaxRanges);
    field += ",99999-99999";
    EXPECT_EQ(parseRange(field, 1000000).kind, Kind::whole);
    EXPECT_TRUE(parseRange(field, 1000000).ranges().empty());
}

TEST(Range, IsDescribed) {
    EXPECT_EQ(contentRange({0, 499}, 1234), "bytes 0-499/1234");
    EXPECT_EQ(unsatisfiedRange(1234), "bytes */1234");
}

TEST(Range, PartsAreFramed) {
    const ByteRange ranges[] = {{0, 4}, {500, 509}};
    MultipartRanges parts(ranges, 1000, "text/plain", 7);
    std::string type = parts.contentType();
    ASSERT_EQ(type.substr(0, 31), "multipart/byteranges; boundary=");
    std::string boundary = type.substr(31);
    EXPECT_LE(boundary.size(), 70U); // RFC 2046, section 5.1.1
    std::string body = parts.head(0) + "01234" + parts.head(1) + "0123456789" + parts.tail();
    EXPECT_EQ(
        body,
        "--" + boundary + "\r\nContent-Type: text/plain\r\nContent-Range: bytes 0-4/1000\r\n\r\n01234\r\n--" +
            boundary +
            "\r\nContent-Type: text/plain\r\nContent-Range: bytes 500-509/1000\r\n\r\n0123456789\r\n--" +
            boundary + "--\r\n");
    EXPECT_EQ(parts.contentLength(), body.size());
    EXPECT_NE(MultipartRanges(ranges, 1000, "", 8).contentType(), type);
    EXPECT_EQ(MultipartRanges(ranges, 1000, "", 8).head(0).find("Content-Type"), std::string::npos);
}

} // namespace
} // namespace saker::http
