#include "schema/edit.h"

#include <gmock/gmock.h>

namespace saker::schema {
namespace {

std::string set(const std::string& text, std::string_view pointer, const Node& value) {
    auto result = setValue(read(text).document, pointer, value);
    EXPECT_TRUE(result.ok()) << result.error().text();
    return result ? *result : "";
}

std::string removed(const std::string& text, std::string_view pointer) {
    auto result = removeValue(read(text).document, pointer);
    EXPECT_TRUE(result.ok()) << result.error().text();
    return result ? *result : "";
}

Node number(std::int64_t value) {
    return Node::of(value);
}

TEST(Edit, ReplacesAValueAndNothingElse) {
    EXPECT_EQ(set("{ // c\n  \"A\" :  1 , // one\n  /* b */ \"b\": [2 , 3]\n}\n", "/a", Node::of("x")),
              "{ // c\n  \"A\" :  \"x\" , // one\n  /* b */ \"b\": [2 , 3]\n}\n");
    EXPECT_EQ(set("{\"b\": [2 , 3]}", "/b/1", number(9)), "{\"b\": [2 , 9]}");
    EXPECT_EQ(set("{\"a\": 1, \"a\": 2}", "/a", number(3)), "{\"a\": 1, \"a\": 3}");
    EXPECT_EQ(set("[1]", "", Node::of(true)), "true");
}

TEST(Edit, IndentsNewObjectsLikeTheirSurroundings) {
    Node site = Node::object();
    site.add("Root", Node::of("/srv"));
    EXPECT_EQ(set("{\n    \"Sites\": null\n}", "/Sites", site),
              "{\n    \"Sites\": {\n      \"Root\": \"/srv\"\n    }\n}");
}

TEST(Edit, AppendsMembers) {
    struct Case {
        const char* before;
        const char* after;
    };
    const Case cases[] = {
        {"{}", "{\n  \"n\": 1\n}"},
        {"{\n}", "{\n  \"n\": 1\n}"},
        {"{\n  \"a\": 0\n}", "{\n  \"a\": 0,\n  \"n\": 1\n}"},
        {"{\n\t\"a\": 0, // last\n\t// more\n}", "{\n\t\"a\": 0, // last\n\t// more\n\t\"n\": 1,\n}"},
        {"{\n  \"a\": 0 // last\n}", "{\n  \"a\": 0, // last\n  \"n\": 1\n}"},
        {"{\"a\": 0}", "{\"a\": 0,\n  \"n\": 1\n}"},
        {"{\r\n  \"a\": 0\r\n}\r\n", "{\r\n  \"a\": 0,\r\n  \"n\": 1\r\n}\r\n"},
        {"{ /* only */ }", "{ /* only */\n  \"n\": 1\n}"},
        {"{\n  // only\n}", "{\n  // only\n  \"n\": 1\n}"},
    };
    for (const Case& c : cases) {
        std::string after = set(c.before, "/n", number(1));
        EXPECT_EQ(after, c.after);
        ASSERT_TRUE(read(after).ok()) << after;
        EXPECT_EQ(read(after).document.find("/n")->text, "1");
    }
}

TEST(Edit, CreatesObjectsOnTheWay) {
    std::string after = set("{\n  \"a\": 0\n}", "/Sites/example.com/Root", Node::of("/srv"));
    EXPECT_EQ(
        after,
        "{\n  \"a\": 0,\n  \"Sites\": {\n    \"example.com\": {\n      \"Root\": \"/srv\"\n    }\n  }\n}");
}

TEST(Edit, AppendsToLists) {
    EXPECT_EQ(set("{\"a\": []}", "/a/-", number(1)), "{\"a\": [1]}");
    EXPECT_EQ(set("{\"a\": [1]}", "/a/-", number(2)), "{\"a\": [1, 2]}");
    EXPECT_EQ(set("{\"a\": [1,]}", "/a/-", number(2)), "{\"a\": [1, 2]}");
    EXPECT_EQ(set("[\n  1, // one\n]", "/-", number(2)), "[\n  1, // one\n  2,\n]");
}

TEST(Edit, RefusesPlacesThatAreNotThere) {
    EXPECT_FALSE(setValue(read("{\"a\": 1}").document, "/a/b", number(1)).ok());
    EXPECT_FALSE(setValue(read("{\"a\": [1]}").document, "/a/1", number(1)).ok());
    EXPECT_FALSE(setValue(read("{}").document, "a", number(1)).ok());
    EXPECT_FALSE(removeValue(read("{}").document, "/a").ok());
    EXPECT_FALSE(removeValue(read("{}").document, "").ok());
}

TEST(Edit, RemovesWithTheCommaAndKeepsComments) {
    struct Case {
        const char* before;
        const char* pointer;
        const char* after;
    };
    const Case cases[] = {
        {"{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}", "/b", "{\n  \"a\": 1,\n  \"c\": 3\n}"},
        {"{\n  \"a\": 1,\n  \"b\": 2\n}", "/b", "{\n  \"a\": 1\n}"},
        {"{\n  \"a\": 1,\n  \"b\": 2, // two\n}", "/b", "{\n  \"a\": 1,\n  // two\n}"},
        {"{\n  \"a\": 1, // one\n  \"b\": 2\n}", "/b", "{\n  \"a\": 1 // one\n}"},
        {"{\"a\": 1, \"b\": 2}", "/a", "{\"b\": 2}"},
        {"{\"a\": 1, \"b\": 2}", "/b", "{\"a\": 1 }"},
        {"{\"a\": 1}", "/a", "{}"},
        {"[1, 2, 3]", "/1", "[1, 3]"},
        {"{\"a\": {\n  \"b\": {\n    \"c\": 1\n  }\n}}", "/a/b", "{\"a\": {\n}}"},
        {"{\"a\": 1/*x*/,/*y*/\"b\": 2}", "/a", "{/*x*//*y*/\"b\": 2}"},
    };
    for (const Case& c : cases) {
        std::string after = removed(c.before, c.pointer);
        EXPECT_EQ(after, c.after);
        auto result = read(after);
        ASSERT_TRUE(result.ok()) << after;
        EXPECT_TRUE(result.document.root().isArray() || !result.document.find(c.pointer));
    }
}

} // namespace
} // namespace saker::schema
