// A moment in the local time zone, for logs that people read.
#pragma once

#include <cstdint>

namespace saker::os {

struct CalendarTime {
    int year = 1970;
    int month = 1; ///< 1..12
    int day = 1;
    int hour = 0;
    int minute = 0;
    int second = 0;
    int offsetMinutes = 0; ///< east of UTC
};

CalendarTime localTime(std::int64_t unixSeconds);
CalendarTime utcTime(std::int64_t unixSeconds);

} // namespace saker::os
