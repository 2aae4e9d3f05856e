#include "http/slow_clients.h"

namespace saker::http {

void SlowClients::block(const loop::SocketAddress& client, std::uint64_t now, std::uint64_t duration) {
    std::lock_guard lock(mutex_);
    if (until_.size() >= kMaxEntries) {
        until_.clear();
    }
    until_[client.ip] = now + duration;
    count_.store(until_.size(), std::memory_order_relaxed);
}

bool SlowClients::isBlocked(const loop::SocketAddress& client, std::uint64_t now) {
    if (count_.load(std::memory_order_relaxed) == 0) {
        return false;
    }
    std::lock_guard lock(mutex_);
    auto found = until_.find(client.ip);
    if (found == until_.end()) {
        return false;
    }
    if (now < found->second) {
        return true;
    }
    until_.erase(found);
    count_.store(until_.size(), std::memory_order_relaxed);
    return false;
}

} // namespace saker::http
