#include "observe/repeat_limit.h"

namespace saker::observe {

std::optional<std::uint64_t> RepeatLimit::admit(std::chrono::steady_clock::time_point now) {
    auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count();
    std::int64_t next = next_.load(std::memory_order_relaxed);
    // Of several threads that find it due, the one that moves the time speaks.
    if (millis < next ||
        !next_.compare_exchange_strong(next, millis + interval_.count(), std::memory_order_relaxed)) {
        held_.fetch_add(1, std::memory_order_relaxed);
        return std::nullopt;
    }
    return held_.exchange(0, std::memory_order_relaxed);
}

} // namespace saker::observe
