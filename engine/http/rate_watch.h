// What a minimum rate is judged by, while output waits or a body is expected.
#pragma once

#include "http/connection_settings.h"

#include <cstdint>

namespace saker::http {

struct RateWatch {
    std::uint64_t since = 0;     ///< ms
    std::uint64_t bytesThen = 0; ///< at `since`
    std::uint64_t bytesSeen = 0; ///< at `movedAt`
    std::uint64_t movedAt = 0;   ///< ms

    static RateWatch start(std::uint64_t now, std::uint64_t bytes) { return {now, bytes, bytes, now}; }
    /// `bytes`: so far. Below the settings' minimum rate since the start, or without any progress for too
    /// long?
    bool isTooSlow(std::uint64_t now, std::uint64_t bytes, const ConnectionSettings& settings);
};

/// How often the rates of waiting transfers are looked at, in milliseconds.
inline constexpr std::uint64_t kWatchInterval = 1000;

} // namespace saker::http
