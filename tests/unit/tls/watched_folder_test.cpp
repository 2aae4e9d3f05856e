#include "tls/watched_folder.h"

#include "support/temp_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace saker::tls {

void PrintTo(const WatchedFolder& folder, std::ostream* out) {
    *out << folder.path << " " << ::testing::PrintToString(folder.names);
}

namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsSupersetOf;
using ::testing::Not;

WatchedFolder one(std::string path, std::string name) {
    return {std::move(path), {std::move(name)}};
}

TEST(FoldersOfPath, APlainFileLiesInItsFolder) {
    test::TempFolder folder;
    folder.write("a/file");
    EXPECT_THAT(foldersOfPath(folder.at("a/file")), ElementsAre(one(folder.at("a"), "file")));
}

TEST(FoldersOfPath, LinksAreFollowed) {
    test::TempFolder folder;
    folder.write("archive/x/file1");
    folder.link("live/x/file", "../../archive/x/file1");
    folder.link("current", "live");
    EXPECT_THAT(foldersOfPath(folder.at("current/x/file")),
                ElementsAre(one(folder.at(""), "current"), one(folder.at("live/x"), "file"),
                            one(folder.at("archive/x"), "file1")));
    folder.link("absolute", folder.at("live/x/file"));
    EXPECT_THAT(foldersOfPath(folder.at("absolute")),
                ElementsAre(one(folder.at(""), "absolute"), one(folder.at("live/x"), "file"),
                            one(folder.at("archive/x"), "file1")));
}

TEST(FoldersOfPath, WhatIsMissingIsWaitedFor) {
    test::TempFolder folder;
    EXPECT_THAT(foldersOfPath(folder.at("a/b/c")), ElementsAre(one(folder.at(""), "a")));
    folder.link("dangling", "nowhere/file");
    EXPECT_THAT(foldersOfPath(folder.at("dangling")),
                ElementsAre(one(folder.at(""), "dangling"), one(folder.at(""), "nowhere")));
    folder.link("circle", "circle");
    EXPECT_THAT(foldersOfPath(folder.at("circle")), Contains(one(folder.at(""), "circle")));
}

TEST(Joined, PutsNamesOfAFolderTogether) {
    EXPECT_THAT(joined({{"/b", {"x"}}, {"/a", {}}, {"/b", {"y"}}, {"/a", {"z"}}, {"/b", {"x"}}}),
                ElementsAre(WatchedFolder{"/a", {}}, WatchedFolder{"/b", {"x", "y"}}));
}

} // namespace
} // namespace saker::tls
