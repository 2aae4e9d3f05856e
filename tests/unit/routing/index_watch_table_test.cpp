#include "routing/index_watch_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace saker::routing {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;
using testing::UnorderedElementsAre;

TEST(IndexWatchTable, KnowsThePathsOfADescriptor) {
    IndexWatchTable table;
    EXPECT_EQ(table.put("a", 1), std::nullopt);
    EXPECT_EQ(table.put("link", 1), std::nullopt);
    EXPECT_EQ(table.put("b", 2), std::nullopt);
    EXPECT_EQ(table.put("a", 1), std::nullopt); // again: nothing new
    EXPECT_THAT(table.pathsOf(1), UnorderedElementsAre("a", "link"));
    EXPECT_THAT(table.pathsOf(2), ElementsAre("b"));
    EXPECT_THAT(table.pathsOf(3), IsEmpty());
    EXPECT_EQ(table.size(), 2u);
}

TEST(IndexWatchTable, GivesADescriptorBackWithItsLastPath) {
    IndexWatchTable table;
    (void)table.put("a", 1);
    (void)table.put("link", 1);
    EXPECT_THAT(table.remove("a"), IsEmpty());
    EXPECT_THAT(table.remove("link"), ElementsAre(1));
    EXPECT_THAT(table.remove("link"), IsEmpty());
    EXPECT_EQ(table.size(), 0u);
}

TEST(IndexWatchTable, APathMovesToAnotherDescriptor) {
    IndexWatchTable table;
    (void)table.put("a", 1);
    EXPECT_THAT(table.put("a", 2), Optional(1));
    EXPECT_THAT(table.pathsOf(1), IsEmpty());
    EXPECT_THAT(table.pathsOf(2), ElementsAre("a"));
    EXPECT_EQ(table.size(), 1u);
}

TEST(IndexWatchTable, LinkedFilesGoWithTheirDirectory) {
    IndexWatchTable table;
    (void)table.put("a", 1);
    (void)table.putFile("a/file", 2);
    (void)table.putFile("a/sub/file", 3);
    (void)table.putFile("ab/file", 4);
    (void)table.putFile("a.file", 5);
    EXPECT_THAT(table.remove("a"), UnorderedElementsAre(1, 2, 3));
    EXPECT_THAT(table.remove("a.file"), ElementsAre(5));
    EXPECT_THAT(table.remove(""), ElementsAre(4));
    EXPECT_EQ(table.size(), 0u);
}

TEST(IndexWatchTable, ForgetsWhatTheSystemRemoved) {
    IndexWatchTable table;
    (void)table.put("a", 1);
    (void)table.putFile("b", 1);
    table.forget(1);
    table.forget(1);
    EXPECT_FALSE(table.contains(1));
    EXPECT_EQ(table.size(), 0u);
    EXPECT_EQ(table.put("a", 2), std::nullopt);
}

} // namespace
} // namespace saker::routing
