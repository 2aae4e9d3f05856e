#include "http/outlet.h"

#include "support/fake_transport.h"

#include <gtest/gtest.h>

namespace saker::http {
namespace {

class OutletTest : public testing::Test {
protected:
    static std::unique_ptr<loop::EventLoop> makeLoop() {
        loop::LoopOptions options;
        options.backend = loop::BackendKind::epoll;
        return std::move(*loop::EventLoop::create(options));
    }
    loop::Submitted send(std::size_t size) {
        BufferChain chain;
        chain.append(std::string(size, 'x'));
        return outlet.send(chain);
    }

    std::unique_ptr<loop::EventLoop> loop = makeLoop();
    observe::LoopCounters counters{0};
    SlowClients slowClients;
    std::atomic<std::uint64_t> connections{0};
    LoopContext context{*loop, counters, slowClients, connections};
    test::FakeTransport transport{*loop};
    Outlet outlet{transport, context};
};

TEST_F(OutletTest, WhatLeavesAtOnceIsNotWaitedFor) {
    EXPECT_EQ(send(10), loop::Submitted::done);
    EXPECT_FALSE(outlet.isWaiting());
    EXPECT_FALSE(outlet.isFull());
}

TEST_F(OutletTest, IsFullWhileMuchIsUnsent) {
    transport.holds = true;
    EXPECT_EQ(send(10), loop::Submitted::pending);
    EXPECT_TRUE(outlet.isWaiting());
    EXPECT_FALSE(outlet.isFull());
    EXPECT_EQ(send(Outlet::kMaxUnsent), loop::Submitted::pending);
    EXPECT_TRUE(outlet.isFull());
    outlet.onDrained();
    EXPECT_FALSE(outlet.isFull());
    EXPECT_FALSE(outlet.isWaiting());
}

} // namespace
} // namespace saker::http
