#include "routing/quiescence.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <limits>
#include <thread>

namespace saker::routing {

namespace {

constexpr std::uint64_t kOffline = 0;
/// Online, but before every object's epoch: the first object gets 2.
constexpr std::uint64_t kBeforeAll = 1;

} // namespace

/// On a cache line of its own: its reader writes it once a turn, and must not disturb the other loops by
/// that.
struct alignas(64) Quiescence::Slot {
    std::atomic<std::uint64_t> seen{kOffline};
};

Quiescence::Quiescence() = default;

Quiescence::~Quiescence() {
    for (Retired& retired : retired_) {
        retired.destroy();
    }
}

void Quiescence::retire(std::function<void()> destroy) {
    {
        std::lock_guard lock(mutex_);
        const std::uint64_t epoch = epoch_.fetch_add(1, std::memory_order_seq_cst) + 1;
        retired_.push_back(Retired{epoch, std::move(destroy)});
    }
    collect();
}

std::uint64_t Quiescence::oldestSeen() const {
    std::uint64_t oldest = std::numeric_limits<std::uint64_t>::max();
    for (const auto& slot : slots_) {
        const std::uint64_t seen = slot->seen.load(std::memory_order_seq_cst);
        if (seen != kOffline) {
            oldest = std::min(oldest, seen);
        }
    }
    return oldest;
}

std::vector<Quiescence::Retired> Quiescence::takeFreeable() {
    std::lock_guard lock(mutex_);
    std::vector<Retired> freeable;
    if (retired_.empty()) {
        return freeable;
    }
    const std::uint64_t oldest = oldestSeen();
    auto end =
        std::find_if(retired_.begin(), retired_.end(), [&](const Retired& r) { return r.epoch > oldest; });
    freeable.assign(std::move_iterator(retired_.begin()), std::move_iterator(end));
    retired_.erase(retired_.begin(), end);
    return freeable;
}

void Quiescence::collect() {
    // Destroyed outside the lock: that may take long, and may retire more.
    for (Retired& retired : takeFreeable()) {
        retired.destroy();
    }
}

void Quiescence::drain() {
    const std::uint64_t until = epoch_.load(std::memory_order_seq_cst);
    for (;;) {
        collect();
        {
            std::lock_guard lock(mutex_);
            if (retired_.empty() || retired_.front().epoch > until) {
                return;
            }
        }
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
}

Quiescence::Reader::Reader(Quiescence& domain) : domain_(domain) {
    auto slot = std::make_unique<Slot>();
    slot_ = slot.get();
    {
        std::lock_guard lock(domain_.mutex_);
        domain_.slots_.push_back(std::move(slot));
    }
    online();
}

Quiescence::Reader::~Reader() {
    offline();
    {
        std::lock_guard lock(domain_.mutex_);
        auto& slots = domain_.slots_;
        slots.erase(
            std::find_if(slots.begin(), slots.end(), [&](const auto& slot) { return slot.get() == slot_; }));
    }
    domain_.collect();
}

void Quiescence::Reader::quiescent() {
    const std::uint64_t epoch = domain_.epoch_.load(std::memory_order_acquire);
    if (slot_->seen.load(std::memory_order_relaxed) != epoch) {
        slot_->seen.store(epoch, std::memory_order_release);
    }
}

void Quiescence::Reader::offline() {
    slot_->seen.store(kOffline, std::memory_order_release);
}

void Quiescence::Reader::online() {
    // A writer that still saw "offline" has advanced the epoch before it looked. Both stores and loads being
    // sequentially consistent, the load below then gets at least that epoch, and with it sees everything
    // unlinked up to there.
    slot_->seen.store(kBeforeAll, std::memory_order_seq_cst);
    slot_->seen.store(domain_.epoch_.load(std::memory_order_seq_cst), std::memory_order_release);
}

} // namespace saker::routing
