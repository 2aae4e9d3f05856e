// A loop on every backend, whose conditions are looked at every millisecond, for tests with servers of their
// own.
#pragma once

#include "support/fake_upstream.h"
#include "support/temp_folder.h"
#include "unit/loop/loop_fixture.h"
#include "upstream/upstream_pool.h"

namespace saker::upstream {

class UpstreamFixture : public loop::LoopFixture {
protected:
    void SetUp() override {
        loop::LoopFixture::SetUp();
        if (loop_) {
            ticker_.loop = loop_.get();
            ticker_.onTimer();
        }
    }
    void TearDown() override {
        if (pool_) {
            pool_->retire();
        }
        ticker_.cancel();
        if (loop_) {
            ticker_.onTimer();
            runUntil([&] { return loop_->socketCount() == 0; });
            ticker_.cancel();
        }
        pool_ = {};
    }

    /// Polls the server, too.
    void until(const std::function<bool()>& condition) {
        runUntil([&] {
            server_.poll();
            return condition();
        });
    }
    UpstreamPool& makePool(std::string_view target, const PoolOptions& options = {}) {
        pool_ = makeRef<UpstreamPool>(*loop_, *UpstreamTarget::parse(target), options);
        return *pool_;
    }
    UpstreamPool& makePool(const PoolOptions& options = {}) {
        return makePool("http://" + server_.address(), options);
    }

    test::FakeUpstream server_;
    Ref<UpstreamPool> pool_;

private:
    struct Ticker final : loop::Timer {
        loop::EventLoop* loop = nullptr;
        void onTimer() override { loop->timers().set(*this, loop->now() + 1); }
    } ticker_;
};

} // namespace saker::upstream
