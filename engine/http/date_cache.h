// The text of the Date field (RFC 9110, section 6.6.1), made once a second and a loop.
#pragma once

#include "http/date.h"

#include <cstdint>
#include <string_view>

namespace saker::http {

class DateCache {
public:
    /// Seconds since 1970; cheap when the second has not changed.
    void refresh(std::int64_t seconds);
    std::int64_t seconds() const { return seconds_; }
    /// "Sun, 06 Nov 1994 08:49:37 GMT", 29 bytes.
    std::string_view text() const { return {text_, kHttpDateSize}; }

private:
    std::int64_t seconds_ = -1;
    char text_[kHttpDateSize] = {};
};

} // namespace saker::http
