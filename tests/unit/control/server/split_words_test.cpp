#include "control/server/split_words.h"

#include <gmock/gmock.h>

namespace saker::control {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(SplitWords, separatesByWhiteSpace) {
    EXPECT_THAT(*splitWords(""), IsEmpty());
    EXPECT_THAT(*splitWords(" \t "), IsEmpty());
    EXPECT_THAT(*splitWords("stats"), ElementsAre("stats"));
    EXPECT_THAT(*splitWords("  listfiles\tindex.html \r"), ElementsAre("listfiles", "index.html"));
}

TEST(SplitWords, quotesHoldSpacesTogether) {
    EXPECT_THAT(*splitWords("listfiles \"my site\""), ElementsAre("listfiles", "my site"));
    EXPECT_THAT(*splitWords("listfiles 'my \"big\" site'"), ElementsAre("listfiles", "my \"big\" site"));
    EXPECT_THAT(*splitWords("a \"\" b"), ElementsAre("a", "", "b"));
    EXPECT_THAT(*splitWords("\"a b\"c d"), ElementsAre("a bc", "d"));
}

TEST(SplitWords, quotesAndBackslashesInsideWordsAreText) {
    EXPECT_THAT(*splitWords("listfiles it's"), ElementsAre("listfiles", "it's"));
    EXPECT_THAT(*splitWords("indexfiles C:\\www\\a"), ElementsAre("indexfiles", "C:\\www\\a"));
}

TEST(SplitWords, saysWhichQuoteIsOpen) {
    auto words = splitWords("listfiles \"my site");
    ASSERT_FALSE(words);
    EXPECT_EQ(words.error().kind, ErrorKind::usage);
    EXPECT_EQ(words.error().message, "The quote \" is not closed. End the text with another \".");
    EXPECT_FALSE(splitWords("'"));
}

TEST(SplitWords, keepsBytesThatAreNotText) {
    std::string garbage("\x01\xff\0x", 4);
    EXPECT_THAT(*splitWords(garbage), ElementsAre(garbage));
}

} // namespace
} // namespace saker::control
