// A thread that starts programs, hears what they say and sees them end; with timers, so that whoever keeps
// programs running can live on it altogether. Programs that are to die with this process are started here,
// because the system ties that to the thread that started them.
//
// post() and call() may be used by any thread; all other functions only on the thread itself. Callbacks run
// on it, one at a time, and must not block for long.
#pragma once

#include "os/child_process.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

namespace saker::os {

class ChildThread {
public:
    using ChildId = std::uint64_t; ///< never 0
    using TimerId = std::uint64_t; ///< never 0

    struct Callbacks {
        /// A line that it said on standard output or standard error, at most 8 KiB.
        std::function<void(std::string_view line)> onLine;
        /// It has ended (128 + n: by signal n), and has said all it had to say. Called once.
        std::function<void(int exitCode)> onEnd;
        /// When it ends without being asked to, and processes that it started are left: they are asked to
        /// finish and have this long; zero: they are killed.
        std::chrono::milliseconds forLeftOvers{0};
    };

    ChildThread();
    /// Kills all programs that are left, and joins the thread. What was posted and has not begun is dropped.
    ~ChildThread();
    ChildThread(const ChildThread&) = delete;
    ChildThread& operator=(const ChildThread&) = delete;

    void post(std::function<void()> job);
    /// Runs the job there and waits for it. Not on the thread itself.
    void call(const std::function<void()>& job);

    /// The program's id within this thread; its process id is processOf().
    Result<ChildId> start(const ChildSetup& setup, Callbacks callbacks);
    /// 0 when it has ended.
    std::uint64_t processOf(ChildId child) const;
    /// Ends it: it is asked so first. After `grace` it is asked to terminate if that was something else, and
    /// has a second for it; then it is killed with its process group. Nothing happens when it has ended.
    void end(ChildId child, ChildRequest first, std::chrono::milliseconds grace);

    TimerId after(std::chrono::milliseconds delay, std::function<void()> callback);
    /// Nothing happens when it has run.
    void cancel(TimerId timer);

    /// Calls back once when the handle is readable: something to read, or a connection to accept.
    void whenReadable(std::intptr_t handle, std::function<void()> callback);
    /// No callback for the handle from now on.
    void forget(std::intptr_t handle);

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace saker::os
