#include "http/url.h"

#include <gtest/gtest.h>

#include <string>

namespace saker::http {
namespace {

struct Case {
    std::string_view raw, path;
    std::uint32_t segments;
    bool trailingSlash, changed;
};

TEST(Url, NormalisesPaths) {
    const Case cases[] = {
        {"/", "", 0, true, false},
        {"/a", "a", 1, false, false},
        {"/a/", "a", 1, true, false},
        {"/a/b.html", "a/b.html", 2, false, false},
        {"/a/b/c/", "a/b/c", 3, true, false},
        {"/caf\xc3\xa9", "caf\xc3\xa9", 1, false, false},
        {"/a.b/c..d/e...", "a.b/c..d/e...", 3, false, false},
        {"/.well-known/x", ".well-known/x", 2, false, false},
        {"/...", "...", 1, false, false},
        {"/..a/.b", "..a/.b", 2, false, false},
        {"/.well-known/", ".well-known", 1, true, false},
        {"//", "", 0, true, true},
        {"//a", "a", 1, false, true},
        {"/a//b///c", "a/b/c", 3, false, true},
        {"/a//", "a", 1, true, true},
        {"/.", "", 0, true, true},
        {"/./", "", 0, true, true},
        {"/a/.", "a", 1, true, true},
        {"/a/./b", "a/b", 2, false, true},
        {"/a/..", "", 0, true, true},
        {"/a/../b", "b", 1, false, true},
        {"/a/b/..", "a", 1, true, true},
        {"/a/b/../../c/", "c", 1, true, true},
        {"/a//../b", "b", 1, false, true}, // the empty name is no name
        {"/%61", "a", 1, false, true},
        {"/a%20b/%c3%A9", "a b/\xc3\xa9", 2, false, true},
        {"/a/%2e%2e/b", "b", 1, false, true},
        {"/a/%2e/b", "a/b", 2, false, true},
        {"/%252e%252e/b", "%2e%2e/b", 2, false, true}, // decoded once
        {"/a%3Fb%23c", "a?b#c", 1, false, true},
        {"/%ff", "\xff", 1, false, true},
    };
    for (const Case& c : cases) {
        std::string scratch;
        NormalPath result = normalisePath(c.raw, scratch);
        EXPECT_EQ(result.error, PathError::none) << c.raw;
        EXPECT_EQ(result.path, c.path) << c.raw;
        EXPECT_EQ(result.segments, c.segments) << c.raw;
        EXPECT_EQ(result.trailingSlash, c.trailingSlash) << c.raw;
        EXPECT_EQ(result.changed, c.changed) << c.raw;
    }
}

TEST(Url, RefusesPaths) {
    const std::pair<std::string_view, PathError> cases[] = {
        {"", PathError::notAbsolute},
        {"a", PathError::notAbsolute},
        {"*", PathError::notAbsolute},
        {"/%", PathError::badEscape},
        {"/%4", PathError::badEscape},
        {"/%4/", PathError::badEscape},
        {"/%zz", PathError::badEscape},
        {"/a%-1", PathError::badEscape},
        {"/%u0041", PathError::badEscape},
        {"/%00", PathError::controlCharacter},
        {"/a%0d%0ab", PathError::controlCharacter},
        {"/%7f", PathError::controlCharacter},
        {std::string_view("/a\0b", 4), PathError::controlCharacter},
        {"/a\x1f", PathError::controlCharacter},
        {"/a%2fb", PathError::encodedSlash},
        {"/..%2F..%2fetc", PathError::encodedSlash},
        {"/a%5cb", PathError::backslash},
        {"/..\\..\\x", PathError::backslash},
        {"/..", PathError::aboveRoot},
        {"/../", PathError::aboveRoot},
        {"/%2e%2E/", PathError::aboveRoot},
        {"/.%2e/a", PathError::aboveRoot},
        {"/a/../..", PathError::aboveRoot},
        {"/a/../../a", PathError::aboveRoot},
        {"//..", PathError::aboveRoot},
        {"/./..", PathError::aboveRoot},
        {"/a/b/../../../c", PathError::aboveRoot},
    };
    for (const auto& [raw, error] : cases) {
        std::string scratch;
        NormalPath result = normalisePath(raw, scratch);
        EXPECT_EQ(result.error, error) << raw;
        EXPECT_TRUE(result.path.empty()) << raw;
        EXPECT_FALSE(pathErrorText(result.error).empty());
    }
}

TEST(Url, CopiesOnlyWhatIsNotClean) {
    std::string raw = "/dir/file.html";
    std::string scratch = "untouched";
    NormalPath result = normalisePath(raw, scratch);
    EXPECT_EQ(result.path.data(), raw.data() + 1);
    EXPECT_EQ(scratch, "untouched");
}

TEST(Url, RefusesNamesThatAreNotUtf8OnRequest) {
    std::string scratch;
    EXPECT_EQ(normalisePath("/%c3%a9/\xc3\xa9", scratch, {true}).error, PathError::none);
    EXPECT_EQ(normalisePath("/\xc3\xa9", scratch, {true}).error, PathError::none);
    EXPECT_EQ(normalisePath("/%ff", scratch, {true}).error, PathError::badUtf8);
    EXPECT_EQ(normalisePath("/\xff", scratch, {true}).error, PathError::badUtf8);
    EXPECT_EQ(normalisePath("/%c0%ae%c0%ae/x", scratch, {true}).error, PathError::badUtf8); // overlong ".."
    EXPECT_EQ(normalisePath("/\xff", scratch).error, PathError::none);
}

TEST(Url, EncodedPathsComeBackWhole) {
    std::string every;
    for (int byte = 1; byte < 256; ++byte) {
        bool refused = byte < 0x20 || byte == 0x7f || byte == '/' || byte == '\\';
        if (!refused) {
            every += static_cast<char>(byte);
        }
    }
    std::string encoded = encodePath("dir/" + every);
    EXPECT_EQ(encoded.find_first_of(" \"'<>&#?:\\\x80"), std::string::npos);
    std::string scratch;
    NormalPath back = normalisePath("/" + encoded, scratch);
    ASSERT_TRUE(back.ok());
    EXPECT_EQ(back.path, "dir/" + every);
    EXPECT_EQ(encodePath("a b/\xc3\xa9%.txt"), "a%20b/%C3%A9%25.txt");
}

TEST(Url, DecodesEscapes) {
    EXPECT_EQ(percentDecode("a+b%20c%2F"), "a+b c/");
    EXPECT_EQ(percentDecode(""), "");
    EXPECT_EQ(percentDecode("%"), std::nullopt);
    EXPECT_EQ(percentDecode("%2"), std::nullopt);
    EXPECT_EQ(percentDecode("%g0"), std::nullopt);
}

} // namespace
} // namespace saker::http
