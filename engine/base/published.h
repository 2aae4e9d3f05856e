// An immutable value that many threads read and now and then one replaces. A reader takes a reference to the
// value of the moment; the old one dies with its last reader. Not for the path of every request: a reader
// writes to shared memory (its own slot's lock and the reference count). std::atomic<std::shared_ptr> would
// spin on one word for all of them.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>

namespace saker {

template <class T>
class Published {
public:
    using Pointer = std::shared_ptr<const T>;

    explicit Published(Pointer value = nullptr) { set(std::move(value)); }
    Published(const Published&) = delete;
    Published& operator=(const Published&) = delete;

    /// Any thread. Threads meet at a lock only when there are more of them than slots, or during a set().
    Pointer get() const {
        Slot& slot = slots_[slotOfThisThread()];
        std::lock_guard lock(slot.mutex);
        return slot.value;
    }

    /// Any thread, one at a time. Afterwards every get() gives the new value.
    void set(const Pointer& value) {
        for (Slot& slot : slots_) {
            Pointer old = value; // dies after the lock
            std::lock_guard lock(slot.mutex);
            slot.value.swap(old);
        }
    }

private:
    static constexpr std::size_t kSlots = 16;
    struct alignas(64) Slot {
        std::mutex mutex;
        Pointer value; // guarded by mutex
    };

    static std::size_t slotOfThisThread() {
        static std::atomic<std::size_t> next{0};
        thread_local const std::size_t mine = next.fetch_add(1, std::memory_order_relaxed) % kSlots;
        return mine;
    }

    mutable std::array<Slot, kSlots> slots_;
};

} // namespace saker
