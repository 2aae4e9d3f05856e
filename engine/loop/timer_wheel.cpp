#include "loop/timer_wheel.h"

#include <bit>

namespace saker::loop {

namespace {

// Milliseconds of one tick of a level, as a power of two.
constexpr unsigned shiftOf(unsigned level) {
    return 6 * level;
}

void makeEmpty(TimerLink& list) {
    list.next = list.previous = &list;
}

bool isEmpty(const TimerLink& list) {
    return list.next == &list;
}

void unlink(TimerLink& link) {
    link.previous->next = link.next;
    link.next->previous = link.previous;
    link.next = link.previous = nullptr;
}

void append(TimerLink& list, TimerLink& link) {
    link.previous = list.previous;
    link.next = &list;
    list.previous->next = &link;
    list.previous = &link;
}

/// Moves everything of `from` behind what `to` has.
void moveAll(TimerLink& from, TimerLink& to) {
    if (isEmpty(from)) {
        return;
    }
    from.next->previous = to.previous;
    to.previous->next = from.next;
    from.previous->next = &to;
    to.previous = from.previous;
    makeEmpty(from);
}

} // namespace

void Timer::cancel() {
    if (isSet()) {
        unlink(*this);
    }
}

TimerWheel::TimerWheel() {
    makeEmpty(due_);
    for (Level& level : levels_) {
        for (TimerLink& slot : level.slots) {
            makeEmpty(slot);
        }
    }
}

TimerWheel::~TimerWheel() {
    const auto drop = [](TimerLink& list) {
        while (!isEmpty(list)) {
            unlink(*list.next);
        }
    };
    drop(due_);
    for (Level& level : levels_) {
        for (TimerLink& slot : level.slots) {
            drop(slot);
        }
    }
}

void TimerWheel::set(Timer& timer, std::uint64_t deadlineMs) {
    timer.cancel();
    timer.deadline_ = deadlineMs;
    place(timer);
}

// A level reaches from the next tick to the 64th, whose slot is the current one's: that one has been emptied
// already.
void TimerWheel::place(Timer& timer) {
    if (timer.deadline_ <= now_) {
        append(due_, timer);
        return;
    }
    if (timer.deadline_ - now_ <= kSlots) {
        insert(levels_[0], timer.deadline_, timer);
        return;
    }
    // A slot of level 1 fires as a whole: the deadline is rounded up, so that none fires early.
    const std::uint64_t rounded = (timer.deadline_ + kSlots - 1) >> shiftOf(1);
    if (rounded - (now_ >> shiftOf(1)) <= kSlots) {
        insert(levels_[1], rounded, timer);
        return;
    }
    // A slot of the others is spread when its time begins; what lies behind the horizon waits in its last
    // slot.
    for (unsigned level = 2; level < kLevels; ++level) {
        std::uint64_t ahead = (timer.deadline_ >> shiftOf(level)) - (now_ >> shiftOf(level));
        if (ahead > kSlots && level + 1 == kLevels) {
            ahead = kSlots;
        }
        if (ahead <= kSlots) {
            insert(levels_[level], (now_ >> shiftOf(level)) + ahead, timer);
            return;
        }
    }
}

void TimerWheel::insert(Level& level, std::uint64_t tick, Timer& timer) {
    const unsigned slot = static_cast<unsigned>(tick % kSlots);
    append(level.slots[slot], timer);
    level.occupied |= std::uint64_t{1} << slot;
}

void TimerWheel::take(Level& level, std::uint64_t firstTick, std::uint64_t lastTick, TimerLink& into) {
    if (level.occupied == 0 || firstTick > lastTick) {
        return;
    }
    if (lastTick - firstTick >= kSlots) {
        firstTick = lastTick - (kSlots - 1);
    }
    for (std::uint64_t tick = firstTick; tick <= lastTick; ++tick) {
        const unsigned slot = static_cast<unsigned>(tick % kSlots);
        if ((level.occupied >> slot & 1) != 0) {
            moveAll(level.slots[slot], into);
            level.occupied &= ~(std::uint64_t{1} << slot);
        }
    }
}

void TimerWheel::advance(std::uint64_t nowMs) {
    if (nowMs < now_) {
        return;
    }
    const std::uint64_t before = now_;
    now_ = nowMs;
    TimerLink expired;
    makeEmpty(expired);
    moveAll(due_, expired);
    for (unsigned level = 0; level < 2; ++level) {
        take(levels_[level], (before >> shiftOf(level)) + 1, nowMs >> shiftOf(level), expired);
    }
    TimerLink spread;
    makeEmpty(spread);
    for (unsigned level = 2; level < kLevels; ++level) {
        take(levels_[level], (before >> shiftOf(level)) + 1, nowMs >> shiftOf(level), spread);
    }
    while (!isEmpty(spread)) {
        Timer& timer = static_cast<Timer&>(*spread.next);
        unlink(timer);
        if (timer.deadline_ <= nowMs) {
            append(expired, timer);
        } else {
            place(timer);
        }
    }
    while (!isEmpty(expired)) {
        Timer& timer = static_cast<Timer&>(*expired.next);
        unlink(timer);
        timer.onTimer();
    }
}

std::uint64_t TimerWheel::firstTick(Level& level, std::uint64_t fromTick) {
    const unsigned start = static_cast<unsigned>(fromTick % kSlots);
    while (level.occupied != 0) {
        const unsigned distance =
            static_cast<unsigned>(std::countr_zero(std::rotr(level.occupied, static_cast<int>(start))));
        const unsigned slot = (start + distance) % kSlots;
        if (!isEmpty(level.slots[slot])) {
            return fromTick + distance;
        }
        level.occupied &= ~(std::uint64_t{1} << slot);
    }
    return kNever;
}

std::uint64_t TimerWheel::nextDeadline() {
    if (!isEmpty(due_)) {
        return now_;
    }
    std::uint64_t earliest = kNever;
    for (unsigned level = 0; level < kLevels; ++level) {
        const std::uint64_t tick = firstTick(levels_[level], (now_ >> shiftOf(level)) + 1);
        if (tick != kNever && (tick << shiftOf(level)) < earliest) {
            earliest = tick << shiftOf(level);
        }
    }
    return earliest;
}

} // namespace saker::loop
