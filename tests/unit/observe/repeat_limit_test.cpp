#include "observe/repeat_limit.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace saker::observe {
namespace {

using namespace std::chrono_literals;

TEST(RepeatLimit, OncePerIntervalWithCount) {
    RepeatLimit limit(10s);
    std::chrono::steady_clock::time_point t{1000s};
    EXPECT_EQ(limit.admit(t), 0u);
    EXPECT_EQ(limit.admit(t), std::nullopt);
    EXPECT_EQ(limit.admit(t + 9s), std::nullopt);
    EXPECT_EQ(limit.admit(t + 10s), 2u);
    EXPECT_EQ(limit.admit(t + 11s), std::nullopt);
    EXPECT_EQ(limit.admit(t + 60s), 1u);
}

TEST(RepeatLimit, OneOfManyThreadsSpeaks) {
    RepeatLimit limit(1h);
    std::atomic<int> spoken{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            for (int n = 0; n < 1000; ++n) {
                spoken += limit.admit().has_value() ? 1 : 0;
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(spoken.load(), 1);
    EXPECT_EQ(limit.admit(std::chrono::steady_clock::now() + 2h), 3999u);
}

} // namespace
} // namespace saker::observe
