#include "os/local_time.h"

#include <ctime>

namespace saker::os {

namespace {

CalendarTime fromTm(const std::tm& tm) {
    return {tm.tm_year + 1900,
            tm.tm_mon + 1,
            tm.tm_mday,
            tm.tm_hour,
            tm.tm_min,
            tm.tm_sec,
            static_cast<int>(tm.tm_gmtoff / 60)};
}

} // namespace

CalendarTime localTime(std::int64_t unixSeconds) {
    std::time_t time = unixSeconds;
    std::tm tm{};
    return ::localtime_r(&time, &tm) ? fromTm(tm) : CalendarTime{};
}

CalendarTime utcTime(std::int64_t unixSeconds) {
    std::time_t time = unixSeconds;
    std::tm tm{};
    return ::gmtime_r(&time, &tm) ? fromTm(tm) : CalendarTime{};
}

} // namespace saker::os
