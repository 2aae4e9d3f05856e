#include "os/child_process.h"

#include "os/privileges.h"
#include "support/temp_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <optional>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace saker::os {
namespace {

using ::testing::HasSubstr;

ChildSetup shell(std::string script) {
    ChildSetup setup;
    setup.argv = {"/bin/sh", "-c", std::move(script)};
    return setup;
}

bool waitReadable(std::intptr_t handle) {
    pollfd waiting{static_cast<int>(handle), POLLIN, 0};
    return ::poll(&waiting, 1, 60'000) == 1;
}

/// All that it says until it and what it started have closed their output.
std::string readToEnd(const ChildProcess& child) {
    std::string text;
    std::array<char, 4096> buffer;
    while (waitReadable(child.outputHandle())) {
        const ssize_t size = ::read(static_cast<int>(child.outputHandle()), buffer.data(), buffer.size());
        if (size <= 0) {
            break;
        }
        text.append(buffer.data(), static_cast<std::size_t>(size));
    }
    return text;
}

std::string say(const ChildSetup& setup) {
    Result<ChildProcess> child = ChildProcess::start(setup);
    return child ? readToEnd(*child) : child.error().text();
}

int waitForEnd(const ChildProcess& child) {
    waitReadable(child.endHandle());
    return child.ended().value_or(-1);
}

bool isAlive(std::uint64_t process) {
    return ::kill(static_cast<pid_t>(process), 0) == 0;
}

TEST(ChildProcess, RunsBesideUsAndTellsItsEnd) {
    auto child = ChildProcess::start(shell("read line; echo $line; exit 7"));
    ASSERT_TRUE(child) << child.error().text();
    EXPECT_EQ(readToEnd(*child), "\n"); // nothing to read
    EXPECT_EQ(waitForEnd(*child), 7);
    EXPECT_EQ(child->ended(), 7) << "may be asked again";
}

TEST(ChildProcess, IsNotEndedWhileItRuns) {
    auto child = ChildProcess::start(shell("exec sleep 1000"));
    ASSERT_TRUE(child);
    EXPECT_FALSE(child->ended());
    child->ask(ChildRequest::terminate);
    EXPECT_EQ(waitForEnd(*child), 128 + SIGTERM);
}

TEST(ChildProcess, GetsTheEnvironmentAndFolderItIsGiven) {
    const test::TempFolder folder;
    ChildSetup setup = shell("echo \"$A|$HOME\"; pwd");
    setup.environment = {"A=a b", "PATH=/usr/bin:/bin"};
    setup.folder = folder.at("");
    EXPECT_EQ(say(setup), "a b|\n" + folder.at("") + "\n");
}

TEST(ChildProcess, GetsTheDescriptorsItIsGivenAndNoOthers) {
    std::array<int, 2> first{};
    std::array<int, 2> second{};
    ASSERT_EQ(::pipe(first.data()), 0); // without the flag that closes them in other programs
    ASSERT_EQ(::pipe(second.data()), 0);
    const int leaked = ::fcntl(first[0], F_DUPFD, 20);
    ASSERT_EQ(::write(first[1], "one\n", 4), 4);
    ASSERT_EQ(::write(second[1], "two\n", 4), 4);
    // Each takes a number that may be the other's: they must not run into one another.
    ChildSetup setup = shell("read a; read b <&3; echo $a $b; ls /proc/self/fd | tr '\\n' ' '");
    setup.handles = {{second[0], 3}, {first[0], 0}};
    const std::string text = say(setup);
    EXPECT_THAT(text, HasSubstr("one two\n"));
    EXPECT_THAT(text, ::testing::Not(HasSubstr(std::to_string(leaked))));
    for (int handle : {first[0], first[1], second[0], second[1], leaked}) {
        ::close(handle);
    }
}

TEST(ChildProcess, HasOrdinarySignals) {
    const auto before = ::signal(SIGPIPE, SIG_IGN);
    sigset_t blocked;
    sigset_t old;
    ::sigemptyset(&blocked);
    ::sigaddset(&blocked, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &blocked, &old);
    EXPECT_EQ(say(shell("grep -E '^Sig(Blk|Ign)' /proc/self/status")),
              "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
    ::pthread_sigmask(SIG_SETMASK, &old, nullptr);
    ::signal(SIGPIPE, before);
}

TEST(ChildProcess, GoesWithItsObjectAndSoDoesWhatItStarted) {
    std::uint64_t grandchild = 0;
    std::uint64_t process = 0;
    {
        auto child = ChildProcess::start(shell("sleep 1000 & echo $!; exec >&- 2>&-; wait"));
        ASSERT_TRUE(child);
        process = child->id();
        ASSERT_TRUE(waitReadable(child->outputHandle()));
        std::array<char, 32> text{};
        ASSERT_GT(::read(static_cast<int>(child->outputHandle()), text.data(), text.size() - 1), 0);
        grandchild = std::stoull(text.data());
        EXPECT_TRUE(isAlive(grandchild));
    }
    EXPECT_FALSE(isAlive(process));
    // Whoever takes orphans in clears it away; until then its state says that it is dead.
    for (int i = 0; i < 1000 && isAlive(grandchild); ++i) {
        auto state =
            ChildProcess::start(shell("grep -q '^State:.Z' /proc/" + std::to_string(grandchild) + "/status"));
        if (state && waitForEnd(*state) == 0) {
            return;
        }
    }
    EXPECT_FALSE(isAlive(grandchild));
}

TEST(ChildProcess, CanBeAnotherUser) {
    auto nobody = findAccount("nobody");
    if (!isAdministrator() || !nobody) {
        GTEST_SKIP() << "only root may start programs for others";
    }
    ChildSetup setup = shell("id -u; id -G; grep CapEff /proc/self/status");
    setup.account = *nobody;
    setup.ourDeath = OurDeath::kills;
    EXPECT_EQ(say(setup), std::to_string(nobody->user) + "\n" + std::to_string(nobody->group) +
                              "\nCapEff:\t0000000000000000\n");
}

TEST(ChildProcess, ErrorsSayWhatWasMissing) {
    ChildSetup missing;
    missing.argv = {"/nonexistent/program"};
    auto child = ChildProcess::start(missing);
    ASSERT_FALSE(child);
    EXPECT_EQ(child.error().kind, ErrorKind::notFound);
    EXPECT_THAT(child.error().text(), HasSubstr("/nonexistent/program"));

    ChildSetup lost = shell("true");
    lost.folder = "/nonexistent/folder";
    auto other = ChildProcess::start(lost);
    ASSERT_FALSE(other);
    EXPECT_THAT(other.error().text(), HasSubstr("/nonexistent/folder"));
}

TEST(ChildProcess, DiesWithTheThreadThatStartedItWhenToldSo) {
    // The death of a thread stands for ours: the system makes no difference.
    std::optional<ChildProcess> child;
    std::thread([&] {
        ChildSetup setup = shell("exec sleep 1000");
        setup.ourDeath = OurDeath::kills;
        auto started = ChildProcess::start(setup);
        ASSERT_TRUE(started);
        child.emplace(std::move(*started));
    }).join();
    ASSERT_TRUE(child);
    EXPECT_EQ(waitForEnd(*child), 128 + SIGKILL);
}

TEST(ExitText, NamesSignals) {
    EXPECT_EQ(exitText(0), "exit code 0");
    EXPECT_EQ(exitText(78), "exit code 78");
    EXPECT_EQ(exitText(128 + 9), "signal 9 (KILL)");
    EXPECT_EQ(exitText(255), "exit code 255");
}

} // namespace
} // namespace saker::os
