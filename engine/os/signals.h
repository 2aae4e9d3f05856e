// Signals as plain events on a thread of their own, so that no code ever runs inside a signal handler.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace saker::os {

/// What the operator or the system asks for, named for the Unix signals; Windows maps console and service
/// events.
enum class Signal : std::uint8_t {
    terminate,    ///< TERM: end gracefully; a second one at once
    interrupt,    ///< INT: the same from the terminal
    quit,         ///< QUIT: drain
    hangUp,       ///< HUP: reload
    user1,        ///< USR1: reopen logs
    user2,        ///< USR2: upgrade the binary
    windowChange, ///< WINCH: drain without ending
};
const char* signalName(Signal signal);

/// In main, before any other thread starts: blocks the signals above in this thread and all that it starts,
/// and ignores those that would end the process for a failed write (PIPE, XFSZ). Programs started later must
/// undo both (posix_spawn attributes).
void blockSignals();

/// Waits for signals on its own thread and calls back there, one at a time. REQUIRES: blockSignals() has been
/// called; one watcher at a time.
class SignalWatcher {
public:
    explicit SignalWatcher(std::function<void(Signal)> onSignal);
    /// Waits for a callback that is running; signals stay blocked and pending.
    ~SignalWatcher();
    SignalWatcher(const SignalWatcher&) = delete;
    SignalWatcher& operator=(const SignalWatcher&) = delete;

private:
    struct Thread;
    std::unique_ptr<Thread> thread_;
};

} // namespace saker::os
