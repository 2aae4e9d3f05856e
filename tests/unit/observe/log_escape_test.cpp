#include "observe/log_escape.h"

#include "base/text.h"

#include <gtest/gtest.h>

namespace saker::observe {
namespace {

std::string forLine(std::string_view text) {
    std::string out(text.size() * kLineEscapeFactor, '\0');
    out.resize(static_cast<std::size_t>(escapeForLine(text, out.data()) - out.data()));
    return out;
}

std::string forJson(std::string_view text) {
    std::string out(text.size() * kJsonEscapeFactor, '\0');
    out.resize(static_cast<std::size_t>(escapeForJson(text, out.data()) - out.data()));
    return out;
}

struct Case {
    std::string_view text;
    const char* line;
    const char* json;
    const char* message;
};

using namespace std::string_view_literals;

const Case kCases[] = {
    {"", "", "", ""},
    {"/index.html?a=b&c=~", "/index.html?a=b&c=~", "/index.html?a=b&c=~", "/index.html?a=b&c=~"},
    {"a\"b\\c", R"(a\"b\\c)", R"(a\"b\\c)", R"(a"b\c)"},
    {"GET\r\n127.0.0.1 - forged", R"(GET\x0d\x0a127.0.0.1 - forged)", R"(GET\u000d\u000a127.0.0.1 - forged)",
     R"(GET\x0d\n127.0.0.1 - forged)"},
    {"\0\x1b[31m\x7f"sv, R"(\x00\x1b[31m\x7f)", R"(\u0000\u001b[31m\u007f)", R"(\x00\x1b[31m\x7f)"},
    {"caf\xc3\xa9", R"(caf\xc3\xa9)", "caf\xc3\xa9", "caf\xc3\xa9"},
    {"\xf0\x9f\x98\x80!", R"(\xf0\x9f\x98\x80!)", "\xf0\x9f\x98\x80!", "\xf0\x9f\x98\x80!"},
    {"\xc2\x9b"
     "1m",
     R"(\xc2\x9b1m)", R"(\u009b1m)", R"(\xc2\x9b1m)"},
    {"\xc3", R"(\xc3)", R"(\ufffd)", R"(\xc3)"},
    {"\xc0\xaf", R"(\xc0\xaf)", R"(\ufffd\ufffd)", R"(\xc0\xaf)"},
    {"\xed\xa0\x80", R"(\xed\xa0\x80)", R"(\ufffd\ufffd\ufffd)", R"(\xed\xa0\x80)"},
    {"\xe2\x82", R"(\xe2\x82)", R"(\ufffd\ufffd)", R"(\xe2\x82)"},
    {"\xff\xfe", R"(\xff\xfe)", R"(\ufffd\ufffd)", R"(\xff\xfe)"},
};

TEST(LogEscape, Table) {
    for (const Case& each : kCases) {
        EXPECT_EQ(forLine(each.text), each.line);
        EXPECT_EQ(forJson(each.text), each.json);
        EXPECT_EQ(escapeMessage(each.text), each.message);
    }
}

TEST(LogEscape, EveryByteAtEveryPlaceOfAWord) {
    for (int byte = 0; byte < 256; ++byte) {
        for (std::size_t place = 0; place < 19; ++place) {
            std::string text(19, 'a');
            text[place] = static_cast<char>(byte);
            std::string rest(18, 'a');
            std::string alone(1, static_cast<char>(byte));
            std::string line = forLine(text);
            EXPECT_EQ(line, rest.substr(0, place) + forLine(alone) + rest.substr(place));
            std::string json = forJson(text);
            EXPECT_EQ(json, rest.substr(0, place) + forJson(alone) + rest.substr(place));
            bool plain = byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\';
            EXPECT_EQ(line == text, plain) << byte;
            EXPECT_EQ(json == text, plain) << byte;
            EXPECT_TRUE(isUtf8(json));
        }
    }
}

TEST(LogEscape, CutSequencesNeverReachJson) {
    std::string text = "x\xc3\xa9y\xe2\x82\xacz\xf0\x9f\x98\x80\"\\\n\xff";
    for (std::size_t begin = 0; begin <= text.size(); ++begin) {
        for (std::size_t end = begin; end <= text.size(); ++end) {
            EXPECT_TRUE(isUtf8(forJson(std::string_view(text).substr(begin, end - begin))));
        }
    }
}

} // namespace
} // namespace saker::observe
