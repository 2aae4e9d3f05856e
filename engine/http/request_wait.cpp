#include "http/request_wait.h"

#include <algorithm>

namespace saker::http {

RequestWait::Due RequestWait::due(std::uint64_t now, bool hasPart, const ConnectionSettings& settings) const {
    if (headSince_ != 0 && settings.headTimeout != 0 && now >= headSince_ + settings.headTimeout) {
        return Due::head;
    }
    if (!hasPart && settings.keepAliveTimeout != 0 && now >= activeAt_ + settings.keepAliveTimeout) {
        return Due::idle;
    }
    return Due::nothing;
}

std::uint64_t RequestWait::deadline(bool hasPart, const ConnectionSettings& settings) const {
    std::uint64_t deadline = kNever;
    if (headSince_ != 0 && settings.headTimeout != 0) {
        deadline = headSince_ + settings.headTimeout;
    }
    if (!hasPart && settings.keepAliveTimeout != 0) {
        deadline = std::min(deadline, activeAt_ + settings.keepAliveTimeout);
    }
    return deadline;
}

} // namespace saker::http
