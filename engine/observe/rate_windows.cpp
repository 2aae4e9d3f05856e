#include "observe/rate_windows.h"

#include <algorithm>

namespace saker::observe {

void RateWindows::push(std::uint64_t total) {
    last_ = count_ == 0 ? 0 : (last_ + 1) % kSamples;
    totals_[last_] = total;
    count_ = std::min(count_ + 1, kSamples);
}

std::uint64_t RateWindows::back(std::size_t seconds) const {
    std::size_t n = std::min(seconds, count_ - 1);
    return totals_[(last_ + kSamples - n) % kSamples];
}

void RateWindows::sample(std::uint64_t nowSeconds, std::uint64_t total) {
    if (count_ == 0) {
        // Nothing had happened a second before the first sample: its requests count from the first moment on.
        push(0);
        push(total);
        lastSecond_ = nowSeconds;
        return;
    }
    if (nowSeconds <= lastSecond_) {
        totals_[last_] = total;
        return;
    }
    std::uint64_t before = totals_[last_];
    std::uint64_t gap = nowSeconds - lastSecond_;
    std::uint64_t grown = total - before;
    // Only as many of the missed seconds as the ring can hold; the newest ones.
    for (std::uint64_t i = gap > kSamples ? gap - kSamples : 0; i < gap; ++i) {
        // Whole shares first: grown * (i + 1) could overflow only beyond any real number of requests.
        push(before + grown / gap * (i + 1) + grown % gap * (i + 1) / gap);
    }
    lastSecond_ = nowSeconds;
}

Rates RateWindows::rates() const {
    if (count_ == 0) {
        return {};
    }
    std::uint64_t now = totals_[last_];
    return {now - back(1), now - back(60), now - back(3600)};
}

} // namespace saker::observe
