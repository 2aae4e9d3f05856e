#include "http/conditional.h"

#include "unit/http/head_of.h"

#include <gtest/gtest.h>

namespace saker::http {
namespace {

constexpr std::int64_t kNow = 1700000000;
constexpr std::int64_t kModified = 784111777; // Sun, 06 Nov 1994 08:49:37 GMT

TEST(Conditional, ReadsEntityTags) {
    auto tag = parseEntityTag("\"a b\"");
    EXPECT_FALSE(tag); // a blank is not an etagc
    tag = parseEntityTag("\"abc!#\xff\"");
    ASSERT_TRUE(tag);
    EXPECT_EQ(tag->opaque, "\"abc!#\xff\"");
    EXPECT_FALSE(tag->weak);
    tag = parseEntityTag("W/\"\"");
    ASSERT_TRUE(tag);
    EXPECT_EQ(tag->opaque, "\"\"");
    EXPECT_TRUE(tag->weak);
    for (std::string_view text : {"", "abc", "\"", "\"abc", "abc\"", "w/\"a\"", "W/", "W/a", "\"a\"b",
                                  "\"a\", \"b\"", "*", "\"a\x01\""}) {
        EXPECT_FALSE(parseEntityTag(text)) << text;
    }
}

TEST(Conditional, ComparesEntityTags) {
    struct Case {
        std::string_view a, b;
        bool strong, weak;
    };
    const Case cases[] = {
        // RFC 9110, section 8.8.3.2
        {"W/\"1\"", "W/\"1\"", false, true},
        {"W/\"1\"", "W/\"2\"", false, false},
        {"W/\"1\"", "\"1\"", false, true},
        {"\"1\"", "\"1\"", true, true},
    };
    for (const Case& c : cases) {
        auto a = parseEntityTag(c.a);
        auto b = parseEntityTag(c.b);
        EXPECT_EQ(strongMatch(*a, *b), c.strong);
        EXPECT_EQ(strongMatch(*b, *a), c.strong);
        EXPECT_EQ(weakMatch(*a, *b), c.weak);
    }
}

constexpr auto kProceed = Precondition::proceed;
constexpr auto kNotModified = Precondition::notModified;
constexpr auto kFailed = Precondition::failed;

struct Case {
    const char* method;
    std::string fields;
    Precondition expected;
};

const std::string kSame = "Sun, 06 Nov 1994 08:49:37 GMT\r\n";
const std::string kBefore = "Sun, 06 Nov 1994 08:49:36 GMT\r\n";
const std::string kAfter = "Sun, 06 Nov 1994 08:49:38 GMT\r\n";

TEST(Conditional, EvaluatesInTheOrderOfTheStandard) {
    const Case cases[] = {
        {"GET", "", kProceed},
        // If-None-Match
        {"GET", "If-None-Match: \"a\"\r\n", kNotModified},
        {"HEAD", "If-None-Match: \"a\"\r\n", kNotModified},
        {"POST", "If-None-Match: \"a\"\r\n", kFailed},
        {"OPTIONS", "If-None-Match: \"a\"\r\n", kProceed},
        {"GET", "If-None-Match: W/\"a\"\r\n", kNotModified},
        {"GET", "If-None-Match: *\r\n", kNotModified},
        {"PUT", "If-None-Match: *\r\n", kFailed},
        {"GET", "If-None-Match: \"b\"\r\n", kProceed},
        {"GET", "If-None-Match: \"b\", W/\"c\",\"a\"\r\n", kNotModified},
        {"GET", "If-None-Match: ,, \"b\" ,, \"a\" ,\r\n", kNotModified},
        {"GET", "If-None-Match: \"b\"\r\nIf-None-Match: \"a\"\r\n", kNotModified},
        {"GET", "If-None-Match: \"b,\\\"a\"\r\n", kProceed},
        {"GET", "If-None-Match: \"b\" \"a\"\r\n", kProceed},
        {"GET", "If-None-Match: a\r\n", kProceed},
        {"GET", "If-None-Match: \"a\r\n", kProceed},
        {"GET", "If-None-Match: \"a\", oops\r\n", kNotModified},
        {"GET", "If-None-Match:\r\n", kProceed},
        // it beats If-Modified-Since
        {"GET", "If-None-Match: \"b\"\r\nIf-Modified-Since: " + kSame, kProceed},
        {"GET", "If-None-Match: \"a\"\r\nIf-Modified-Since: " + kBefore, kNotModified},
        // If-Modified-Since
        {"GET", "If-Modified-Since: " + kSame, kNotModified},
        {"HEAD", "If-Modified-Since: " + kAfter, kNotModified},
        {"GET", "If-Modified-Since: " + kBefore, kProceed},
        {"POST", "If-Modified-Since: " + kSame, kProceed},
        {"GET", "If-Modified-Since: Sunday, 06-Nov-94 08:49:37 GMT\r\n", kNotModified},
        {"GET", "If-Modified-Since: Sun Nov  6 08:49:37 1994\r\n", kNotModified},
        {"GET", "If-Modified-Since: yesterday\r\n", kProceed},
        // If-Match
        {"GET", "If-Match: \"a\"\r\n", kProceed},
        {"GET", "If-Match: *\r\n", kProceed},
        {"GET", "If-Match: W/\"a\"\r\n", kFailed},
        {"GET", "If-Match: \"b\"\r\n", kFailed},
        {"GET", "If-Match: \"b\", \"a\"\r\n", kProceed},
        {"GET", "If-Match:\r\n", kFailed},
        {"GET", "If-Match: \"b\"\r\nIf-None-Match: \"a\"\r\n", kFailed},
        {"GET", "If-Match: \"a\"\r\nIf-None-Match: \"a\"\r\n", kNotModified},
        // it beats If-Unmodified-Since
        {"GET", "If-Match: \"a\"\r\nIf-Unmodified-Since: " + kBefore, kProceed},
        // If-Unmodified-Since
        {"GET", "If-Unmodified-Since: " + kSame, kProceed},
        {"GET", "If-Unmodified-Since: " + kAfter, kProceed},
        {"GET", "If-Unmodified-Since: " + kBefore, kFailed},
        {"GET", "If-Unmodified-Since: never\r\n", kProceed},
    };
    Validators validators;
    validators.etag = "\"a\"";
    validators.lastModified = kModified;
    for (const Case& c : cases) {
        auto request = headOf(c.fields, c.method);
        EXPECT_EQ(evaluatePreconditions(request->head, validators, kNow), c.expected)
            << c.method << " " << c.fields;
    }
}

TEST(Conditional, WithoutValidatorsOnlyTheStarMatches) {
    const Case cases[] = {
        {"GET", "If-None-Match: \"a\"\r\n", kProceed},
        {"GET", "If-None-Match: *\r\n", kNotModified},
        {"GET", "If-Match: \"a\"\r\n", kFailed},
        {"GET", "If-Match: *\r\n", kProceed},
        {"GET", "If-Modified-Since: " + kSame, kProceed},
        {"GET", "If-Unmodified-Since: " + kBefore, kProceed},
    };
    for (const Case& c : cases) {
        EXPECT_EQ(evaluatePreconditions(headOf(c.fields)->head, {}, kNow), c.expected) << c.fields;
    }
    Validators absent;
    absent.exists = false;
    EXPECT_EQ(evaluatePreconditions(headOf("If-Match: *\r\n", "PUT")->head, absent, kNow), kFailed);
    EXPECT_EQ(evaluatePreconditions(headOf("If-None-Match: *\r\n", "PUT")->head, absent, kNow), kProceed);
}

TEST(Conditional, JudgesIfRange) {
    const std::pair<std::string, bool> cases[] = {
        {"", true},
        {"If-Range: \"a\"\r\n", true},
        {"If-Range: W/\"a\"\r\n", false},
        {"If-Range: \"b\"\r\n", false},
        {"If-Range: \"a\", \"b\"\r\n", false},
        {"If-Range: " + kSame, true},
        {"If-Range: " + kAfter, false},
        {"If-Range: " + kBefore, false},
        {"If-Range: x\r\n", false},
    };
    Validators validators;
    validators.etag = "\"a\"";
    validators.lastModified = kModified;
    for (const auto& [fields, fresh] : cases) {
        EXPECT_EQ(isRangeFresh(headOf(fields)->head, validators, kNow), fresh) << fields;
    }
    EXPECT_FALSE(
        isRangeFresh(headOf("If-Range: " + kSame)->head, validators, kModified)); // changed this very second
    validators.etag = "W/\"a\"";
    EXPECT_FALSE(isRangeFresh(headOf("If-Range: \"a\"\r\n")->head, validators, kNow));
}

} // namespace
} // namespace saker::http
