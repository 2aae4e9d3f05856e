// Times and sizes as people write them: "30s", "5m", "1h30m", "250ms"; "8GB", "512KiB", "64k".
#pragma once

#include "schema/types.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace saker::schema {

/// What a plain number of a field counts.
enum class Unit : std::uint8_t { none, milliseconds, seconds, minutes, bytes };

/// "a number of seconds".
std::string_view unitName(Unit unit);

/// One or more numbers, each with ms, s, m or min, h, d; spaces between are fine. Nothing when it is not a
/// time.
std::optional<Duration> parseDuration(std::string_view text);
/// A number in the unit. Nothing when it does not fit.
std::optional<Duration> durationOf(double number, Unit unit);
/// The number that durationOf makes this time of.
double inUnit(Duration duration, Unit unit);

/// A number with nothing or B behind it, or kB, MB, GB, TB (powers of 1000), KiB, MiB, GiB, TiB or just K, M,
/// G, T (powers of 1024). Fractions are fine.
std::optional<std::uint64_t> parseSize(std::string_view text);

/// A JSON number's text as a value; nothing when it is none.
std::optional<double> parseNumber(std::string_view text);

} // namespace saker::schema
