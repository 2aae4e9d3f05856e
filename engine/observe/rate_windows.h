// Requests in the last second, minute and hour, from one sample of the total a second: the windows slide, and
// count from the first second on. Not thread-safe: Metrics guards its own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace saker::observe {

struct Rates {
    std::uint64_t lastSecond = 0;
    std::uint64_t lastMinute = 0;
    std::uint64_t lastHour = 0;
};

class RateWindows {
public:
    /// The total so far, once a second. A second left out (a suspended machine, a late timer) gets its share
    /// of what happened since the sample before; a clock that goes back, and a second call in one second,
    /// only move the total.
    void sample(std::uint64_t nowSeconds, std::uint64_t total);
    Rates rates() const;

private:
    static constexpr std::size_t kSamples = 3601; // both ends of an hour

    std::uint64_t back(std::size_t seconds) const; // the total that many seconds ago, or the first one known
    void push(std::uint64_t total);

    std::array<std::uint64_t, kSamples> totals_{};
    std::size_t last_ = 0;  // where the newest sample is
    std::size_t count_ = 0; // samples known, at most kSamples
    std::uint64_t lastSecond_ = 0;
};

} // namespace saker::observe
