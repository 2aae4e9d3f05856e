// Timers by the thousand: setting and cancelling are O(1), precision about 64 ms for far deadlines. A connection
// needs one timer that it moves lazily: when it fires early, the owner looks at its own deadline and sets it again.
#pragma once

#include <array>
#include <cstdint>

namespace saker::loop {

class TimerWheel;

/// One deadline; a member of its owner. Not copyable, not movable; cancels itself when destroyed.
class Timer {
public:
    Timer() = default;
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

    bool isSet() const { return next_ != nullptr; }
    std::uint64_t deadline() const { return deadline_; }
    void cancel();

protected:
    virtual ~Timer() { cancel(); }
    /// Called once, not before the deadline; may set the timer again or destroy it.
    virtual void onTimer() = 0;

private:
    friend class TimerWheel;
    Timer* next_ = nullptr; // circular list of one slot
    Timer* previous_ = nullptr;
    std::uint64_t deadline_ = 0;
};

} // namespace saker::loop
