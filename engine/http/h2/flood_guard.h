// Notices clients that keep an HTTP/2 connection busy with frames that cost them little. Each costs from an
// allowance that grows with time and with what the client is really given: answers and their data.
#pragma once

#include "observe/loop_counters.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace saker::http {

class FloodGuard {
public:
    using Flood = observe::Http2Flood;

    explicit FloodGuard(std::uint64_t nowMs) : refilledAt_(nowMs) {}

    /// False when the client has used up its allowance.
    bool allows(Flood kind, std::uint64_t nowMs) {
        const std::uint64_t grown = (nowMs - refilledAt_) * kGrowthPerSecond / 1000;
        if (grown > 0) {
            allowance_ = std::min<std::int64_t>(kMost, allowance_ + static_cast<std::int64_t>(grown));
            refilledAt_ = nowMs;
        }
        allowance_ -= cost(kind);
        return allowance_ >= 0;
    }
    /// A request was answered to its end: half of a reset, so that a proxy may cancel some of many.
    void onAnswered() { earn(kPerAnswer); }
    /// A DATA frame with so many bytes was sent: a client may open two windows for each, however fast it
    /// takes them, unless it opens them by a few bytes (CVE-2019-9511).
    void onDataSent(std::size_t size) {
        if (size >= kLeastData) {
            earn(kPerDataFrame);
        }
    }

private:
    static constexpr std::int64_t kMost = 10'000;
    static constexpr std::uint64_t kGrowthPerSecond = 1000;
    static constexpr std::int64_t kPerAnswer = 10;
    static constexpr std::int64_t kPerDataFrame = 2;
    static constexpr std::size_t kLeastData = 512;

    void earn(std::int64_t points) { allowance_ = std::min(kMost, allowance_ + points); }

    static std::int64_t cost(Flood kind) {
        switch (kind) {
        case Flood::resets:
        case Flood::settings:
        case Flood::badRequests:
            return 20;
        case Flood::pings:
        case Flood::emptyFrames:
        case Flood::priorities:
            return 10;
        case Flood::windowUpdates:
            return 1;
        case Flood::continuations: // these need no counting: one is too many
        case Flood::headerBombs:
        case Flood::unreadReplies:
        case Flood::count_:
            break;
        }
        return 2 * kMost;
    }

    std::int64_t allowance_ = kMost;
    std::uint64_t refilledAt_;
};

} // namespace saker::http
