#include "http/loop_context.h"

#include "http/h1/h1_exchange.h"

#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <vector>

namespace saker::http {
namespace {

class Node final : public ConnectionNode {
public:
    explicit Node(std::vector<std::string>& seen, std::string name) : seen_(seen), name_(std::move(name)) {}
    void drain() override { seen_.push_back("drain " + name_); }
    void abort() override { seen_.push_back("abort " + name_); }

private:
    std::vector<std::string>& seen_;
    std::string name_;
};

class LoopContextTest : public testing::Test {
protected:
    loop::LoopOptions options_{loop::BackendKind::epoll, 1, nullptr};
    std::unique_ptr<loop::EventLoop> loop_ = std::move(*loop::EventLoop::create(options_));
    SlowClients slowClients_;
    std::atomic<std::uint64_t> connections_{0};
    observe::LoopCounters counters_{0};
    LoopContext context_{*loop_, counters_, slowClients_, connections_};
    std::vector<std::string> seen_;
    Node a_{seen_, "a"}, b_{seen_, "b"}, c_{seen_, "c"};
};

TEST_F(LoopContextTest, KnowsTheConnections) {
    context_.add(a_);
    context_.add(b_);
    context_.add(c_);
    EXPECT_EQ(context_.connectionCount(), 3u);
    EXPECT_EQ(connections_, 3u);
    context_.remove(b_); // in the middle
    context_.abortAll();
    EXPECT_THAT(seen_, testing::UnorderedElementsAre("abort a", "abort c"));
    context_.remove(c_); // the first
    context_.remove(a_); // the only one
    EXPECT_EQ(context_.connectionCount(), 0u);
    EXPECT_EQ(connections_, 0u);
    seen_.clear();
    context_.abortAll();
    EXPECT_TRUE(seen_.empty());
}

TEST_F(LoopContextTest, AShutdownWaitsASecondForAHead) {
    struct Case {
        std::uint64_t configured, draining;
    };
    for (const Case& one : {Case{0, 1000}, Case{30'000, 1000}, Case{500, 500}}) {
        LoopContext context(*loop_, counters_, slowClients_, connections_);
        auto settings = makeRef<ConnectionSettings>();
        settings->headTimeout = one.configured;
        context.setSettings(std::move(settings));
        EXPECT_EQ(context.waitLimits().head, one.configured);
        context.drain();
        EXPECT_EQ(context.waitLimits().head, one.draining);
    }
}

TEST_F(LoopContextTest, DrainingIsToldAndRemembered) {
    context_.add(a_);
    context_.add(b_);
    EXPECT_FALSE(context_.isDraining());
    context_.drain();
    EXPECT_TRUE(context_.isDraining());
    EXPECT_THAT(seen_, testing::UnorderedElementsAre("drain a", "drain b"));
    context_.remove(a_);
    context_.remove(b_);
}

TEST_F(LoopContextTest, LimitsStayAtTheirAddress) {
    const RequestLimits* limits = &context_.limits();
    auto settings = makeRef<ConnectionSettings>();
    settings->limits.maxLine = 77;
    context_.setSettings(std::move(settings));
    EXPECT_EQ(&context_.limits(), limits) << "parsers keep it across a reload";
    EXPECT_EQ(limits->maxLine, 77u);
    EXPECT_EQ(context_.settings().limits.maxLine, 77u);
}

TEST_F(LoopContextTest, SettingsLiveAsLongAsSomebodyHoldsThem) {
    auto owner = std::make_shared<int>(1);
    std::weak_ptr<int> watch = owner;
    auto settings = makeRef<ConnectionSettings>();
    settings->owner = std::move(owner);
    context_.setSettings(std::move(settings));
    Ref<ConnectionSettings> held = context_.settingsRef();
    context_.setSettings(makeRef<ConnectionSettings>());
    EXPECT_FALSE(watch.expired());
    held = {};
    EXPECT_TRUE(watch.expired());
}

TEST_F(LoopContextTest, TheSpareExchangeIsGivenAwayOnce) {
    H1Exchange* spare = &context_.spare();
    EXPECT_EQ(&context_.spare(), spare);
    Ref<H1Exchange> taken = context_.takeSpare();
    EXPECT_EQ(taken.get(), spare);
    EXPECT_NE(&context_.spare(), spare);
}

TEST_F(LoopContextTest, TheDateIsThere) {
    EXPECT_EQ(context_.date().text().size(), 29u);
    EXPECT_GT(context_.date().seconds(), 1'600'000'000);
}

} // namespace
} // namespace saker::http
