#include "schema/node.h"

#include "schema/document.h"

#include <gtest/gtest.h>

namespace saker::schema {
namespace {

TEST(Node, WritesCompactAndPrettyText) {
    Node list = Node::array();
    list.items = {Node::of(true), Node::of(std::uint64_t{18446744073709551615u}), Node::of(std::int64_t{-3})};
    Node node = Node::object();
    node.add("list", list).add("empty", Node::object()).add("none", Node()).add("half", Node::of(0.5));
    EXPECT_EQ(toText(node), R"({"list":[true,18446744073709551615,-3],"empty":{},"none":null,"half":0.5})");
    EXPECT_EQ(toText(node, Layout::pretty), "{\n  \"list\": [true, 18446744073709551615, -3],\n  \"empty\": "
                                            "{},\n  \"none\": null,\n  \"half\": 0.5\n}");
}

TEST(Node, BreaksLongAndNestedLists) {
    Node list = Node::array();
    list.items.assign(3, Node::of(std::string(40, 'x')));
    EXPECT_EQ(toText(list, Layout::pretty).find("[\n  \"xxx"), 0u);
    Node outer = Node::array();
    outer.items.push_back(Node::array());
    EXPECT_EQ(toText(outer, Layout::pretty), "[\n  []\n]");
}

TEST(Node, EscapesWhatItReadsBack) {
    std::string odd = "a\"b\\c\nd\te\rf\x01g\x7f/ä";
    EXPECT_EQ(jsonString("a\"\x01\n"), "\"a\\\"\\u0001\\n\"");
    auto result = read("[" + jsonString(odd) + "]");
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result.document.root().items[0].text, odd);
}

TEST(Node, DescribesItselfInOneShortLine) {
    EXPECT_EQ(Node::of("a\nb").describe(), "the text \"a\\x0Ab\"");
    EXPECT_EQ(Node::of(std::string(100, 'y')).describe(), "the text \"" + std::string(40, 'y') + "…\"");
    EXPECT_EQ(Node::of(std::int64_t{5}).describe(), "the number 5");
    EXPECT_EQ(Node::array().describe(), "a list");
    EXPECT_EQ(Node().describe(), "null");
}

} // namespace
} // namespace saker::schema
