#include "os/signals.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <unistd.h>
#include <vector>

namespace saker::os {
namespace {

struct Pair {
    int number;
    Signal signal;
};
constexpr Pair kPairs[] = {{SIGTERM, Signal::terminate},    {SIGINT, Signal::interrupt},
                           {SIGQUIT, Signal::quit},         {SIGHUP, Signal::hangUp},
                           {SIGUSR1, Signal::user1},        {SIGUSR2, Signal::user2},
                           {SIGWINCH, Signal::windowChange}};

/// In a child process, whose signals nobody else needs.
void receiveEach() {
    blockSignals();
    std::mutex mutex;
    std::condition_variable arrived;
    std::vector<Signal> seen;
    auto watcher = std::make_unique<SignalWatcher>([&](Signal signal) {
        std::lock_guard lock(mutex);
        seen.push_back(signal);
        arrived.notify_one();
    });
    for (const Pair& pair : kPairs) {
        ::kill(::getpid(), pair.number);
        std::unique_lock lock(mutex);
        arrived.wait(lock, [&] { return !seen.empty(); });
        if (seen != std::vector{pair.signal}) {
            std::_Exit(1);
        }
        seen.clear();
    }
    watcher.reset();
    // Without a watcher they wait for the next one.
    ::kill(::getpid(), SIGHUP);
    watcher = std::make_unique<SignalWatcher>([&](Signal signal) {
        std::lock_guard lock(mutex);
        seen.push_back(signal);
        arrived.notify_one();
    });
    std::unique_lock lock(mutex);
    arrived.wait(lock, [&] { return !seen.empty(); });
    lock.unlock();
    watcher.reset();
    std::_Exit(seen == std::vector{Signal::hangUp} ? 0 : 2);
}

void writeToNobody() {
    blockSignals();
    int ends[2];
    if (::pipe(ends) != 0) {
        std::_Exit(1);
    }
    ::close(ends[0]);
    std::_Exit(::write(ends[1], "x", 1) == -1 ? 0 : 2);
}

TEST(SignalsDeathTest, EachArrivesAsAnEvent) {
    EXPECT_EXIT(receiveEach(), testing::ExitedWithCode(0), "");
}

TEST(SignalsDeathTest, AFailedWriteIsNoSignal) {
    EXPECT_EXIT(writeToNobody(), testing::ExitedWithCode(0), "");
}

TEST(Signals, Names) {
    EXPECT_STREQ(signalName(Signal::terminate), "TERM");
    EXPECT_STREQ(signalName(Signal::windowChange), "WINCH");
}

} // namespace
} // namespace saker::os
