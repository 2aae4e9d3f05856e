#include "base/published.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace saker {
namespace {

TEST(Published, GivesTheValueSetLast) {
    Published<int> value(std::make_shared<const int>(1));
    auto first = value.get();
    value.set(std::make_shared<const int>(2));
    EXPECT_EQ(*first, 1);
    EXPECT_EQ(*value.get(), 2);
}

TEST(Published, OldValuesDieWithTheirReaders) {
    Published<int> value(std::make_shared<const int>(1));
    std::weak_ptr<const int> old = value.get();
    value.set(nullptr);
    EXPECT_TRUE(old.expired());
    EXPECT_EQ(value.get(), nullptr);
}

TEST(Published, ReadersNeverSeeAnOlderValueAgain) {
    Published<int> value(std::make_shared<const int>(0));
    std::vector<std::thread> readers;
    for (int i = 0; i < 4; ++i) {
        readers.emplace_back([&] {
            for (int last = 0; last < 1000;) {
                const int now = *value.get();
                EXPECT_GE(now, last);
                last = now;
            }
        });
    }
    for (int i = 1; i <= 1000; ++i) {
        value.set(std::make_shared<const int>(i));
    }
    for (std::thread& reader : readers) {
        reader.join();
    }
}

} // namespace
} // namespace saker
