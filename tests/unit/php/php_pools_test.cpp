#include "php/php_pools.h"

#include "os/privileges.h"
#include "support/fake_php.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <functional>
#include <memory>
#include <mutex>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace saker::php {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Pools of fake programs in a folder of the test's own.
class PhpPoolsTest : public ::testing::Test {
protected:
    void SetUp() override {
        PhpPools::Place place;
        place.folder = folder.at("run");
        place.folders = {folder.at("bin")};
        place.log = [this](log::Level, std::string_view version, std::string_view line) {
            const std::lock_guard lock(mutex);
            said.push_back(std::string(version) + ": " + std::string(line));
        };
        pools = std::make_unique<PhpPools>(std::move(place));
        options.user = os::isAdministrator() ? "root" : ""; // may read the scripts
        options.children = 3;
    }

    std::shared_ptr<const PhpPool> pool(std::string_view version = {}) {
        auto found = pools->pool(version);
        EXPECT_TRUE(found) << found.error().text();
        return found ? *found : nullptr;
    }

    static bool waitFor(const std::function<bool()>& condition) {
        for (int i = 0; i < 6000; ++i) {
            if (condition()) {
                return true;
            }
            ::usleep(10'000);
        }
        return false;
    }
    static bool waitFor(const PhpPool& pool, PhpState state) {
        return waitFor([&] { return pool.state() == state; });
    }

    static int connectTo(const PhpPool& pool) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        pool.endpoint().copy(address.sun_path, sizeof address.sun_path - 1);
        const int handle = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        EXPECT_EQ(::connect(handle, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
        return handle;
    }

    const test::TempFolder folder;
    PhpOptions options;
    std::mutex mutex;
    std::vector<std::string> said; // guarded by mutex
    std::unique_ptr<PhpPools> pools;
};

TEST_F(PhpPoolsTest, OneForEachVersion) {
    test::writeFakeFpm(folder, "bin/php-fpm8.4", "8.4.1");
    test::writeFakeFpm(folder, "bin/php-fpm8.2", "8.2.36");
    EXPECT_THAT(pools->configure(options), IsEmpty());
    EXPECT_THAT(pools->found(), SizeIs(2));
    auto newest = pool("auto");
    auto old = pool("8.2");
    ASSERT_TRUE(newest && old);
    EXPECT_EQ(newest->status().version, "8.4.1");
    EXPECT_EQ(old->status().version, "8.2.36");
    EXPECT_NE(newest->endpoint(), old->endpoint());
    EXPECT_EQ(pool("8.4"), newest);
    EXPECT_EQ(pool(""), newest) << "PhpVersion is auto";
    auto missing = pools->pool("7.4");
    ASSERT_FALSE(missing);
    EXPECT_THAT(missing.error().text(), HasSubstr("7.4"));
    EXPECT_THAT(pools->status(), SizeIs(2));
}

TEST_F(PhpPoolsTest, StartsWithTheFirstClient) {
    test::writeFakeFpm(folder, "bin/php-fpm8.4", "8.4.1");
    pools->configure(options);
    auto php = pool();
    EXPECT_EQ(php->state(), PhpState::waiting);
    EXPECT_THAT(php->status().processes, IsEmpty());
    const int client = connectTo(*php); // queues: nobody accepts yet
    EXPECT_TRUE(waitFor(*php, PhpState::ready));
    const PhpStatus status = php->status();
    ASSERT_THAT(status.processes, SizeIs(1));
    EXPECT_EQ(status.restarts, 0u);
    EXPECT_EQ(status.lastError, "");
    ::close(client);
    pools->stop(std::chrono::minutes(1));
    EXPECT_EQ(php->state(), PhpState::stopped);
    EXPECT_NE(::kill(static_cast<pid_t>(status.processes.front()), 0), 0);
    EXPECT_FALSE(pools->pool());
}

TEST_F(PhpPoolsTest, ComesBackAfterACrashAndSaysWhatHappened) {
    test::writeFakeFpm(folder, "bin/php-fpm8.4", "8.4.1", "echo '[x] WARNING: something odd' >&2\n");
    pools->configure(options);
    auto php = pool();
    pools->startAll();
    ASSERT_TRUE(waitFor(*php, PhpState::ready));
    const std::string endpoint = php->endpoint();
    ::kill(static_cast<pid_t>(php->status().processes.front()), SIGKILL);
    EXPECT_TRUE(waitFor([&] { return php->status().restarts == 1; }));
    EXPECT_TRUE(waitFor(*php, PhpState::ready));
    EXPECT_THAT(php->status().lastError, HasSubstr("signal 9 (KILL); before that: something odd"));
    EXPECT_EQ(php->endpoint(), endpoint);
    const std::lock_guard lock(mutex);
    EXPECT_THAT(said, ::testing::Contains("8.4.1: something odd"));
}

TEST_F(PhpPoolsTest, ClientsAreTurnedAwayWhilePhpDoesNotStart) {
    test::writeScript(folder, "bin/php-fpm8.4",
                      test::tellsVersion("8.4.1", "fpm-fcgi") + "echo '[x] ERROR: bad value' >&2; exit 78\n");
    pools->configure(options);
    auto php = pool();
    const int client = connectTo(*php);
    char byte = 0;
    EXPECT_EQ(::read(client, &byte, 1), 0);
    ::close(client);
    EXPECT_TRUE(waitFor(*php, PhpState::failed));
    EXPECT_THAT(php->status().lastError, HasSubstr("exit code 78; before that: bad value"));
}

TEST_F(PhpPoolsTest, CgiChildrenEachComeBack) {
    test::writeFakeCgi(folder, "bin/php-cgi8.4", "8.4.1");
    options.children = 2;
    pools->configure(options);
    auto php = pool();
    EXPECT_EQ(php->children(), 2u);
    pools->startAll();
    ASSERT_TRUE(
        waitFor([&] { return php->status().processes.size() == 2 && php->state() == PhpState::ready; }));
    const std::uint64_t first = php->status().processes.front();
    const std::uint64_t second = php->status().processes.back();
    ::kill(static_cast<pid_t>(first), SIGKILL);
    EXPECT_TRUE(waitFor([&] {
        const PhpStatus status = php->status();
        return status.restarts == 1 && status.processes.size() == 2;
    }));
    EXPECT_EQ(php->state(), PhpState::ready) << "the other one serves";
    EXPECT_EQ(php->status().processes.back(), second);
}

TEST_F(PhpPoolsTest, ChangedSettingsReachPhpWhenSettled) {
    // Says what it was told: its configuration, or its arguments.
    test::writeFakeFpm(folder, "bin/php-fpm8.4", "8.4.1", "grep memory_limit \"$3\" >&2\n");
    options.ini = {{"memory_limit", "1M"}};
    pools->configure(options);
    auto php = pool();
    pools->settle();
    pools->startAll();
    ASSERT_TRUE(waitFor(*php, PhpState::ready));
    const std::uint64_t before = php->status().processes.front();
    EXPECT_EQ(php->generation(), 0u);
    options.ini = {{"memory_limit", "2M"}};
    options.children = 7;
    pools->configure(options);
    EXPECT_EQ(pool(), php);
    EXPECT_EQ(php->children(), 3u);
    pools->settle();
    EXPECT_TRUE(waitFor([&] {
        const PhpStatus status = php->status();
        return status.children == 7 && !status.processes.empty() && status.processes.front() != before;
    }));
    EXPECT_EQ(php->children(), 7u);
    EXPECT_EQ(php->generation(), 1u);
    EXPECT_TRUE(waitFor(*php, PhpState::ready));
    EXPECT_TRUE(waitFor([&] { return ::kill(static_cast<pid_t>(before), 0) != 0; }));
    EXPECT_EQ(php->status().restarts, 0u);
    const std::lock_guard lock(mutex);
    EXPECT_THAT(said, ::testing::IsSupersetOf({HasSubstr("\"1M\""), HasSubstr("\"2M\"")}));
}

TEST_F(PhpPoolsTest, FewerAndMoreCgiChildren) {
    test::writeFakeCgi(folder, "bin/php-cgi8.4", "8.4.1");
    pools->configure(options);
    auto php = pool();
    pools->startAll();
    auto serves = [&](std::size_t count) {
        return waitFor(
            [&] { return php->status().processes.size() == count && php->state() == PhpState::ready; });
    };
    ASSERT_TRUE(serves(3));
    for (const std::uint32_t children : {1u, 4u}) {
        options.children = children;
        pools->configure(options);
        pool();
        pools->settle();
        EXPECT_TRUE(serves(children)) << children;
    }
}

TEST_F(PhpPoolsTest, WhatNobodyAsksForEnds) {
    test::writeFakeFpm(folder, "bin/php-fpm8.4", "8.4.1");
    test::writeFakeFpm(folder, "bin/php-fpm8.2", "8.2.36");
    pools->configure(options);
    auto php = pool("8.2");
    pools->startAll();
    ASSERT_TRUE(waitFor(*php, PhpState::ready));
    pools->configure(options);
    EXPECT_TRUE(pools->pool("8.4"));
    pools->settle();
    EXPECT_TRUE(waitFor(*php, PhpState::stopped));
    EXPECT_TRUE(waitFor([&] { return pools->status().size() == 1; }));
    auto again = pool("8.2");
    EXPECT_NE(again, php);
    EXPECT_NE(again->endpoint(), php->endpoint());
}

TEST_F(PhpPoolsTest, CanBeSwitchedOff) {
    test::writeFakeFpm(folder, "bin/php-fpm8.4", "8.4.1");
    options.mode = PhpMode::off;
    pools->configure(options);
    EXPECT_THAT(pools->found(), IsEmpty());
    auto none = pools->pool();
    ASSERT_FALSE(none);
    EXPECT_THAT(none.error().text(), HasSubstr("PhpMode"));
    EXPECT_FALSE(std::filesystem::exists(folder.at("run"))) << "nothing is made that is not needed";
}

TEST_F(PhpPoolsTest, SaysWhoPhpCannotBe) {
    test::writeFakeFpm(folder, "bin/php-fpm8.4", "8.4.1");
    options.user = "no-such-user";
    pools->configure(options);
    auto none = pools->pool();
    ASSERT_FALSE(none);
    EXPECT_THAT(none.error().text(), AllOf(HasSubstr("PhpUser"), HasSubstr("no-such-user")));
}

TEST_F(PhpPoolsTest, LeaveNothingBehind) {
    test::writeFakeFpm(folder, "bin/php-fpm8.4", "8.4.1");
    pools->configure(options);
    auto php = pool();
    pools->startAll();
    ASSERT_TRUE(waitFor(*php, PhpState::ready));
    const auto process = static_cast<pid_t>(php->status().processes.front());
    php.reset();
    pools.reset();
    EXPECT_NE(::kill(process, 0), 0);
    EXPECT_TRUE(std::filesystem::is_empty(folder.at("run")));
}

} // namespace
} // namespace saker::php
