// The pools of one loop by target. It outlives configurations, so that a reload keeps connections.
#pragma once

#include "upstream/upstream_pool.h"

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace saker::upstream {

class PoolTable {
public:
    /// `workers` may be null: see UpstreamPool. `loads`: of all loops.
    PoolTable(loop::EventLoop& loop, loop::WorkerPool* workers, UpstreamLoads& loads)
        : loop_(loop), workers_(workers), loads_(loads) {}
    ~PoolTable() { retireAll(); }
    PoolTable(const PoolTable&) = delete;
    PoolTable& operator=(const PoolTable&) = delete;

    /// What makes the TLS for https:// targets.
    using MakeSecurer =
        std::function<Result<std::shared_ptr<net::Securer>>(const UpstreamTarget&, const SecureOptions&)>;
    void setSecurer(MakeSecurer make) { makeSecurer_ = std::move(make); }

    /// The living one, else a new one.
    Ref<UpstreamPool> find(const UpstreamTarget& target, const PoolOptions& options);
    /// For the end of the loop: idle connections close now, others when they are given back.
    void retireAll();

private:
    loop::EventLoop& loop_;
    loop::WorkerPool* workers_;
    UpstreamLoads& loads_;
    MakeSecurer makeSecurer_;
    std::map<std::string, Ref<UpstreamPool>> pools_;
};

} // namespace saker::upstream
