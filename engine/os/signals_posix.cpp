#include "os/signals.h"

#include <array>
#include <atomic>
#include <csignal>
#include <pthread.h>
#include <thread>
#include <utility>

namespace saker::os {

namespace {

struct Known {
    int number;
    Signal signal;
    const char* name;
};
constexpr std::array<Known, 7> kKnown{{{SIGTERM, Signal::terminate, "TERM"},
                                       {SIGINT, Signal::interrupt, "INT"},
                                       {SIGQUIT, Signal::quit, "QUIT"},
                                       {SIGHUP, Signal::hangUp, "HUP"},
                                       {SIGUSR1, Signal::user1, "USR1"},
                                       {SIGUSR2, Signal::user2, "USR2"},
                                       {SIGWINCH, Signal::windowChange, "WINCH"}}};

sigset_t knownSet() {
    sigset_t set;
    sigemptyset(&set);
    for (const Known& known : kKnown) {
        sigaddset(&set, known.number);
    }
    return set;
}

} // namespace

const char* signalName(Signal signal) {
    for (const Known& known : kKnown) {
        if (known.signal == signal) {
            return known.name;
        }
    }
    return "unknown";
}

void blockSignals() {
    sigset_t set = knownSet();
    ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
    // A default disposition of "ignore" (WINCH) would discard a blocked signal before it is waited for, on
    // some systems; and one inherited as ignored (nohup: HUP) would never arrive.
    for (const Known& known : kKnown) {
        struct sigaction action {};
        action.sa_handler = [](int) {}; // never runs: the signal is blocked in every thread
        ::sigaction(known.number, &action, nullptr);
    }
    ::signal(SIGPIPE, SIG_IGN);
    ::signal(SIGXFSZ, SIG_IGN);
}

struct SignalWatcher::Thread {
    explicit Thread(std::function<void(Signal)> callback)
        : onSignal(std::move(callback)), thread([this] { run(); }) {}
    ~Thread() {
        stopping.store(true);
        // Sent to the thread itself, so no other watcher can take it; found there even when it is not waiting
        // yet.
        ::pthread_kill(thread.native_handle(), SIGWINCH);
        thread.join();
    }

    void run() {
        sigset_t set = knownSet();
        for (;;) {
            int number = 0;
            if (::sigwait(&set, &number) != 0) {
                continue;
            }
            if (stopping.load()) {
                return;
            }
            for (const Known& known : kKnown) {
                if (known.number == number) {
                    onSignal(known.signal);
                }
            }
        }
    }

    std::function<void(Signal)> onSignal;
    std::atomic<bool> stopping{false};
    std::thread thread; // last: runs on all of the above
};

SignalWatcher::SignalWatcher(std::function<void(Signal)> onSignal)
    : thread_(std::make_unique<Thread>(std::move(onSignal))) {}

SignalWatcher::~SignalWatcher() = default;

} // namespace saker::os
