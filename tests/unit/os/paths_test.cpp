#include "os/paths.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

namespace saker::os {
namespace {

/// A variable of the environment for the length of a test.
class Variable {
public:
    Variable(const char* name, const char* value) : name_(name) {
        if (const char* was = std::getenv(name)) {
            was_ = was;
        }
        set(value);
    }
    ~Variable() { set(was_ ? was_->c_str() : nullptr); }
    void set(const char* value) { value ? ::setenv(name_, value, 1) : ::unsetenv(name_); }

private:
    const char* name_;
    std::optional<std::string> was_;
};

TEST(Paths, AreNormalisedByTheirText) {
    const std::string here = std::filesystem::current_path().string();
    for (auto [given, expected] : {
             std::pair<std::string, std::string>{"/", "/"},
             {"/a/b", "/a/b"},
             {"//a///b/", "/a/b"},
             {"/a/./b/.", "/a/b"},
             {"/a/../b", "/b"},
             {"/../../a", "/a"},
             {"/a/..", "/"},
             {"/..a/b..", "/..a/b.."},
             {"", here},
             {".", here},
             {"x/../y", here + "/y"},
         }) {
        EXPECT_EQ(absolutePath(given), expected) << given;
    }
}

TEST(Paths, HaveParents) {
    for (auto [given, expected] :
         {std::pair{"/a/b", "/a"}, std::pair{"/a", "/"}, std::pair{"/", "/"}, std::pair{"a", "."},
          std::pair{"a/b", "a"}, std::pair{"a/b/", "a"}, std::pair{"a//b", "a"}, std::pair{"", "."}}) {
        EXPECT_EQ(parentPath(given), expected) << given;
    }
}

TEST(Paths, AreJoinedUnlessAbsolute) {
    EXPECT_EQ(joinPath("/a", "b"), "/a/b");
    EXPECT_EQ(joinPath("/a/", "b"), "/a/b");
    EXPECT_EQ(joinPath("/a", "/b"), "/b");
    EXPECT_EQ(joinPath("/a", ""), "/a");
    EXPECT_EQ(joinPath("", "b"), "b");
}

TEST(Paths, InAConfigurationFileCountFromItsFolder) {
    Variable home("HOME", "/home/someone");
    EXPECT_EQ(pathFromConfig("www", "/etc/saker/saker.json"), "/etc/saker/www");
    EXPECT_EQ(pathFromConfig("../www/", "/etc/saker/saker.json"), "/etc/www");
    EXPECT_EQ(pathFromConfig("/srv/www", "/etc/saker/saker.json"), "/srv/www");
    EXPECT_EQ(pathFromConfig("~/www", "/etc/saker/saker.json"), "/home/someone/www");
    EXPECT_EQ(pathFromConfig("~", "/etc/saker/saker.json"), "/home/someone");
    EXPECT_EQ(pathFromConfig("~other", "/etc/saker/saker.json"), "/etc/saker/~other");
    EXPECT_EQ(pathFromConfig("www", "saker.json"), std::filesystem::current_path().string() + "/www");
}

TEST(Paths, OfTheUserFollowTheEnvironment) {
    Variable home("HOME", "/home/someone");
    Variable config("XDG_CONFIG_HOME", nullptr);
    Variable data("XDG_DATA_HOME", nullptr);
    Variable state("XDG_STATE_HOME", nullptr);
    Variable runtime("XDG_RUNTIME_DIR", nullptr);
    Variable temporary("TMPDIR", nullptr);
    EXPECT_EQ(homeDirectory(), "/home/someone");
    EXPECT_EQ(userConfigDirectory(), "/home/someone/.config/saker");
    EXPECT_EQ(userDataDirectory(), "/home/someone/.local/share/saker");
    EXPECT_EQ(userStateDirectory(), "/home/someone/.local/state/saker");
    EXPECT_TRUE(userRuntimeDirectory().starts_with("/tmp/saker-"));
    config.set("/conf");
    state.set("relative is ignored");
    runtime.set("/run/user/7");
    EXPECT_EQ(userConfigDirectory(), "/conf/saker");
    EXPECT_EQ(userStateDirectory(), "/home/someone/.local/state/saker");
    EXPECT_EQ(userRuntimeDirectory(), "/run/user/7/saker");
    home.set(nullptr);
    EXPECT_TRUE(homeDirectory().empty() || isAbsolute(homeDirectory()));
}

TEST(Paths, TheProgramKnowsWhereItIs) {
    EXPECT_TRUE(std::filesystem::exists(executablePath()));
}

} // namespace
} // namespace saker::os
