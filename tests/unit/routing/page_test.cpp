#include "routing/page.h"

#include "base/text.h"

#include <gtest/gtest.h>

#include <string>

namespace saker::routing {
namespace {

TEST(Page, FormatFollowsAccept) {
    const struct {
        const char* accept;
        PageFormat format;
    } cases[] = {
        {"", PageFormat::html},
        {"*/*", PageFormat::html},
        {"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", PageFormat::html},
        {"application/json", PageFormat::json},
        {"application/problem+json", PageFormat::json},
        {"application/json, text/html;q=0.5", PageFormat::json},
        {"application/json;q=0.5, text/html", PageFormat::html},
        {"application/json, */*;q=0.1", PageFormat::json},
        {"text/plain", PageFormat::text},
        {"text/*", PageFormat::html},
        {"image/png", PageFormat::html},
    };
    for (const auto& c : cases) {
        EXPECT_EQ(choosePageFormat(c.accept), c.format) << '"' << c.accept << '"';
    }
}

std::string json(std::string_view text) {
    std::string out;
    appendJson(text, out);
    return out;
}

TEST(Page, JsonStringsAreAlwaysValid) {
    EXPECT_EQ(json(""), R"("")");
    EXPECT_EQ(json("plain"), R"("plain")");
    EXPECT_EQ(json("\"\\\n\x01\x7f"), R"("\"\\\u000a\u0001\u007f")");
    EXPECT_EQ(json("\xc3\xa9\xe2\x82\xac\xf0\x9f\xa6\x85"), "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\xa6\x85\"");
    EXPECT_EQ(json("a\xff\xc3"), "\"a\xef\xbf\xbd\xef\xbf\xbd\"");
    EXPECT_EQ(json("\xc3("), "\"\xef\xbf\xbd(\"");
    EXPECT_EQ(json("\xed\xa0\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""); // a surrogate
}

std::string filled(std::string_view text) {
    std::string out;
    fillTemplate(text, out, [](std::string_view name, std::string& to) {
        if (name == "a") {
            to += "${b}";
        } else if (name == "b") {
            to += "B";
        } else {
            return false;
        }
        return true;
    });
    return out;
}

TEST(Page, TemplatesAreFilledOnce) {
    EXPECT_EQ(filled(""), "");
    EXPECT_EQ(filled("plain $ { }"), "plain $ { }");
    EXPECT_EQ(filled("${b}"), "B");
    EXPECT_EQ(filled("x${b}y${b}"), "xByB");
    EXPECT_EQ(filled("${a}"), "${b}"); // a value is not searched again
    EXPECT_EQ(filled("${c}${b}"), "${c}B");
    EXPECT_EQ(filled("${ ${b}"), "${ B");
    EXPECT_EQ(filled("${b"), "${b");
    EXPECT_EQ(filled("$${b}"), "$B");
    EXPECT_EQ(filled("${}"), "${}");
}

} // namespace
} // namespace saker::routing
