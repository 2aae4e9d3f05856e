#include "os/child_thread.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <future>
#include <string>
#include <vector>

#include <unistd.h>

namespace saker::os {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;

constexpr milliseconds kLong{60'000};

/// A shell on a ChildThread, and what is heard of it.
struct Shell {
    explicit Shell(ChildThread& on, std::string script, milliseconds forLeftOvers = milliseconds(0))
        : thread(on) {
        thread.call([&] {
            ChildSetup setup;
            setup.argv = {"/bin/sh", "-c", std::move(script)};
            auto started = thread.start(setup, {[this](std::string_view line) {
                                                    lines.emplace_back(line);
                                                    if (line == "ready") {
                                                        ready.set_value();
                                                    }
                                                },
                                                [this](int code) { end.set_value(code); }, forLeftOvers});
            ASSERT_TRUE(started) << started.error().text();
            child = *started;
            process = thread.processOf(child);
        });
    }
    int waitForEnd() {
        auto future = end.get_future();
        return future.wait_for(kLong) == std::future_status::ready ? future.get() : -1;
    }
    void waitUntilReady() { ASSERT_EQ(ready.get_future().wait_for(kLong), std::future_status::ready); }

    ChildThread& thread;
    ChildThread::ChildId child = 0;
    std::uint64_t process = 0;
    std::vector<std::string> lines; ///< the thread's until the end
    std::promise<void> ready;
    std::promise<int> end;
};

TEST(ChildThread, HearsLinesAndTheEndInOrder) {
    ChildThread thread;
    Shell shell(thread, "echo one; echo two >&2; printf three; exit 5");
    EXPECT_EQ(shell.waitForEnd(), 5);
    EXPECT_THAT(shell.lines, ElementsAre("one", "two", "three"));
}

TEST(ChildThread, ALineWithoutEndIsBounded) {
    ChildThread thread;
    Shell shell(thread, "head -c 100000 /dev/zero | tr '\\0' x; echo; echo after");
    EXPECT_EQ(shell.waitForEnd(), 0);
    EXPECT_THAT(shell.lines, ElementsAre("(a line of more than 8 KiB was left out)", "after"));
}

TEST(ChildThread, AProgramIsKnownUntilItHasEnded) {
    ChildThread thread;
    Shell shell(thread, "exec sleep 1000");
    EXPECT_GT(shell.process, 0u);
    ::kill(static_cast<pid_t>(shell.process), SIGKILL);
    EXPECT_EQ(shell.waitForEnd(), 128 + SIGKILL);
    thread.call([&] { EXPECT_EQ(thread.processOf(shell.child), 0u); });
}

TEST(ChildThread, EndingGoesFromAskingToKilling) {
    const std::string loop = "echo ready; while :; do sleep 0.01; done";
    for (const auto& [traps, code] : std::vector<std::pair<std::string, int>>{
             {"trap 'exit 1' QUIT; trap 'exit 2' TERM; ", 1},
             {"trap '' QUIT; trap 'exit 2' TERM; ", 2},
             {"trap '' QUIT TERM; ", 128 + SIGKILL},
         }) {
        ChildThread thread;
        Shell shell(thread, traps + loop);
        shell.waitUntilReady();
        thread.call(
            [&] { thread.end(shell.child, ChildRequest::finish, milliseconds(code == 1 ? 60'000 : 20)); });
        EXPECT_EQ(shell.waitForEnd(), code) << traps;
    }
}

TEST(ChildThread, WhatAProgramLeavesMayFinish) {
    ChildThread thread;
    // In the foreground of its shell: what shells start in the background ignores QUIT.
    Shell shell(thread,
                "(trap 'echo finished; exit' QUIT; echo ready; while :; do sleep 0.01; done); :", kLong);
    shell.waitUntilReady();
    ::kill(static_cast<pid_t>(shell.process), SIGKILL);
    EXPECT_EQ(shell.waitForEnd(), 128 + SIGKILL);
    std::promise<void> said;
    std::function<void()> look = [&] {
        if (shell.lines.back() == "finished") {
            said.set_value();
        } else {
            thread.after(milliseconds(5), look);
        }
    };
    thread.post(look);
    EXPECT_EQ(said.get_future().wait_for(kLong), std::future_status::ready);
}

TEST(ChildThread, TakesAllProgramsWithIt) {
    pid_t process = 0;
    {
        ChildThread thread;
        Shell shell(thread, "trap '' TERM QUIT; echo ready; while :; do sleep 0.01; done");
        shell.waitUntilReady();
        process = static_cast<pid_t>(shell.process);
    }
    EXPECT_NE(::kill(process, 0), 0);
}

TEST(ChildThread, TimersRunInOrderUnlessCancelled) {
    ChildThread thread;
    std::vector<int> ran;
    std::promise<void> done;
    thread.call([&] {
        thread.after(milliseconds(20), [&] {
            ran.push_back(3);
            done.set_value();
        });
        thread.after(milliseconds(0), [&] { ran.push_back(1); });
        const auto never = thread.after(milliseconds(5), [&] { ran.push_back(2); });
        thread.cancel(never);
    });
    ASSERT_EQ(done.get_future().wait_for(kLong), std::future_status::ready);
    EXPECT_THAT(ran, ElementsAre(1, 3));
}

TEST(ChildThread, CallsBackOnceWhenAHandleIsReadable) {
    ChildThread thread;
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    std::promise<void> called; // a second call would throw
    thread.call([&] { thread.whenReadable(ends[0], [&] { called.set_value(); }); });
    ASSERT_EQ(::write(ends[1], "xy", 2), 2);
    EXPECT_EQ(called.get_future().wait_for(kLong), std::future_status::ready);
    thread.call([] {});
    thread.call([&] { thread.forget(ends[0]); });
    ::close(ends[0]);
    ::close(ends[1]);
}

} // namespace
} // namespace saker::os
