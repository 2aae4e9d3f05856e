#include "schema/document.h"

#include <gmock/gmock.h>

namespace saker::schema {
namespace {

using ::testing::HasSubstr;

std::string slice(const Document& document, const Node& node) {
    return document.text().substr(node.begin, node.end - node.begin);
}

TEST(Document, KeepsTheRangeOfEveryValue) {
    auto result = read("\xef\xbb\xbf// head\n{ \"a\" : [1, -2.5e3 ,\"x\\\"y\"/*c*/,], /* \"b\": 3 */ "
                       "\"c\"\n:{\"d\":null,},\"e\" : true // tail\n}\n// end");
    ASSERT_TRUE(result.ok()) << result.problems[0].text();
    const Document& document = result.document;
    EXPECT_EQ(slice(document, *document.find("/a")), "[1, -2.5e3 ,\"x\\\"y\"/*c*/,]");
    EXPECT_EQ(slice(document, *document.find("/a/1")), "-2.5e3");
    EXPECT_EQ(slice(document, *document.find("/a/2")), "\"x\\\"y\"");
    EXPECT_EQ(document.find("/a/2")->text, "x\"y");
    EXPECT_EQ(slice(document, *document.find("/c")), "{\"d\":null,}");
    EXPECT_EQ(slice(document, *document.find("/C/D")), "null");
    EXPECT_EQ(slice(document, *document.find("/e")), "true");
    EXPECT_EQ(document.find("/b"), nullptr);
    EXPECT_EQ(document.find("/a/3"), nullptr);
    EXPECT_EQ(document.find("/a/x"), nullptr);
    EXPECT_EQ(document.find("a"), nullptr);
    EXPECT_EQ(document.find(""), &document.root());
    const Node::Member& member = document.root().members[0];
    EXPECT_EQ(document.text().substr(member.keyBegin, member.keyEnd - member.keyBegin), "\"a\"");
}

TEST(Document, FindsTheLastOfEqualKeysAndPrefersTheExactOne) {
    auto result = read(R"({"a": 1, "A": 2, "a": 3, "B": 4})");
    EXPECT_EQ(result.document.find("/a")->text, "3");
    EXPECT_EQ(result.document.find("/A")->text, "2");
    EXPECT_EQ(result.document.find("/b")->text, "4");
}

TEST(Document, SaysWhereItIsWrongAndWhatWasExpected) {
    struct Case {
        const char* text;
        unsigned line;
        unsigned column;
        const char* message;
    };
    const Case cases[] = {
        {"", 1, 1, "empty"},
        {"  // only a comment\n", 2, 1, "empty"},
        {"{\n  \"a\": 1\n  \"b\": 2\n}", 3, 3, "expected a comma or } behind the value, found '\"'"},
        {"{\"a\" 1}", 1, 6, "colon"},
        {"{a: 1}", 1, 2, "key in double quotes, found 'a'"},
        {"{\"a\": yes}", 1, 7, "expected a value"},
        {"{\"a\": 'x'}", 1, 7, "expected a value"},
        {"[1 2]", 1, 4, "comma or ]"},
        {"{\"a\": 1", 1, 8, "found the end of the text"},
        {"{} {}", 1, 4, "follows the end"},
        {"{\"a\": \"x", 1, 9, "closing quote"},
        {"{\"a\": \"\\q\"}", 1, 8, "unknown escape"},
        {"{\"a\": \"\\u12g4\"}", 1, 8, "hexadecimal"},
        {"{\"a\": \"\xff\"}", 1, 8, "UTF-8"},
        {"{\"a\": 1.}", 1, 9, "decimal point"},
        {"{\"a\": 1e}", 1, 9, "exponent"},
        {"/* open", 1, 8, ""},
    };
    for (const Case& c : cases) {
        auto result = read(c.text);
        ASSERT_EQ(result.problems.size(), 1u) << c.text;
        EXPECT_EQ(result.problems[0].line, c.line) << c.text << result.problems[0].text();
        EXPECT_EQ(result.problems[0].column, c.column) << c.text << result.problems[0].text();
        EXPECT_THAT(result.problems[0].message, HasSubstr(c.message)) << c.text;
        EXPECT_TRUE(result.document.root().isObject());
    }
    auto result = read(std::string("{\n\0}", 4));
    ASSERT_FALSE(result.ok());
    EXPECT_THAT(result.problems[0].text(), HasSubstr("line 2, column 1: the text holds a NUL byte"));
}

TEST(Document, BoundsDepthCountAndSize) {
    std::string deep(Document::kMaxDepth, '[');
    EXPECT_TRUE(read(deep + std::string(Document::kMaxDepth, ']')).ok());
    auto tooDeep = read(std::string(100'000, '['));
    ASSERT_FALSE(tooDeep.ok());
    EXPECT_THAT(tooDeep.problems[0].message, HasSubstr("nested more than 64 deep"));
    auto objects = read([] {
        std::string text;
        for (int i = 0; i < 1000; ++i) {
            text += "{\"a\":";
        }
        return text;
    }());
    EXPECT_THAT(objects.problems[0].message, HasSubstr("nested"));

    std::string many = "[";
    for (std::size_t i = 0; i < Document::kMaxValues + 1; ++i) {
        many += "1,";
    }
    EXPECT_THAT(read(many + "]").problems[0].message, HasSubstr("more than 1000000 values"));
    EXPECT_THAT(read(std::string(Document::kMaxSize + 1, ' ')).problems[0].message,
                HasSubstr("more than the"));
}

TEST(Document, EveryPrefixIsEitherReadOrRefused) {
    const std::string text = "{\"a\": [1, {\"b\": \"\\u00e4\\n\"}, // c\n true,], /*x*/ \"d\": null}";
    ASSERT_TRUE(read(text).ok());
    for (std::size_t cut = 0; cut < text.size(); ++cut) {
        auto result = read(text.substr(0, cut));
        EXPECT_EQ(result.problems.size(), 1u) << cut;
        EXPECT_GE(result.problems[0].line, 1u);
    }
}

} // namespace
} // namespace saker::schema
