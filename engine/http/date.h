// Dates of HTTP (RFC 9110, section 5.6.7). Pure arithmetic: no locale, no time zone, no lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace saker::http {

inline constexpr std::size_t kHttpDateSize = 29; ///< "Sun, 06 Nov 1994 08:49:37 GMT"

/// Seconds since 1970 as an IMF-fixdate, without a terminating NUL; years 0000 to 9999 (others are clamped).
/// Cheap enough for once a second and file; a loop keeps its Date field and renews it when the second
/// changes.
void formatHttpDate(std::int64_t seconds, char (&out)[kHttpDateSize]);
std::string httpDate(std::int64_t seconds);

/// An IMF-fixdate, RFC 850 date or asctime date, spelled exactly (case counts); the day of the month must
/// exist, the name of the weekday must be one but is not compared. `now`: for the two-digit years of RFC 850,
/// which mean the most recent year with those digits that is not more than 50 years ahead. A leap second
/// counts as the one before it.
std::optional<std::int64_t> parseHttpDate(std::string_view text, std::int64_t now);

} // namespace saker::http
