#include "http/request_wait.h"

#include <algorithm>

namespace saker::http {

RequestWait::Due RequestWait::due(std::uint64_t now, bool hasPart, WaitLimits limits) const {
    if (headSince_ != 0 && limits.head != 0 && now >= headSince_ + limits.head) {
        return Due::head;
    }
    if (!hasPart && limits.idle != 0 && now >= activeAt_ + limits.idle) {
        return Due::idle;
    }
    return Due::nothing;
}

std::uint64_t RequestWait::deadline(bool hasPart, WaitLimits limits) const {
    std::uint64_t deadline = kNever;
    if (headSince_ != 0 && limits.head != 0) {
        deadline = headSince_ + limits.head;
    }
    if (!hasPart && limits.idle != 0) {
        deadline = std::min(deadline, activeAt_ + limits.idle);
    }
    return deadline;
}

} // namespace saker::http
