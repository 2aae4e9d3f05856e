// Runs a loop, timers and all, until something has happened.
#pragma once

#include "loop/event_loop.h"

#include <functional>
#include <utility>

namespace saker::test {

/// Looks every ten milliseconds; gives up after half a minute.
inline bool runUntil(loop::EventLoop& loop, std::function<bool()> condition) {
    struct Watch final : loop::Timer {
        Watch(loop::EventLoop& l, std::function<bool()> c) : loop(l), condition(std::move(c)) { onTimer(); }
        void onTimer() override {
            if (condition() || ++rounds > 3000) {
                loop.stop();
            } else {
                loop.timers().set(*this, loop.now() + 10);
            }
        }
        loop::EventLoop& loop;
        std::function<bool()> condition;
        int rounds = 0;
    } watch(loop, std::move(condition));
    loop.run();
    return watch.condition();
}

} // namespace saker::test
