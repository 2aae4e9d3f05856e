#include "os/privileges.h"

#include "support/temp_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <pwd.h>
#include <unistd.h>

namespace saker::os {
namespace {

TEST(Capabilities, FromStatusText) {
    EXPECT_EQ(parseEffectiveCapabilities("Name:\tx\nCapPrm:\tff\nCapEff:\t0000000000000400\nCapBnd:\tff\n"),
              0x400u);
    EXPECT_EQ(parseEffectiveCapabilities("CapEff:\t000001ffffffffff"), 0x1ffffffffffu);
    for (const char* text : {"", "CapEff:", "CapEff:\tzz\n", "Name: CapEff: 400\n"}) {
        EXPECT_EQ(parseEffectiveCapabilities(text), 0u) << text;
    }
}

TEST(Privileges, HighPortsNeedNone) {
    EXPECT_TRUE(mayBindPort(65535));
    EXPECT_TRUE(mayBindPort(0));
    EXPECT_EQ(isAdministrator(), ::geteuid() == 0);
}

TEST(Privileges, HintNamesTheWayOut) {
    EXPECT_THAT(lowPortHint(), testing::HasSubstr("setcap cap_net_bind_service=+ep '/"));
}

TEST(Privileges, UnknownUsersAndGroups) {
    auto user = dropPrivileges("no-such-user-here");
    ASSERT_FALSE(user.ok());
    EXPECT_EQ(user.error().kind, ErrorKind::notFound);
    auto group = dropPrivileges("root", "no-such-group-here");
    ASSERT_FALSE(group.ok());
    EXPECT_EQ(group.error().kind, ErrorKind::notFound);
}

/// In a child process, as it cannot be undone: 0 when all is as it should be.
void dropAndLook() {
    bool mightBind = mayBindPort(80);
    auto dropped = dropPrivileges("nobody");
    if (!dropped) {
        std::fprintf(stderr, "%s\n", dropped.error().text().c_str());
        std::_Exit(1);
    }
    struct passwd* nobody = ::getpwnam("nobody");
    bool right = ::geteuid() == nobody->pw_uid && ::getuid() == nobody->pw_uid &&
                 ::getegid() == nobody->pw_gid && ::setuid(0) != 0 && mayBindPort(80) == mightBind;
    std::_Exit(right ? 0 : 2);
}

TEST(PrivilegesDeathTest, DropKeepsOnlyTheRightToBind) {
    if (::geteuid() != 0) {
        GTEST_SKIP() << "only an administrator can become another user";
    }
    EXPECT_EXIT(dropAndLook(), testing::ExitedWithCode(0), "");
}

TEST(Privileges, OthersCannotDrop) {
    if (::geteuid() == 0) {
        GTEST_SKIP() << "this user may do everything";
    }
    auto dropped = dropPrivileges("nobody");
    ASSERT_FALSE(dropped.ok());
    EXPECT_EQ(dropped.error().kind, ErrorKind::permission);
}

TEST(Privileges, KnownUsers) {
    EXPECT_TRUE(isKnownUser("root"));
    EXPECT_FALSE(isKnownUser("no-such-user-here"));
    EXPECT_FALSE(userName().empty());
}

TEST(Privileges, WhoMayWrite) {
    test::TempFolder folder;
    std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
    folder.write("open/file");
    folder.write("closed/file");
    folder.makeFolder("closed/open");
    std::filesystem::permissions(folder.at("open"), std::filesystem::perms(0777));
    std::filesystem::permissions(folder.at("open/file"), std::filesystem::perms(0644));
    std::filesystem::permissions(folder.at("closed/open"), std::filesystem::perms(0777));
    std::filesystem::permissions(folder.at("closed"), std::filesystem::perms(0750));
    EXPECT_TRUE(mayWrite(folder.at("open/file")));
    EXPECT_TRUE(mayWrite(folder.at("closed")));
    EXPECT_FALSE(mayWrite(folder.at("missing")));
    EXPECT_TRUE(mayWrite(folder.at("open"), "nobody"));
    EXPECT_FALSE(mayWrite(folder.at("open/file"), "nobody"));
    EXPECT_FALSE(mayWrite(folder.at("closed"), "nobody"));
    EXPECT_FALSE(mayWrite(folder.at("closed/open"), "nobody")) << "it cannot get there";
    EXPECT_TRUE(mayWrite(folder.at("closed"), "root"));
    EXPECT_FALSE(mayWrite(folder.at("open"), "no-such-user-here"));
}

} // namespace
} // namespace saker::os
