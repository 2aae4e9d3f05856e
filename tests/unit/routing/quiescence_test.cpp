#include "routing/quiescence.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace saker::routing {
namespace {

TEST(Quiescence, WithoutReadersFreesAtOnce) {
    bool freed = false;
    Quiescence domain;
    domain.retire([&] { freed = true; });
    EXPECT_TRUE(freed);
}

TEST(Quiescence, WaitsForEveryReaderThatWasOnline) {
    bool freed = false;
    Quiescence domain;
    Quiescence::Reader one(domain);
    Quiescence::Reader two(domain);
    domain.retire([&] { freed = true; });
    one.quiescent();
    domain.collect();
    EXPECT_FALSE(freed);
    two.quiescent();
    domain.collect();
    EXPECT_TRUE(freed);
}

TEST(Quiescence, AQuiescentPointBeforeTheRetirementDoesNotCount) {
    bool freed = false;
    Quiescence domain;
    Quiescence::Reader reader(domain);
    reader.quiescent();
    domain.retire([&] { freed = true; });
    domain.collect();
    EXPECT_FALSE(freed);
}

TEST(Quiescence, AnOfflineReaderHoldsNothingUp) {
    int freed = 0;
    Quiescence domain;
    Quiescence::Reader reader(domain);
    reader.offline();
    domain.retire([&] { ++freed; });
    EXPECT_EQ(freed, 1);
    reader.online();
    domain.retire([&] { ++freed; });
    EXPECT_EQ(freed, 1);
    reader.offline();
    domain.collect();
    EXPECT_EQ(freed, 2);
}

TEST(Quiescence, AReaderThatEndsHoldsNothingUp) {
    bool freed = false;
    Quiescence domain;
    {
        Quiescence::Reader reader(domain);
        domain.retire([&] { freed = true; });
        EXPECT_FALSE(freed);
    }
    EXPECT_TRUE(freed);
}

TEST(Quiescence, FreesInOrderAndOnlyWhatIsOldEnough) {
    std::vector<int> freed;
    Quiescence domain;
    Quiescence::Reader reader(domain);
    domain.retire([&] { freed.push_back(1); });
    domain.retire([&] { freed.push_back(2); });
    reader.quiescent();
    domain.retire([&] { freed.push_back(3); });
    EXPECT_EQ(freed, (std::vector{1, 2}));
    reader.quiescent();
    domain.drain();
    EXPECT_EQ(freed, (std::vector{1, 2, 3}));
}

TEST(Quiescence, RetiringWhileFreeingIsFine) {
    bool freed = false;
    Quiescence domain;
    domain.retire([&] { domain.retire([&] { freed = true; }); });
    EXPECT_TRUE(freed);
}

TEST(Quiescence, FreesTheRestWhenItEnds) {
    bool freed = false;
    {
        Quiescence domain;
        {
            std::optional<Quiescence::Reader> reader(domain);
            domain.retire([&] { freed = true; });
            EXPECT_FALSE(freed);
        }
    }
    EXPECT_TRUE(freed);
}

/// The writer overwrites what it frees: a reader that sees it too late sees a wrong value (and under TSan or
/// ASan a report).
TEST(Quiescence, ReadersNeverSeeWhatWasFreed) {
    constexpr int kAlive = 42;
    Quiescence domain;
    std::atomic<int*> shared{std::make_unique<int>(kAlive).release()};
    std::atomic<bool> stop{false};
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
        threads.emplace_back([&, i] {
            Quiescence::Reader reader(domain);
            for (int turn = 0; !stop.load(std::memory_order_relaxed); ++turn) {
                const int* value = shared.load(std::memory_order_acquire);
                for (int j = 0; j < 5; ++j) {
                    wrong += *value == kAlive ? 0 : 1;
                }
                if (i > 0 && turn % 16 == i) { // a loop that goes to sleep
                    reader.offline();
                    std::this_thread::yield();
                    reader.online();
                } else {
                    reader.quiescent();
                }
            }
        });
    }
    for (int i = 0; i < 20'000; ++i) {
        int* old = shared.exchange(std::make_unique<int>(kAlive).release(), std::memory_order_acq_rel);
        domain.retire([old] {
            *old = 0;
            std::unique_ptr<int> freed(old);
        });
    }
    stop = true;
    for (std::thread& thread : threads) {
        thread.join();
    }
    std::unique_ptr<int> last(shared.load());
    EXPECT_EQ(wrong.load(), 0);
}

} // namespace
} // namespace saker::routing
