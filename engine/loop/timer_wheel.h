// Timers by the thousand: setting and cancelling are O(1), precision 1 ms for deadlines within 64 ms and 64
// ms (never early) for later ones, so that many far deadlines share one waking. A connection needs one timer
// that it moves lazily: when it fires early, the owner looks at its own deadline and sets it again.
//
// All of it belongs to one loop's thread.
#pragma once

#include <array>
#include <cstdint>

namespace saker::loop {

class TimerWheel;

/// A place in a circular list; null when in none.
struct TimerLink {
    TimerLink* next = nullptr;
    TimerLink* previous = nullptr;
};

/// One deadline; a member or a base of its owner. Not copyable, not movable; cancels itself when destroyed.
class Timer : private TimerLink {
public:
    Timer() = default;
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

    bool isSet() const { return next != nullptr; }
    std::uint64_t deadline() const { return deadline_; }
    void cancel();

protected:
    virtual ~Timer() { cancel(); }
    /// Called once, not before the deadline; may set the timer again or destroy it.
    virtual void onTimer() = 0;

private:
    friend class TimerWheel;
    std::uint64_t deadline_ = 0;
};

/// Four levels of 64 slots: 1 ms, 64 ms, 4 s, 4.4 min wide. A slot of the two wide levels is spread over the
/// finer ones when its time comes; a slot of the first two fires as a whole.
class TimerWheel {
public:
    static constexpr std::uint64_t kNever = ~std::uint64_t{0};

    TimerWheel();
    /// Cancels what is still set.
    ~TimerWheel();
    TimerWheel(const TimerWheel&) = delete;
    TimerWheel& operator=(const TimerWheel&) = delete;

    /// Sets the timer, or moves it. The deadline is in the milliseconds that advance() counts in
    /// (EventLoop::now()); one that has passed fires at the next advance().
    void set(Timer& timer, std::uint64_t deadlineMs);
    /// Calls every timer whose time has come. Timers set meanwhile wait for the next call, even if they are
    /// due.
    void advance(std::uint64_t nowMs);
    /// When advance() has something to do next (perhaps only an inner rearrangement), or kNever.
    std::uint64_t nextDeadline();
    /// The time of the last advance().
    std::uint64_t now() const { return now_; }

private:
    static constexpr unsigned kLevels = 4;
    static constexpr unsigned kSlots = 64;
    struct Level {
        std::array<TimerLink, kSlots> slots;
        std::uint64_t occupied = 0; // a bit per slot; may be set for a slot emptied by cancel()
    };

    void place(Timer& timer);
    void insert(Level& level, std::uint64_t tick, Timer& timer);
    void take(Level& level, std::uint64_t firstTick, std::uint64_t lastTick, TimerLink& into);
    std::uint64_t firstTick(Level& level, std::uint64_t fromTick);

    std::array<Level, kLevels> levels_;
    TimerLink due_; // set with a deadline that had passed
    std::uint64_t now_ = 0;
};

} // namespace saker::loop
