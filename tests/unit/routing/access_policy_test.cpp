#include "routing/access_policy.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace saker::routing {
namespace {

struct Case {
    const char* path;
    Denial denial;
};

AccessPolicy policy(bool strictNames = false) {
    return AccessPolicy({{"_cs", "_csdll", "_wasm", "php", "verylongextension"}, strictNames});
}

TEST(AccessPolicy, JudgesByTheTable) {
    const Case cases[] = {
        {"", Denial::none},
        {"index.html", Denial::none},
        {"dir/sub/index.html", Denial::none},
        {"no-extension", Denial::none},
        {"two.dots.css", Denial::none},
        {"ends.", Denial::none},
        {"a..b", Denial::none},
        {"c:d", Denial::none},
        {"x~1/y", Denial::none},
        {".env", Denial::hidden},
        {".", Denial::hidden},
        {"..", Denial::hidden},
        {"dir/.env", Denial::hidden},
        {".dir/index.html", Denial::hidden},
        {"a/.b/c.html", Denial::hidden},
        {".well-known", Denial::none},
        {".well-known/", Denial::none},
        {".well-known/acme-challenge/q-_2", Denial::none},
        {".well-known/security.txt", Denial::none},
        {".well-known/.hidden", Denial::hidden},
        {".well-known/.git/config", Denial::versionControl},
        {".well-known/x.bak", Denial::backup},
        {".well-known-not", Denial::hidden},
        {".well-know", Denial::hidden},
        {"dir/.well-known/x", Denial::hidden},
        {".git/config", Denial::versionControl},
        {"dir/.svn/entries", Denial::versionControl},
        {".gitignore", Denial::versionControl},
        {"cvs/entries", Denial::versionControl},
        {"dir/cvs", Denial::versionControl},
        {"_darcs/x", Denial::versionControl},
        {"dir/_svn/x", Denial::versionControl},
        {"cvsx/entries", Denial::none},
        {"cvs.html", Denial::none},
        {".htaccess", Denial::serverFile},
        {"dir/.htpasswd", Denial::serverFile},
        {".html", Denial::serverFile},
        {"index.html~", Denial::backup},
        {"~", Denial::backup},
        {"dir~/index.html", Denial::none},
        {"#index.html#", Denial::backup},
        {"#index.html", Denial::none},
        {"#/x", Denial::none},
        {"index.php.bak", Denial::backup},
        {"a.old", Denial::backup},
        {"a.orig", Denial::backup},
        {"a.save", Denial::backup},
        {"a.swp", Denial::backup},
        {"a.swo", Denial::backup},
        {"a.backup", Denial::backup},
        {"a.bakery", Denial::none},
        {"bak", Denial::none},
        {"web.config", Denial::secret},
        {"dir/php.ini", Denial::secret},
        {"joncswebconfig.json", Denial::secret},
        {"id_rsa", Denial::secret},
        {"id_rsa.pub", Denial::none},
        {"composer.json/x", Denial::none},
        {"index.php", Denial::source},
        {"dir/index._cs", Denial::source},
        {"x._csdll", Denial::source},
        {"x._wasm", Denial::source},
        {"x.verylongextension", Denial::source},
        {"x.verylongextensiom", Denial::none},
        {"x.wasm", Denial::none},
        {"x.php.html", Denial::none},
        {"dir.php/x.html", Denial::none},
    };
    AccessPolicy subject = policy();
    for (const Case& c : cases) {
        EXPECT_EQ(subject.judge(c.path), c.denial) << '"' << c.path << '"';
        EXPECT_EQ(subject.allows(c.path), c.denial == Denial::none) << c.path;
    }
}

TEST(AccessPolicy, ServesSourcesWhoseHandlerIsActive) {
    AccessPolicy subject({{"_cs"}, false});
    EXPECT_EQ(subject.judge("index.php"), Denial::none);
    EXPECT_EQ(subject.judge("index._cs"), Denial::source);
    EXPECT_EQ(AccessPolicy().judge("index._cs"), Denial::none);
}

TEST(AccessPolicy, StrictNamesAreRefusedOnlyWhenAsked) {
    for (const char* path :
         {"index.html.", "dir /x", "index.php::$data", "progra~1/x", "con", "dir/nul.txt"}) {
        EXPECT_EQ(policy(true).judge(path), Denial::suspicious) << path;
        EXPECT_EQ(policy(false).judge(path), Denial::none) << path;
    }
    EXPECT_EQ(policy(true).judge("dir/index.html"), Denial::none);
    EXPECT_EQ(policy(true).judge(".well-known/x"), Denial::none);
}

TEST(AccessPolicy, TakesAnyNumberOfSources) {
    std::vector<std::string> sources;
    for (int i = 0; i < 1000; ++i) {
        sources.push_back("x" + std::to_string(i));
    }
    AccessPolicy subject({sources, false});
    for (int i = 0; i < 1000; ++i) {
        EXPECT_EQ(subject.judge("file.x" + std::to_string(i)), Denial::source);
    }
    EXPECT_EQ(subject.judge("file.x1000"), Denial::none);
    EXPECT_EQ(subject.judge("file.html"), Denial::none);
}

TEST(AccessPolicy, EveryDenialHasItsText) {
    for (int i = 0; i < static_cast<int>(Denial::count_); ++i) {
        EXPECT_FALSE(denialText(static_cast<Denial>(i)).empty());
    }
}

} // namespace
} // namespace saker::routing
