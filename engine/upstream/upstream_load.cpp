#include "upstream/upstream_load.h"

#include "upstream/upstream_pool.h"

#include <algorithm>

namespace saker::upstream {

void UpstreamLoad::join(const Member& member) {
    const std::lock_guard lock(mutex_);
    members_.push_back(member);
}

void UpstreamLoad::leave(const Member& member) {
    const std::lock_guard lock(mutex_);
    std::erase_if(members_, [&](const Member& one) { return one.pool == member.pool; });
}

void UpstreamLoad::addBacklogged() {
    if (backlogged_.fetch_add(1, std::memory_order_relaxed) > 0) {
        return;
    }
    const std::lock_guard lock(mutex_);
    for (const Member& member : members_) {
        member.loop->post([pool = member.pool] {
            if (*pool != nullptr) {
                (*pool)->dropIdle();
            }
        });
    }
}

std::shared_ptr<UpstreamLoad> UpstreamLoads::find(const std::string& name) {
    const std::lock_guard lock(mutex_);
    std::weak_ptr<UpstreamLoad>& known = loads_[name];
    std::shared_ptr<UpstreamLoad> load = known.lock();
    if (!load) {
        load = std::make_shared<UpstreamLoad>();
        known = load;
    }
    return load;
}

} // namespace saker::upstream
