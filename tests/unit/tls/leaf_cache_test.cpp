#include "tls/leaf_cache.h"

#include "support/temp_folder.h"

#include <gtest/gtest.h>

#include <atomic>
#include <ctime>
#include <set>
#include <string>
#include <thread>

namespace saker::tls {
namespace {

class LeafCacheTest : public ::testing::Test {
protected:
    LeafCacheTest() {
        auto authority = LocalCa::open({folder_.at("ca"), "", now_}, [](Severity, const std::string&) {});
        authority_ = std::move(*authority);
    }
    std::unique_ptr<LeafCache> make(LeafCache::Options options = {}) {
        return std::make_unique<LeafCache>(authority_, options, [this] { return now_.load(); });
    }

    test::TempFolder folder_;
    std::atomic<std::int64_t> now_{static_cast<std::int64_t>(std::time(nullptr))};
    std::shared_ptr<const LocalCa> authority_;
};

TEST_F(LeafCacheTest, IssuesANameOnce) {
    auto cache = make();
    const auto first = cache->find("a.test");
    ASSERT_TRUE(first);
    EXPECT_EQ(cache->find("a.test"), first);
    EXPECT_NE(cache->find("b.test"), first);
    const auto address = *loop::SocketAddress::parse("127.0.0.1", 1);
    const auto byAddress = cache->find(address);
    ASSERT_TRUE(byAddress);
    EXPECT_EQ(cache->find(*loop::SocketAddress::parse("127.0.0.1", 2)), byAddress);
    EXPECT_EQ(cache->issued(), 3u);
    EXPECT_EQ(cache->size(), 3u);
}

TEST_F(LeafCacheTest, RefusesWhatIsNotPermitted) {
    auto cache = make();
    EXPECT_EQ(cache->find("example.com"), nullptr);
    EXPECT_EQ(cache->find(*loop::SocketAddress::parse("8.8.8.8", 1)), nullptr);
    EXPECT_EQ(cache->issued(), 0u);
}

TEST_F(LeafCacheTest, IsBoundedAndForgetsTheLeastUsed) {
    auto cache = make({.capacity = 3});
    const auto a = cache->find("a.test");
    cache->find("b.test");
    cache->find("c.test");
    EXPECT_EQ(cache->find("a.test"), a);
    cache->find("d.test"); // instead of b
    EXPECT_EQ(cache->size(), 3u);
    EXPECT_EQ(cache->find("a.test"), a);
    EXPECT_EQ(cache->issued(), 4u);
    cache->find("b.test");
    EXPECT_EQ(cache->issued(), 5u);
}

TEST_F(LeafCacheTest, AFloodOfNamesIsIssuedSlowly) {
    auto cache = make({.capacity = 1000, .issuesPerSecond = 2, .issuesAtOnce = 10});
    for (int i = 0; i < 100; ++i) {
        cache->find("n" + std::to_string(i) + ".test");
    }
    EXPECT_EQ(cache->issued(), 10u);
    EXPECT_EQ(cache->refused(), 90u);
    EXPECT_NE(cache->find("n3.test"), nullptr); // known ones are found all the same
    now_ += 3;
    for (int i = 100; i < 200; ++i) {
        cache->find("n" + std::to_string(i) + ".test");
    }
    EXPECT_EQ(cache->issued(), 16u);
    now_ -= 1000; // the clock is set back
    EXPECT_EQ(cache->find("z.test"), nullptr);
}

TEST_F(LeafCacheTest, RenewsBeforeExpiry) {
    auto cache = make({.issuesPerSecond = 0, .issuesAtOnce = 2});
    const auto first = cache->find("a.test");
    now_ += 59 * 86400;
    EXPECT_EQ(cache->find("a.test"), first);
    now_ += 2 * 86400;
    const auto second = cache->find("a.test");
    EXPECT_NE(second, first);
    EXPECT_GT(second->info.notAfter, first->info.notAfter);
    now_ += 61 * 86400;
    EXPECT_EQ(cache->find("a.test"), second) << "still good, and no more may be issued now";
    now_ += 40 * 86400;
    EXPECT_EQ(cache->find("a.test"), nullptr);
}

TEST_F(LeafCacheTest, LoopsThatAskAtOnceShareOne) {
    auto cache = make();
    std::vector<std::thread> threads;
    std::mutex mutex;
    std::set<const Credential*> seen;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            for (int k = 0; k < 50; ++k) {
                auto one = cache->find("a.test");
                std::lock_guard lock(mutex);
                seen.insert(one.get());
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(seen.size(), 1u);
    EXPECT_EQ(cache->issued(), 1u);
}

} // namespace
} // namespace saker::tls
