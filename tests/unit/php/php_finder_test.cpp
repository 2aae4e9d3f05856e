#include "php/php_finder.h"

#include "support/fake_php.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace saker::php {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> texts(const std::vector<PhpBinary>& binaries) {
    std::vector<std::string> result;
    for (const PhpBinary& binary : binaries) {
        result.push_back(std::string(kindName(binary.kind)) + " " + binary.version + " " +
                         binary.path.substr(binary.path.rfind('/') + 1));
    }
    return result;
}

TEST(PhpNames, OfPrograms) {
    for (const char* name :
         {"php-fpm", "php-fpm8.2", "php-fpm82", "php8.2-fpm", "php82-php-fpm", "php-fpm-legacy"}) {
        EXPECT_EQ(kindByName(name), PhpKind::fpm) << name;
    }
    for (const char* name : {"php-cgi", "php-cgi8.2", "php-cgi83", "PHP-CGI.exe"}) {
        EXPECT_EQ(kindByName(name), PhpKind::cgi) << name;
    }
    for (const char* name :
         {"php", "php8.2", "phpize", "fpm", "php-fpm.conf", "php-fpm-start", "", "php-cgi.8.gz"}) {
        EXPECT_EQ(kindByName(name), std::nullopt) << name;
    }
}

TEST(PhpVersionTexts, OfRealAndBrokenPrograms) {
    auto fpm = parseVersionText(
        "PHP 8.2.36 (fpm-fcgi) (built: Nov 18 2026 20:02:04)\nCopyright (c) The PHP Group\n");
    ASSERT_TRUE(fpm);
    EXPECT_EQ(fpm->kind, PhpKind::fpm);
    EXPECT_EQ(fpm->version, "8.2.36");
    EXPECT_EQ(fpm->series(), "8.2");
    auto cgi =
        parseVersionText("PHP Warning:  Unable to load dynamic library\nPHP 7.4.3-dev (cgi-fcgi) (built: x)");
    ASSERT_TRUE(cgi);
    EXPECT_EQ(cgi->version, "7.4.3");
    EXPECT_EQ(cgi->kind, PhpKind::cgi);
    for (const char* text :
         {"", "PHP", "PHP ", "PHP 8 (fpm-fcgi)", "PHP 8.2.1 (cli) (built: x)", "PHP x (fpm-fcgi)",
          "PHP . (fpm-fcgi)", "PHP 99999999999999999999.1 (fpm-fcgi)"}) {
        EXPECT_FALSE(parseVersionText(text)) << text;
    }
}

TEST(PhpVersions, AreComparedAsNumbers) {
    EXPECT_EQ(compareVersions("8.10", "8.9.9"), 1);
    EXPECT_EQ(compareVersions("7.4", "8"), -1);
    EXPECT_EQ(compareVersions("8.2", "8.2.0"), 0);
}

TEST(FindPhp, SortsWhatIsThere) {
    const test::TempFolder folder;
    test::writeFakeFpm(folder, "sbin/php-fpm8.2", "8.2.36");
    test::writeFakeFpm(folder, "sbin/php-fpm7.4", "7.4.33");
    test::writeFakeFpm(folder, "sbin/php-fpm8.10", "8.10.1");
    test::writeFakeCgi(folder, "bin/php-cgi8.2", "8.2.36");
    folder.link("bin/php-cgi", "php-cgi8.2"); // the same program
    folder.write("bin/php-cgi7.0", "not a program");
    test::writeScript(folder, "bin/php", "exit 1");
    PhpSearch search;
    search.folders = {folder.at("sbin"), folder.at("bin"), folder.at("no-such-folder"), folder.at("sbin")};
    const PhpFound found = findPhp(search);
    EXPECT_THAT(texts(found.binaries), ElementsAre("php-fpm 8.10.1 php-fpm8.10", "php-fpm 8.2.36 php-fpm8.2",
                                                   "php-cgi 8.2.36 php-cgi", "php-fpm 7.4.33 php-fpm7.4"));
    EXPECT_THAT(found.problems, IsEmpty());
}

TEST(FindPhp, WhatIsNamedByHandComesFirst) {
    const test::TempFolder folder;
    test::writeFakeFpm(folder, "usual/php-fpm8.2", "8.2.36");
    const std::string mine = test::writeFakeFpm(folder, "mine/my-own-php", "8.2.1"); // whatever its name
    PhpSearch search;
    search.first = {mine, folder.at("missing")};
    search.folders = {folder.at("usual")};
    const PhpFound found = findPhp(search);
    EXPECT_THAT(texts(found.binaries), ElementsAre("php-fpm 8.2.1 my-own-php"));
    EXPECT_THAT(found.problems, ElementsAre(HasSubstr("missing")));
}

TEST(FindPhp, ReportsProgramsThatAreOfNoUse) {
    const test::TempFolder folder;
    test::writeScript(folder, "php-fpm8.1", "echo 'error while loading shared libraries' >&2; exit 127");
    test::writeScript(folder, "php-fpm8.2", "exec sleep 1000");
    test::writeScript(folder, "php-fpm8.3", "echo hello");
    PhpSearch search;
    search.folders = {folder.at("")};
    search.patience = std::chrono::milliseconds(200);
    const PhpFound found = findPhp(search);
    EXPECT_THAT(found.binaries, IsEmpty());
    EXPECT_THAT(found.problems,
                ElementsAre(AllOf(HasSubstr("php-fpm8.1"), HasSubstr("shared libraries"), HasSubstr("127")),
                            AllOf(HasSubstr("php-fpm8.2"), HasSubstr("200 ms")),
                            AllOf(HasSubstr("php-fpm8.3"), HasSubstr("hello"))));
}

TEST(ChoosePhp, ByVersionAndMode) {
    const std::vector<PhpBinary> binaries{{"/f84", PhpKind::fpm, "8.4.1"},
                                          {"/c84", PhpKind::cgi, "8.4.1"},
                                          {"/f82", PhpKind::fpm, "8.2.36"},
                                          {"/c85", PhpKind::cgi, "7.4.33"}};
    struct Case {
        const char* version;
        PhpMode mode;
        const char* path;
    };
    for (const Case& c : {Case{"auto", PhpMode::automatic, "/f84"}, Case{"", PhpMode::cgi, "/c84"},
                          Case{"8.2", PhpMode::automatic, "/f82"}, Case{"8", PhpMode::automatic, "/f84"},
                          Case{"8.2.36", PhpMode::fpm, "/f82"}, Case{"7.4", PhpMode::automatic, "/c85"},
                          Case{"AUTO", PhpMode::fpm, "/f84"}}) {
        auto chosen = choosePhp(binaries, c.version, c.mode);
        ASSERT_TRUE(chosen) << c.version << chosen.error().text();
        EXPECT_EQ(chosen->path, c.path) << c.version;
    }
    for (const char* version : {"8.1", "8.20", "8.2.3", "7.4"}) {
        auto chosen = choosePhp(binaries, version, PhpMode::fpm);
        ASSERT_FALSE(chosen) << version;
        EXPECT_THAT(chosen.error().text(),
                    AllOf(HasSubstr(std::string("PHP ") + version), HasSubstr("8.2.36 (/f82)")));
    }
    auto none = choosePhp({}, "auto", PhpMode::automatic);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().kind, ErrorKind::notFound);
    EXPECT_THAT(none.error().text(),
                AllOf(HasSubstr("PHP is not installed"), HasSubstr("apt install php-fpm")));
}

} // namespace
} // namespace saker::php
