#include "loop/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <string>

namespace saker::loop {
namespace {

TEST(WorkerPoolTest, bringsResultsBackToTheLoop) {
    auto loop = *EventLoop::create({BackendKind::epoll});
    WorkerPool pool(2);
    int left = 3;
    const auto count = [&] {
        EXPECT_EQ(EventLoop::current(), loop.get());
        if (--left == 0) {
            loop->stop();
        }
    };
    EXPECT_TRUE(pool.submit(
        *loop, [] { return std::string("text"); },
        [&](std::string text) {
            EXPECT_EQ(text, "text");
            count();
        }));
    EXPECT_TRUE(pool.submit(
        *loop, [owned = std::make_unique<int>(5)] { return std::make_unique<int>(*owned); },
        [&](std::unique_ptr<int> value) {
            EXPECT_EQ(*value, 5);
            count();
        }));
    EXPECT_TRUE(pool.submit(
        *loop, [] { EXPECT_EQ(EventLoop::current(), nullptr); }, count));
    loop->run();
    EXPECT_EQ(left, 0);
}

TEST(WorkerPoolTest, refusesWhatDoesNotFitAndFinishesTheRest) {
    std::atomic<int> ran = 0;
    std::promise<void> gate;
    std::promise<void> started;
    const std::shared_future<void> open = gate.get_future().share();
    {
        WorkerPool pool(1, 2);
        ASSERT_TRUE(pool.submit([&] {
            started.set_value();
            open.wait();
            ++ran;
        }));
        started.get_future().wait();
        EXPECT_TRUE(pool.submit([&] { ++ran; }));
        EXPECT_TRUE(pool.submit([&] { ++ran; }));
        EXPECT_FALSE(pool.submit([&] { ran += 100; }));
        gate.set_value();
    }
    EXPECT_EQ(ran, 3);
}

TEST(WorkerPoolTest, takesNothingOnceItIsFinished) {
    WorkerPool pool(2);
    std::atomic<int> ran{0};
    for (int i = 0; i < 100; ++i) {
        ASSERT_TRUE(pool.submit([&] { ++ran; }));
    }
    pool.finish();
    EXPECT_EQ(ran, 100);
    EXPECT_FALSE(pool.submit([&] { ++ran; }));
    pool.finish(); // once more does no harm
    EXPECT_EQ(ran, 100);
}

} // namespace
} // namespace saker::loop
