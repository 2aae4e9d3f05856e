// What the pools of all loops know together about one upstream. Any thread.
//
// A FastCGI server gives each connection a process for as long as it is open, used or not. With more requests
// than processes, those on new connections would wait in the system's queue while kept ones are served over
// and over. So a new connection that is not answered for a moment counts as backlogged, and while there is
// one, on any loop, no connection is kept: each answer frees a process for whoever has waited longest.
#pragma once

#include "loop/event_loop.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace saker::upstream {

class UpstreamPool;

class UpstreamLoad {
public:
    /// A pool that takes part; the pointer is read and cleared on its loop only.
    struct Member {
        loop::EventLoop* loop;
        std::shared_ptr<UpstreamPool*> pool;
    };

    void join(const Member& member);
    /// Before the member's loop ends.
    void leave(const Member& member);

    /// The first of them makes all pools close what is idle.
    void addBacklogged();
    void removeBacklogged() { backlogged_.fetch_sub(1, std::memory_order_relaxed); }
    bool isBacklogged() const { return backlogged_.load(std::memory_order_relaxed) > 0; }

private:
    std::atomic<std::uint32_t> backlogged_{0};
    std::mutex mutex_;
    std::vector<Member> members_; // guarded by mutex_
};

/// The upstreams of a process by name.
class UpstreamLoads {
public:
    std::shared_ptr<UpstreamLoad> find(const std::string& name);

private:
    std::mutex mutex_;
    std::map<std::string, std::weak_ptr<UpstreamLoad>> loads_; // guarded by mutex_
};

} // namespace saker::upstream
