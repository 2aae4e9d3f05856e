#include "http/h1/input_stash.h"

#include "support/fake_transport.h"

#include <gtest/gtest.h>

namespace saker::http {
namespace {

class InputStashTest : public testing::Test {
protected:
    static std::unique_ptr<loop::EventLoop> makeLoop() {
        loop::LoopOptions options;
        options.backend = loop::BackendKind::epoll;
        return std::move(*loop::EventLoop::create(options));
    }
    std::unique_ptr<loop::EventLoop> loop = makeLoop();
    test::FakeTransport transport{*loop};
    InputStash stash{transport};
};

TEST_F(InputStashTest, KeepsWhatIsNotUsed) {
    EXPECT_TRUE(stash.empty());
    stash.append("abc");
    stash.append("def");
    EXPECT_EQ(stash.bytes(), "abcdef");
    stash.consume(
        [this](std::string_view input) {
            EXPECT_EQ(input, "abcdef");
            EXPECT_TRUE(stash.empty());
            return std::size_t{4};
        },
        [] { return true; });
    EXPECT_EQ(stash.bytes(), "ef");
    stash.consume([](std::string_view) { return std::size_t{2}; }, [] { return true; });
    EXPECT_TRUE(stash.empty());
}

TEST_F(InputStashTest, LetsGoWhenNobodyWantsTheRest) {
    stash.append("abc");
    stash.consume([](std::string_view) { return std::size_t{1}; }, [] { return false; });
    EXPECT_TRUE(stash.empty());
}

TEST_F(InputStashTest, StopsTheReadingWhileItIsFull) {
    stash.append("a few bytes");
    stash.pauseIfFull();
    EXPECT_FALSE(transport.isPaused);
    stash.append(std::string(64 * 1024, 'x'));
    stash.pauseIfFull();
    EXPECT_TRUE(transport.isPaused);
    stash.resumeIfRoom();
    EXPECT_TRUE(transport.isPaused);
    stash.consume([](std::string_view) { return std::size_t{1000}; }, [] { return true; });
    stash.resumeIfRoom();
    EXPECT_FALSE(transport.isPaused);
}

} // namespace
} // namespace saker::http
