#include "os/runtime_folder.h"

#include "os/child_process.h"
#include "os/local_listener.h"
#include "support/temp_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

#include <poll.h>

namespace saker::os {
namespace {

namespace fs = std::filesystem;

TEST(RuntimeFolder, IsPrivateAndGoesWithTheObject) {
    const test::TempFolder temp;
    std::string path;
    {
        auto folder = RuntimeFolder::make(temp.at("shared"));
        ASSERT_TRUE(folder) << folder.error().text();
        path = folder->path();
        EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
        EXPECT_EQ(fs::status(temp.at("shared")).permissions(), fs::perms::owner_all);
        EXPECT_EQ(folder->at("x"), path + "/x");
    }
    EXPECT_FALSE(fs::exists(path));
}

TEST(RuntimeFolder, ServersShareTheFolderAboveWithoutHarm) {
    const test::TempFolder temp;
    auto first = RuntimeFolder::make(temp.at("shared"));
    auto second = RuntimeFolder::make(temp.at("shared"));
    ASSERT_TRUE(first);
    ASSERT_TRUE(second);
    EXPECT_NE(first->path(), second->path());
    EXPECT_TRUE(fs::exists(first->path()));
}

TEST(RuntimeFolder, RefusesAFolderThatOthersMayWriteTo) {
    const test::TempFolder temp;
    temp.makeFolder("open");
    fs::permissions(temp.at("open"), fs::perms::all);
    auto folder = RuntimeFolder::make(temp.at("open"));
    ASSERT_FALSE(folder);
    EXPECT_EQ(folder.error().kind, ErrorKind::permission);
    temp.link("link", "/");
    EXPECT_FALSE(RuntimeFolder::make(temp.at("link")));
}

TEST(RuntimeFolder, ClearsUpAfterAServerThatDied) {
    const test::TempFolder temp;
    // What such a server leaves: a folder that nobody has locked, and a program that holds the socket in it.
    temp.write("shared/run-abcdef/lock", "");
    fs::permissions(temp.at("shared"), fs::perms::owner_all);
    std::optional<ChildProcess> left;
    {
        auto listener = LocalListener::open(temp.at("shared/run-abcdef/php.sock"));
        ASSERT_TRUE(listener);
        ChildSetup setup;
        setup.argv = {"/bin/sleep", "1000"};
        setup.handles = {{listener->native(), 0}};
        auto child = ChildProcess::start(setup);
        ASSERT_TRUE(child);
        left.emplace(std::move(*child));
    }
    temp.write("shared/other/keep", "");
    auto folder = RuntimeFolder::make(temp.at("shared"));
    ASSERT_TRUE(folder) << folder.error().text();
    pollfd waiting{static_cast<int>(left->endHandle()), POLLIN, 0};
    EXPECT_EQ(::poll(&waiting, 1, 60'000), 1);
    EXPECT_EQ(left->ended(), 128 + 9);
    EXPECT_FALSE(fs::exists(temp.at("shared/run-abcdef")));
    EXPECT_TRUE(fs::exists(temp.at("shared/other/keep"))) << "not a folder of ours";
}

} // namespace
} // namespace saker::os
