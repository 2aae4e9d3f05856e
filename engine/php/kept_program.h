// A program that is kept running: started, started again when it ends (after a pause that grows while it does
// not stay), replaced without a gap, and ended. Lives on the ChildThread.
#pragma once

#include "os/child_thread.h"
#include "php/backoff.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace saker::php {

class KeptProgram {
public:
    enum class State : std::uint8_t { starting, ready, failed, stopped };

    /// What is particular to a kind of program.
    struct Manner {
        /// How it is asked to end after what it is at.
        os::ChildRequest finish = os::ChildRequest::terminate;
        /// It counts as ready once it has stood this long; zero: when it says so.
        std::chrono::milliseconds readyAfter{0};
        /// To end with code 0 is its way of starting afresh, at once when it has lived at least this long;
        /// zero: it is a crash.
        std::chrono::milliseconds recyclesAfter{0};
        /// How long processes that it leaves behind in a crash may finish what they are at.
        std::chrono::milliseconds forLeftOvers{0};
        /// How long a program that was replaced may finish what it is at.
        std::chrono::milliseconds forReplaced{std::chrono::minutes(5)};
    };

    struct Owner {
        std::function<Result<os::ChildSetup>()> setup;     ///< asked at each start
        std::function<bool(std::string_view line)> onLine; ///< true: it says that it is ready
        /// It could not be started, or has ended without being asked to: "ended with signal 9 (KILL)".
        std::function<void(const std::string& what)> onTrouble;
        std::function<void()> onChange; ///< state() or process() may differ
    };

    KeptProgram(os::ChildThread& thread, Manner manner, Owner owner);
    /// REQUIRES: the ChildThread has ended, or state() is `stopped`.
    ~KeptProgram();
    KeptProgram(const KeptProgram&) = delete;
    KeptProgram& operator=(const KeptProgram&) = delete;

    void start();
    /// Starts another one beside it, and ends this one when that is ready. When the other ends before that,
    /// this one stays.
    void replace();
    /// For good. The state is `stopped` when the last process has ended.
    void stop(std::chrono::milliseconds grace);

    State state() const { return state_; }
    std::uint64_t process() const;                               ///< 0: none
    std::uint64_t restarts() const { return restarts_; }         ///< after crashes
    std::uint64_t replacements() const { return replacements_; } ///< that have taken over

private:
    /// One process from its start to its end.
    struct Run {
        os::ChildThread::ChildId child = 0;
        std::chrono::steady_clock::time_point started;
        bool ready = false;
        bool leaving = false; ///< it was asked to end
    };
    using RunPtr = std::shared_ptr<Run>;

    RunPtr launch();
    void startCurrent();
    void becameReady(const RunPtr& run);
    void onEnd(const RunPtr& run, int exitCode);
    void pauseBeforeStart(std::chrono::milliseconds delay);
    void leave(const RunPtr& run, std::chrono::milliseconds grace);
    void become(State state);

    os::ChildThread& thread_;
    const Manner manner_;
    const Owner owner_;
    Backoff backoff_;
    State state_ = State::stopped;
    RunPtr current_;          ///< the one that serves
    RunPtr next_;             ///< its replacement, not ready yet
    std::vector<RunPtr> all_; ///< whatever has not ended
    os::ChildThread::TimerId pause_ = 0;
    std::uint64_t restarts_ = 0;
    std::uint64_t replacements_ = 0;
    bool stopping_ = false;
};

} // namespace saker::php
