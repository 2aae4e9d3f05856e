#include "http/rate_watch.h"

namespace saker::http {

bool RateWatch::isTooSlow(std::uint64_t now, std::uint64_t bytes, const ConnectionSettings& settings) {
    if (bytes != bytesSeen) {
        bytesSeen = bytes;
        movedAt = now;
    }
    if (settings.stallTimeout != 0 && now - movedAt >= settings.stallTimeout) {
        return true;
    }
    const std::uint64_t elapsed = now - since;
    return elapsed > settings.gracePeriod &&
           static_cast<double>(bytes - bytesThen) < settings.minRate * static_cast<double>(elapsed) / 1000;
}

} // namespace saker::http
