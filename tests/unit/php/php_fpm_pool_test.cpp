#include "php/php_fpm_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace saker::php {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

PhpPoolSettings settings() {
    PhpPoolSettings settings;
    settings.binary = {"/usr/sbin/php-fpm8.2", PhpKind::fpm, "8.2.36"};
    settings.children = 12;
    settings.maxRequests = 500;
    settings.requestTimeout = std::chrono::milliseconds(1500);
    settings.ini = {{"memory_limit", "512M"}, {"date.timezone", "Europe/Berlin"}};
    return settings;
}

TEST(FpmConfiguration, SaysWhatTheSettingsSay) {
    const std::string text = fpmConfiguration(settings(), "/run/x.handed");
    EXPECT_THAT(text, AllOf(HasSubstr("\n[8.2]\n"), HasSubstr("\nlisten = /run/x.handed\n"),
                            HasSubstr("\npm.max_children = 12\n"), HasSubstr("\npm.max_requests = 500\n"),
                            HasSubstr("\nrequest_terminate_timeout = 2s\n"), HasSubstr("\nenv[PATH] = \""),
                            HasSubstr("\nphp_admin_value[memory_limit] = \"512M\"\n"),
                            HasSubstr("\nphp_admin_value[date.timezone] = \"Europe/Berlin\"\n")));
    EXPECT_THAT(text, Not(HasSubstr("\nuser = "))) << "it is ours";
}

TEST(FpmConfiguration, NamesAnotherUser) {
    PhpPoolSettings forOther = settings();
    forOther.account = os::Account{"www-data", 33, 33, {33}, "/var/www"};
    EXPECT_THAT(fpmConfiguration(forOther, "/x"),
                AllOf(HasSubstr("\nuser = www-data\n"), HasSubstr("\nenv[HOME] = \"/var/www\"\n")));
}

TEST(FpmConfiguration, LeavesOutWhatAnOldVersionDoesNotKnow) {
    EXPECT_THAT(fpmConfiguration(settings(), "/x"), HasSubstr("decorate_workers_output"));
    PhpPoolSettings old = settings();
    old.binary.version = "7.2.34";
    EXPECT_THAT(fpmConfiguration(old, "/x"), Not(HasSubstr("decorate_workers_output")));
}

TEST(FpmLines, HaveALevelAndAText) {
    struct Case {
        const char* line;
        log::Level level;
        const char* text;
    };
    for (const Case& c : {
             Case{"[01-Dec-2026 04:10:39] NOTICE: ready", log::Level::debug, "ready"},
             Case{"[01-Dec-2026 04:10:39] WARNING: [pool 8.2] server reached max_children",
                  log::Level::warning, "[pool 8.2] server reached max_children"},
             Case{"[01-Dec-2026 04:10:39] ERROR: unable to bind", log::Level::error, "unable to bind"},
             Case{"[x] ALERT: no", log::Level::error, "no"},
             Case{"PHP Fatal error: Uncaught", log::Level::warning, "PHP Fatal error: Uncaught"},
             Case{"[x] OTHER: y", log::Level::warning, "[x] OTHER: y"},
             Case{"[", log::Level::warning, "["},
             Case{"] NOTICE: x", log::Level::warning, "] NOTICE: x"},
             Case{"", log::Level::warning, ""},
         }) {
        const FpmLine line = parseFpmLine(c.line);
        EXPECT_EQ(line.level, c.level) << c.line;
        EXPECT_EQ(line.text, c.text) << c.line;
    }
}

} // namespace
} // namespace saker::php
