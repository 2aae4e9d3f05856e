#include "loop/timer_wheel.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <random>
#include <vector>

namespace saker::loop {
namespace {

class Probe final : public Timer {
public:
    std::function<void()> action = [] {};
    int fired = 0;

private:
    void onTimer() override {
        ++fired;
        action();
    }
};

TEST(TimerWheelTest, firesNeverEarlyAndWithinItsPrecision) {
    for (const std::uint64_t start : {0ULL, 1ULL, 63ULL, 64ULL, 4095ULL, 123'456'789ULL}) {
        for (const std::uint64_t delay :
             {1ULL, 2ULL, 63ULL, 64ULL, 65ULL, 127ULL, 4031ULL, 4032ULL, 4033ULL, 4095ULL, 4096ULL, 4097ULL,
              8192ULL, 65'000ULL, 262'143ULL, 262'144ULL, 300'000ULL, 16'777'216ULL, 40'000'000ULL}) {
            TimerWheel wheel;
            wheel.advance(start);
            Probe timer;
            wheel.set(timer, start + delay);
            int wakings = 0;
            while (timer.fired == 0) {
                const std::uint64_t next = wheel.nextDeadline();
                ASSERT_NE(next, TimerWheel::kNever);
                ASSERT_GT(next, wheel.now());
                wheel.advance(next);
                ++wakings;
                if (timer.fired == 0) {
                    ASSERT_LE(wheel.now(), start + delay + 64) << start << "+" << delay;
                }
            }
            EXPECT_GE(wheel.now(), start + delay);
            EXPECT_LE(wheel.now(), start + delay + (delay <= 64 ? 0 : 64)) << start << "+" << delay;
            EXPECT_LE(wakings, 8) << start << "+" << delay;
            EXPECT_FALSE(timer.isSet());
            EXPECT_EQ(wheel.nextDeadline(), TimerWheel::kNever);
        }
    }
}

TEST(TimerWheelTest, firesWhatHasPassedAtTheNextAdvance) {
    TimerWheel wheel;
    wheel.advance(1000);
    Probe timer;
    wheel.set(timer, 5);
    EXPECT_EQ(wheel.nextDeadline(), 1000U);
    wheel.advance(1000);
    EXPECT_EQ(timer.fired, 1);
}

TEST(TimerWheelTest, movesAndCancels) {
    TimerWheel wheel;
    Probe timer;
    wheel.set(timer, 10);
    wheel.set(timer, 500);
    wheel.advance(100);
    EXPECT_EQ(timer.fired, 0);
    EXPECT_TRUE(timer.isSet());
    EXPECT_EQ(timer.deadline(), 500U);
    timer.cancel();
    EXPECT_FALSE(timer.isSet());
    wheel.advance(10'000);
    EXPECT_EQ(timer.fired, 0);
    EXPECT_EQ(wheel.nextDeadline(), TimerWheel::kNever);
}

TEST(TimerWheelTest, lateAdvanceFiresEverything) {
    TimerWheel wheel;
    std::vector<std::unique_ptr<Probe>> timers;
    for (std::uint64_t delay = 1; delay < 100'000'000; delay = delay * 3 / 2 + 1) {
        timers.push_back(std::make_unique<Probe>());
        wheel.set(*timers.back(), delay);
    }
    wheel.advance(200'000'000);
    for (const auto& timer : timers) {
        EXPECT_EQ(timer->fired, 1);
    }
}

TEST(TimerWheelTest, callbacksMaySetCancelAndDestroyTimers) {
    TimerWheel wheel;
    Probe again;
    Probe cancelled;
    auto destroyed = std::make_unique<Probe>();
    again.action = [&] {
        wheel.set(again, wheel.now()); // due at once, yet not within this advance
        cancelled.cancel();
        destroyed.reset();
    };
    wheel.set(again, 5);
    wheel.set(cancelled, 5);
    wheel.set(*destroyed, 5);
    wheel.advance(5);
    EXPECT_EQ(again.fired, 1);
    EXPECT_EQ(cancelled.fired, 0);
    wheel.advance(5);
    EXPECT_EQ(again.fired, 2);
    auto self = std::make_unique<Probe>();
    self->action = [&] { self.reset(); };
    wheel.set(*self, 7);
    again.cancel();
    wheel.advance(10);
    EXPECT_EQ(self, nullptr);
}

TEST(TimerWheelTest, timersOutliveTheWheel) {
    Probe timer;
    {
        TimerWheel wheel;
        wheel.set(timer, 1000);
    }
    EXPECT_FALSE(timer.isSet());
}

TEST(TimerWheelTest, agreesWithASortedListOverManyRandomSteps) {
    std::mt19937_64 random(7);
    TimerWheel wheel;
    wheel.advance(1'000'000);
    std::vector<std::unique_ptr<Probe>> timers;
    std::vector<int> expected;
    for (int i = 0; i < 300; ++i) {
        timers.push_back(std::make_unique<Probe>());
        expected.push_back(0);
    }
    for (int step = 0; step < 5000; ++step) {
        const std::size_t i = random() % timers.size();
        switch (random() % 3) {
        case 0:
            wheel.set(*timers[i], wheel.now() + random() % (1ULL << (random() % 24)));
            break;
        case 1:
            timers[i]->cancel();
            break;
        default: {
            std::vector<std::uint64_t> deadlines;
            for (const auto& timer : timers) {
                deadlines.push_back(timer->isSet() ? timer->deadline() : TimerWheel::kNever);
                timer->fired = 0;
            }
            const std::uint64_t to = wheel.now() + random() % (1ULL << (random() % 20));
            wheel.advance(to);
            for (std::size_t k = 0; k < timers.size(); ++k) {
                if (deadlines[k] + 64 <= to && deadlines[k] != TimerWheel::kNever) {
                    EXPECT_EQ(timers[k]->fired, 1) << "due " << deadlines[k] << " now " << to;
                }
                if (deadlines[k] > to) {
                    EXPECT_EQ(timers[k]->fired, 0);
                }
            }
        }
        }
    }
}

} // namespace
} // namespace saker::loop
