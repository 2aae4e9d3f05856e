// Notices clients that keep an HTTP/2 connection busy with frames that cost them little: resets, pings,
// settings, empty data, priorities. Each costs from an allowance that grows with time and with requests that
// were answered.
#pragma once

#include <algorithm>
#include <cstdint>

namespace saker::http {

class FloodGuard {
public:
    enum class Event : std::uint8_t {
        reset, ///< RST_STREAM (CVE-2023-44487)
        settings,
        ping,
        emptyData, ///< DATA without bytes that does not end its stream
        priority,  ///< PRIORITY and PRIORITY_UPDATE
        windowUpdate,
        refused, ///< a request that broke a rule
    };

    explicit FloodGuard(std::uint64_t nowMs) : refilledAt_(nowMs) {}

    /// False when the client has used up its allowance.
    bool allows(Event event, std::uint64_t nowMs) {
        const std::uint64_t grown = (nowMs - refilledAt_) * kGrowthPerSecond / 1000;
        if (grown > 0) {
            allowance_ = std::min<std::int64_t>(kMost, allowance_ + static_cast<std::int64_t>(grown));
            refilledAt_ = nowMs;
        }
        allowance_ -= cost(event);
        return allowance_ >= 0;
    }
    void onAnswered() { allowance_ = std::min(kMost, allowance_ + kPerAnswer); }

private:
    static constexpr std::int64_t kMost = 10'000;
    static constexpr std::uint64_t kGrowthPerSecond = 1000;
    static constexpr std::int64_t kPerAnswer = 12;

    static std::int64_t cost(Event event) {
        switch (event) {
        case Event::reset:
        case Event::settings:
        case Event::refused:
            return 20;
        case Event::ping:
        case Event::emptyData:
        case Event::priority:
            return 10;
        case Event::windowUpdate:
            break;
        }
        return 1;
    }

    std::int64_t allowance_ = kMost;
    std::uint64_t refilledAt_;
};

} // namespace saker::http
