// How long to wait before a program that ended is started again: longer each time while it does not stay.
#pragma once

#include <algorithm>
#include <chrono>

namespace saker::php {

class Backoff {
public:
    static constexpr std::chrono::milliseconds kFirst{100};
    static constexpr std::chrono::milliseconds kMost{10'000};
    /// Who has lived this long has started well.
    static constexpr std::chrono::milliseconds kStood{10'000};

    /// The pause after a program that has lived this long.
    std::chrono::milliseconds after(std::chrono::milliseconds lived) {
        if (lived >= kStood) {
            next_ = kFirst;
        }
        const std::chrono::milliseconds delay = next_;
        next_ = std::min(kMost, next_ * 2);
        return delay;
    }
    void reset() { next_ = kFirst; }

private:
    std::chrono::milliseconds next_ = kFirst;
};

} // namespace saker::php
