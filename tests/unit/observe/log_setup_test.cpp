#include "observe/log_setup.h"

#include "observe/repeat_limit.h"
#include "unit/observe/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace saker::log {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

class LogSetupTest : public testing::Test {
protected:
    LogSetupTest() { testing::internal::CaptureStderr(); }
    ~LogSetupTest() override {
        stopCapture();
        EXPECT_TRUE(setUp({}).ok());
    }

    std::string stopCapture() {
        if (!capturing_) {
            return {};
        }
        capturing_ = false;
        return testing::internal::GetCapturedStderr();
    }
    log::Setup toFile() const {
        log::Setup setup;
        setup.file = folder_.file("error.log");
        return setup;
    }
    std::string fileText() const { return folder_.read("error.log"); }

    observe::TemporaryFolder folder_;

private:
    bool capturing_ = true;
};

TEST_F(LogSetupTest, LinesCarryTimeLevelAndSource) {
    ASSERT_TRUE(setUp(toFile()).ok());
    warning("listener", "port {} is in use by {}", 80, "nginx (pid 1)");
    const char* pattern =
        "\\[20..-..-..T..:..:...*\\] \\[warning\\] listener: port 80 is in use by nginx \\(pid 1\\)\n";
    EXPECT_THAT(fileText(), MatchesRegex(pattern));
    EXPECT_THAT(stopCapture(), MatchesRegex(pattern));
}

TEST_F(LogSetupTest, LevelsBelowTheChosenOneAreLeftOut) {
    log::Setup setup = toFile();
    setup.level = Level::warning;
    ASSERT_TRUE(setUp(setup).ok());
    info("x", "quiet");
    debug("x", "quieter");
    error("x", "loud");
    EXPECT_THAT(fileText(), HasSubstr("[error] x: loud"));
    EXPECT_THAT(fileText(), Not(HasSubstr("quiet")));
}

TEST_F(LogSetupTest, TextCannotForgeLines) {
    ASSERT_TRUE(setUp(toFile()).ok());
    error("site\n", "a\nb\x1b[2J \"quoted\" caf\xc3\xa9");
    EXPECT_THAT(fileText(), HasSubstr("site\\n: a\\nb\\x1b[2J \"quoted\" caf\xc3\xa9\n"));
}

TEST_F(LogSetupTest, JournalGetsPriorities) {
    struct stat status {};
    ASSERT_EQ(::fstat(STDERR_FILENO, &status), 0);
    ::setenv("JOURNAL_STREAM", fmt::format("{}:{}", status.st_dev, status.st_ino).c_str(), 1);
    ASSERT_TRUE(setUp({}).ok());
    ::unsetenv("JOURNAL_STREAM");
    error("a", "one");
    warning("a", "two");
    info("a", "three");
    EXPECT_EQ(stopCapture(), "<3>a: one\n<4>a: two\n<6>a: three\n");
}

TEST_F(LogSetupTest, ReopenFollowsTheName) {
    ASSERT_TRUE(setUp(toFile()).ok());
    info("a", "old");
    std::filesystem::rename(folder_.file("error.log"), folder_.file("moved"));
    reopen();
    info("a", "new");
    EXPECT_THAT(folder_.read("moved"), HasSubstr("old"));
    EXPECT_THAT(folder_.read("moved"), Not(HasSubstr("new")));
    EXPECT_THAT(fileText(), HasSubstr("new"));
}

TEST_F(LogSetupTest, AFileThatCannotBeOpenedChangesNothing) {
    ASSERT_TRUE(setUp(toFile()).ok());
    log::Setup bad;
    bad.file = folder_.file(".");
    bad.level = Level::error;
    auto result = setUp(bad);
    ASSERT_FALSE(result.ok());
    EXPECT_THAT(result.error().text(),
                HasSubstr("error log cannot be opened: opening the log file: Is a directory"));
    bad.file = folder_.file("missing/error.log");
    result = setUp(bad);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().text(),
              bad.file + ": the error log cannot be opened: opening the log file: No such file or "
                         "directory. Name a file in a folder that this user may write to");
    info("a", "still here");
    EXPECT_THAT(fileText(), HasSubstr("still here"));
}

TEST_F(LogSetupTest, RotatesBySize) {
    log::Setup setup = toFile();
    setup.rotateBytes = 1000;
    setup.keep = 2;
    ASSERT_TRUE(setUp(setup).ok());
    for (int i = 0; i < 100; ++i) {
        info("a", "line {} {}", i, std::string(80, 'x'));
    }
    EXPECT_LT(fileText().size(), 1200u);
    EXPECT_THAT(fileText(), HasSubstr("line 99 "));
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.file("."))) {
        files += entry.is_regular_file() ? 1 : 0;
    }
    EXPECT_LE(files, 3u);
}

TEST_F(LogSetupTest, SurvivesAFullDiskAndGoesOnWhenThereIsSpace) {
    ASSERT_TRUE(setUp(toFile()).ok());
    ::signal(SIGXFSZ, SIG_IGN);
    struct rlimit before {};
    ::getrlimit(RLIMIT_FSIZE, &before);
    std::string said = stopCapture(); // stderr is a file too: not under the limit
    int keep = ::dup(STDERR_FILENO);
    int pipes[2];
    ASSERT_EQ(::pipe(pipes), 0);
    ::dup2(pipes[1], STDERR_FILENO);
    struct rlimit limit = before;
    limit.rlim_cur = 200;
    ::setrlimit(RLIMIT_FSIZE, &limit);
    for (int i = 0; i < 10; ++i) {
        error("a", "{}", std::string(80, 'x'));
    }
    ::setrlimit(RLIMIT_FSIZE, &before);
    error("a", "space again");
    ::dup2(keep, STDERR_FILENO);
    ::close(keep);
    ::close(pipes[1]);
    for (char block[4096]; ssize_t n = ::read(pipes[0], block, sizeof block);) {
        said.append(block, static_cast<std::size_t>(n));
    }
    ::close(pipes[0]);
    EXPECT_THAT(said, HasSubstr("error.log cannot be written"));
    EXPECT_EQ(said.find("cannot be written"), said.rfind("cannot be written")) << "once a minute";
    EXPECT_THAT(fileText(), HasSubstr("space again"));
}

TEST_F(LogSetupTest, RepeatLimitWritesTheCount) {
    ASSERT_TRUE(setUp(toFile()).ok());
    observe::RepeatLimit limit(std::chrono::milliseconds(0));
    observe::RepeatLimit hour(std::chrono::hours(1));
    limit.write(Level::warning, "a", "first {}", 1);
    hour.write(Level::warning, "a", "hourly");
    hour.write(Level::warning, "a", "hourly");
    EXPECT_THAT(fileText(), HasSubstr("a: first 1\n"));
    EXPECT_EQ(fileText().find("hourly"), fileText().rfind("hourly"));
}

// Meant for the thread sanitizer.
TEST_F(LogSetupTest, WriteWhileItIsSetUpAgain) {
    ASSERT_TRUE(setUp(toFile()).ok());
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
        threads.emplace_back([] {
            for (int n = 0; n < 200; ++n) {
                info("a", "line {}", n);
            }
        });
    }
    for (int i = 0; i < 20; ++i) {
        reopen();
        ASSERT_TRUE(setUp(toFile()).ok());
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    std::string text = fileText();
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 600);
}

} // namespace
} // namespace saker::log
