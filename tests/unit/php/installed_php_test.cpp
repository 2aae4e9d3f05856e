// The pools with the PHP that this machine has: what fake programs cannot show.
#include "php/php_pools.h"

#include "os/privileges.h"
#include "support/fastcgi_request.h"
#include "support/temp_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include <sys/stat.h>
#include <unistd.h>

namespace saker::php {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

constexpr const char* kFolderVariable = "SAKER_TEST_FOLDER";

std::optional<PhpBinary> installed(PhpKind kind) {
    static const PhpFound kFound = [] {
        PhpSearch search;
        search.folders = usualPhpFolders();
        return findPhp(search);
    }();
    for (const PhpBinary& binary : kFound.binaries) {
        if (binary.kind == kind) {
            return binary;
        }
    }
    return std::nullopt;
}

bool waitFor(const std::function<bool()>& condition) {
    for (int i = 0; i < 6000; ++i) {
        if (condition()) {
            return true;
        }
        ::usleep(10'000);
    }
    return false;
}

bool isAlive(pid_t process) {
    std::ifstream status("/proc/" + std::to_string(process) + "/status");
    const std::string text{std::istreambuf_iterator<char>(status), {}};
    return !text.empty() &&
           text.find("State:\tZ") == std::string::npos; // whoever takes orphans in may be slow
}

class InstalledPhp : public ::testing::TestWithParam<PhpKind> {
protected:
    void SetUp() override {
        if (!installed(GetParam())) {
            GTEST_SKIP() << kindName(GetParam()) << " is not installed";
        }
        // PHP may run as another user: it needs to get at the scripts, but not at the sockets.
        ::chmod(folder.at("").c_str(), 0755);
        folder.write("version.php", "<?php echo PHP_VERSION, ' ', PHP_SAPI;");
        folder.write("process.php", "<?php echo getmypid();");
        folder.write("slow.php", "<?php file_put_contents('" + folder.at("open/begun") +
                                     "', ''); usleep(300000); echo 'done ', getmypid();");
        folder.makeFolder("open");
        ::chmod(folder.at("open").c_str(), 0777);
        options.mode = GetParam() == PhpKind::fpm ? PhpMode::fpm : PhpMode::cgi;
        options.children = 3;
    }

    void start() {
        PhpPools::Place place;
        place.folder = folder.at("run");
        place.folders = usualPhpFolders();
        place.log = [this](log::Level, std::string_view, std::string_view line) {
            const std::lock_guard lock(mutex);
            said += std::string(line) + "\n";
        };
        pools = std::make_unique<PhpPools>(std::move(place));
        pools->configure(options);
        auto found = pools->pool();
        ASSERT_TRUE(found) << found.error().text();
        pool = *found;
    }
    std::string ask(std::string_view script) const {
        return test::askFastCgi(pool->endpoint(), folder.at(script));
    }
    std::string whatWasSaid() {
        const std::lock_guard lock(mutex);
        return said;
    }

    const test::TempFolder folder;
    PhpOptions options;
    std::mutex mutex;
    std::string said; // guarded by mutex
    std::shared_ptr<const PhpPool> pool;
    std::unique_ptr<PhpPools> pools;
};

INSTANTIATE_TEST_SUITE_P(Kinds, InstalledPhp, ::testing::Values(PhpKind::fpm, PhpKind::cgi),
                         [](const auto& info) { return info.param == PhpKind::fpm ? "Fpm" : "Cgi"; });

TEST_P(InstalledPhp, AnswersTheFirstRequest) {
    start();
    EXPECT_EQ(pool->state(), PhpState::waiting);
    EXPECT_EQ(ask("version.php"),
              installed(GetParam())->version + (GetParam() == PhpKind::fpm ? " fpm-fcgi" : " cgi-fcgi"))
        << whatWasSaid();
    EXPECT_TRUE(waitFor([&] { return pool->state() == PhpState::ready; }));
    struct stat status {};
    ASSERT_EQ(::stat(pool->endpoint().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_P(InstalledPhp, RunsAsAnotherUserWhenWeAreRoot) {
    if (!os::isAdministrator()) {
        GTEST_SKIP() << "only root may start programs for others";
    }
    options.user = "nobody";
    folder.write("user.php", "<?php echo fileowner('/proc/self'), ' ', getenv('HOME');");
    start();
    const os::Account nobody = *os::findAccount("nobody");
    EXPECT_EQ(ask("user.php"), std::to_string(nobody.user) + " " + nobody.home) << whatWasSaid();
}

TEST_P(InstalledPhp, HasTheSettingsItWasGiven) {
    options.ini = {{"memory_limit", "77M"}, {"user_agent", "a; b = 'c' & d"}};
    folder.write("ini.php", "<?php echo ini_get('memory_limit'), '|', ini_get('user_agent'), '|', "
                            "getenv('SAKER_TEST_SECRET') === false ? 'clean' : 'leaked';");
    ::setenv("SAKER_TEST_SECRET", "1", 1);
    start();
    EXPECT_EQ(ask("ini.php"), "77M|a; b = 'c' & d|clean") << whatWasSaid();
    ::unsetenv("SAKER_TEST_SECRET");
}

TEST_P(InstalledPhp, IsBackAfterAllOfItWasKilled) {
    start();
    ASSERT_NE(ask("version.php"), "(no answer)") << whatWasSaid();
    ASSERT_TRUE(waitFor([&] { return pool->state() == PhpState::ready; }));
    const std::vector<std::uint64_t> before = pool->status().processes;
    for (const std::uint64_t process : before) {
        ::kill(static_cast<pid_t>(process), SIGKILL);
    }
    EXPECT_TRUE(waitFor([&] { return pool->status().restarts >= before.size(); }));
    EXPECT_EQ(ask("version.php").substr(0, 1), "8") << whatWasSaid();
    EXPECT_TRUE(waitFor([&] { return pool->state() == PhpState::ready; }));
    EXPECT_THAT(pool->status().lastError, HasSubstr("signal 9 (KILL)"));
}

TEST_P(InstalledPhp, ChangesSettingsUnderLoad) {
    start();
    ASSERT_NE(ask("version.php"), "(no answer)") << whatWasSaid();
    ASSERT_TRUE(waitFor([&] { return pool->state() == PhpState::ready; }));
    const std::vector<std::uint64_t> before = pool->status().processes;

    test::FastCgiRequest slow(pool->endpoint(), folder.at("slow.php")); // under way during the change
    ASSERT_TRUE(waitFor([&] { return std::filesystem::exists(folder.at("open/begun")); }));
    std::atomic<bool> changing{true};
    std::atomic<int> lost{0};
    std::thread client([&] {
        while (changing.load()) {
            if (ask("version.php").substr(0, 1) != "8") {
                ++lost;
            }
        }
    });
    options.ini = {{"memory_limit", "99M"}};
    pools->configure(options);
    EXPECT_TRUE(pools->pool());
    pools->settle();
    EXPECT_TRUE(waitFor([&] {
        const std::vector<std::uint64_t> now = pool->status().processes;
        return std::none_of(before.begin(), before.end(), [&](std::uint64_t old) {
            return std::find(now.begin(), now.end(), old) != now.end();
        });
    }));
    EXPECT_THAT(slow.body(), HasSubstr("done"));
    folder.write("ini.php", "<?php echo ini_get('memory_limit');");
    EXPECT_TRUE(waitFor([&] { return ask("ini.php") == "99M"; })) << whatWasSaid();
    changing.store(false);
    client.join();
    // A php-cgi drops a request that it has accepted at the very moment it is asked to end.
    EXPECT_LE(lost.load(), GetParam() == PhpKind::fpm ? 0 : 3);
    EXPECT_EQ(pool->status().restarts, 0u);
    EXPECT_TRUE(waitFor([&] {
        return std::none_of(before.begin(), before.end(),
                            [](std::uint64_t old) { return isAlive(static_cast<pid_t>(old)); });
    })) << "the old processes have ended";
}

TEST_P(InstalledPhp, FinishesWhatItIsAtWhenItIsEnded) {
    start();
    test::FastCgiRequest slow(pool->endpoint(), folder.at("slow.php"));
    ASSERT_TRUE(waitFor([&] { return std::filesystem::exists(folder.at("open/begun")); })) << whatWasSaid();
    std::string body;
    std::thread client([&] { body = slow.body(); }); // PHP waits until the client has closed its end
    pools->stop(std::chrono::minutes(1));
    client.join();
    EXPECT_THAT(body, HasSubstr("done"));
    EXPECT_EQ(pool->state(), PhpState::stopped);
    EXPECT_THAT(pool->status().processes, ::testing::IsEmpty());
}

TEST_P(InstalledPhp, MoreClientsThanChildrenAllGetTheirTurn) {
    start();
    std::vector<std::unique_ptr<test::FastCgiRequest>> requests;
    for (int i = 0; i < 60; ++i) {
        requests.push_back(
            std::make_unique<test::FastCgiRequest>(pool->endpoint(), folder.at("version.php")));
        ASSERT_TRUE(requests.back()->isSent()) << i;
    }
    std::vector<std::thread> clients;
    std::atomic<int> answered{0};
    for (const auto& request : requests) {
        clients.emplace_back(
            [&answered, &request] { answered += request->body().substr(0, 1) == "8" ? 1 : 0; });
    }
    for (std::thread& client : clients) {
        client.join();
    }
    EXPECT_EQ(answered.load(), 60) << whatWasSaid();
    const PhpStatus status = pool->status();
    EXPECT_EQ(status.restarts, 0u);
    EXPECT_EQ(status.lastError, "");
}

TEST_P(InstalledPhp, ChildrenAreReplacedAfterTheirNumberOfRequests) {
    options.children = 1;
    options.maxRequests = 5;
    start();
    std::vector<std::string> processes;
    for (int i = 0; i < 15; ++i) {
        const std::string process = ask("process.php");
        ASSERT_THAT(process, MatchesRegex("[0-9]+")) << whatWasSaid();
        if (processes.empty() || processes.back() != process) {
            processes.push_back(process);
        }
    }
    EXPECT_GE(processes.size(), 3u);
    EXPECT_LE(processes.size(), 4u);
    // A php-cgi that has not stood long is started again after a pause, but a crash it is not, by its code.
    EXPECT_EQ(pool->status().lastError, "") << whatWasSaid();
}

/// Not a test: the server that is killed by the one below, in a process of its own.
TEST_P(InstalledPhp, DISABLED_ServesUntilItIsKilled) {
    const char* where = std::getenv(kFolderVariable);
    ASSERT_NE(where, nullptr);
    PhpPools::Place place;
    place.folder = std::string(where) + "/run";
    place.folders = usualPhpFolders();
    PhpPools served(std::move(place));
    served.configure(options);
    auto found = served.pool();
    ASSERT_TRUE(found) << found.error().text();
    served.startAll();
    ASSERT_TRUE(waitFor([&] { return (*found)->state() == PhpState::ready; }));
    std::ofstream(std::string(where) + "/endpoint") << (*found)->endpoint() << '\n';
    std::filesystem::rename(std::string(where) + "/endpoint", std::string(where) + "/serving");
    for (;;) {
        ::pause();
    }
}

TEST_P(InstalledPhp, NothingIsLeftOfAServerThatWasKilled) {
    const std::string kind = GetParam() == PhpKind::fpm ? "Fpm" : "Cgi";
    os::ChildSetup setup;
    setup.argv = {std::filesystem::read_symlink("/proc/self/exe").string(),
                  "--gtest_filter=*DISABLED_ServesUntilItIsKilled/" + kind,
                  "--gtest_also_run_disabled_tests"};
    setup.environment = {std::string("PATH=") + std::getenv("PATH"), kFolderVariable + ("=" + folder.at("")),
                         "TMPDIR=" + folder.at("")}; // what it leaves goes with our folder
    auto server = os::ChildProcess::start(setup);
    ASSERT_TRUE(server) << server.error().text();
    ASSERT_TRUE(waitFor([&] { return std::filesystem::exists(folder.at("serving")) || server->ended(); }));
    std::string endpoint;
    std::ifstream(folder.at("serving")) >> endpoint;
    const std::string process = test::askFastCgi(endpoint, folder.at("process.php"));
    ASSERT_THAT(process, MatchesRegex("[0-9]+"));

    ::kill(static_cast<pid_t>(server->id()), SIGKILL);
    const auto worker = static_cast<pid_t>(std::stoi(process));
    EXPECT_TRUE(waitFor([&] { return !isAlive(worker); })) << "PHP died with it";

    EXPECT_TRUE(std::filesystem::exists(endpoint)) << "files are left";
    start();
    EXPECT_FALSE(std::filesystem::exists(endpoint)) << "and removed by the next server";
    EXPECT_EQ(ask("version.php").substr(0, 1), "8");
}

TEST(InstalledPhpFpm, ARequestUnderWayOutlivesAMasterThatWasKilled) {
    if (!installed(PhpKind::fpm)) {
        GTEST_SKIP() << "php-fpm is not installed";
    }
    const test::TempFolder folder;
    ::chmod(folder.at("").c_str(), 0755);
    folder.makeFolder("open");
    ::chmod(folder.at("open").c_str(), 0777);
    folder.write("slow.php", "<?php file_put_contents('" + folder.at("open/begun") +
                                 "', ''); usleep(300000); echo 'done ', getmypid();");
    PhpPools::Place place;
    place.folder = folder.at("run");
    place.folders = usualPhpFolders();
    PhpPools pools(std::move(place));
    PhpOptions options;
    options.mode = PhpMode::fpm;
    pools.configure(options);
    auto pool = *pools.pool();
    test::FastCgiRequest slow(pool->endpoint(), folder.at("slow.php"));
    ASSERT_TRUE(waitFor([&] { return std::filesystem::exists(folder.at("open/begun")); }));
    ::kill(static_cast<pid_t>(pool->status().processes.front()), SIGKILL);
    const std::string body = slow.body();
    ASSERT_THAT(body, HasSubstr("done"));
    EXPECT_TRUE(waitFor([&] { return pool->state() == PhpState::ready && pool->status().restarts == 1; }));
    const auto orphan = static_cast<pid_t>(std::stoi(body.substr(5)));
    EXPECT_TRUE(waitFor([&] { return !isAlive(orphan); })) << "it ends after what it was at";
}

} // namespace
} // namespace saker::php
