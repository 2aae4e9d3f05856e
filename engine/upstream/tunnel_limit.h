// How many tunnels may be open at once, on all loops together. Any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace saker::upstream {

class TunnelLimit {
public:
    /// One of them; gives its place back when it is destroyed. Keeps the count alive.
    class Slot {
    public:
        Slot() = default;
        Slot(Slot&& other) noexcept : open_(std::move(other.open_)) {}
        Slot& operator=(Slot&& other) noexcept {
            release();
            open_ = std::move(other.open_);
            return *this;
        }
        ~Slot() { release(); }
        explicit operator bool() const { return open_ != nullptr; }

    private:
        friend class TunnelLimit;
        explicit Slot(std::shared_ptr<std::atomic<std::uint64_t>> open) : open_(std::move(open)) {}
        void release() {
            if (open_) {
                open_->fetch_sub(1, std::memory_order_relaxed);
                open_.reset();
            }
        }
        std::shared_ptr<std::atomic<std::uint64_t>> open_;
    };

    /// Empty when there are `most` already; 0: no limit.
    Slot take(std::uint64_t most) {
        const std::uint64_t before = open_->fetch_add(1, std::memory_order_relaxed);
        Slot slot(open_);
        return most == 0 || before < most ? std::move(slot) : Slot();
    }
    std::uint64_t open() const { return open_->load(std::memory_order_relaxed); }

private:
    std::shared_ptr<std::atomic<std::uint64_t>> open_ = std::make_shared<std::atomic<std::uint64_t>>(0);
};

} // namespace saker::upstream
