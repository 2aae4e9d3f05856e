#include "http/date_cache.h"

namespace saker::http {

void DateCache::refresh(std::int64_t seconds) {
    if (seconds != seconds_) {
        seconds_ = seconds;
        formatHttpDate(seconds, text_);
    }
}

} // namespace saker::http
