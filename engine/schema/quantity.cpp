#include "schema/quantity.h"

#include "base/text.h"

#include <charconv>
#include <cmath>

namespace saker::schema {

namespace {

/// Beyond this a double no longer counts every millisecond or byte.
constexpr double kLargestExact = 9007199254740992.0;

double factor(Unit unit) {
    switch (unit) {
    case Unit::milliseconds:
        return 1;
    case Unit::minutes:
        return 60'000;
    default:
        return 1000;
    }
}

/// Cuts "12.5" off the front of the text.
std::optional<double> takeNumber(std::string_view& text) {
    std::size_t end = 0;
    while (end < text.size() && (isDigit(text[end]) || text[end] == '.')) {
        ++end;
    }
    auto number = parseNumber(text.substr(0, end));
    text.remove_prefix(end);
    return number;
}

std::string_view takeWord(std::string_view& text) {
    std::size_t end = 0;
    while (end < text.size() && lowerAscii(text[end]) >= 'a' && lowerAscii(text[end]) <= 'z') {
        ++end;
    }
    std::string_view word = text.substr(0, end);
    text.remove_prefix(end);
    return word;
}

std::optional<double> millisecondsOf(std::string_view unit) {
    static constexpr std::pair<std::string_view, double> kUnits[] = {
        {"ms", 1}, {"s", 1000}, {"m", 60'000}, {"min", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}};
    for (const auto& [name, value] : kUnits) {
        if (equalsIgnoreCase(unit, name)) {
            return value;
        }
    }
    return std::nullopt;
}

std::optional<double> bytesOf(std::string_view unit) {
    static constexpr std::pair<std::string_view, double> kUnits[] = {
        {"", 1},       {"b", 1},        {"kb", 1e3},     {"mb", 1e6},    {"gb", 1e9},
        {"tb", 1e12},  {"k", 0x1p10},   {"kib", 0x1p10}, {"m", 0x1p20},  {"mib", 0x1p20},
        {"g", 0x1p30}, {"gib", 0x1p30}, {"t", 0x1p40},   {"tib", 0x1p40}};
    for (const auto& [name, value] : kUnits) {
        if (equalsIgnoreCase(unit, name)) {
            return value;
        }
    }
    return std::nullopt;
}

} // namespace

std::string_view unitName(Unit unit) {
    switch (unit) {
    case Unit::none:
        break;
    case Unit::milliseconds:
        return "milliseconds";
    case Unit::seconds:
        return "seconds";
    case Unit::minutes:
        return "minutes";
    case Unit::bytes:
        return "bytes";
    }
    return {};
}

std::optional<Duration> parseDuration(std::string_view text) {
    text = trim(text);
    double total = 0;
    do {
        auto number = takeNumber(text);
        text = trim(text);
        auto scale = millisecondsOf(takeWord(text));
        text = trim(text);
        if (!number || !scale) {
            return std::nullopt;
        }
        total += *number * *scale;
    } while (!text.empty());
    return durationOf(total, Unit::milliseconds);
}

std::optional<Duration> durationOf(double number, Unit unit) {
    double milliseconds = std::round(number * factor(unit));
    if (!(std::fabs(milliseconds) <= kLargestExact)) {
        return std::nullopt;
    }
    return Duration(static_cast<Duration::rep>(milliseconds));
}

double inUnit(Duration duration, Unit unit) {
    return static_cast<double>(duration.count()) / factor(unit);
}

std::optional<std::uint64_t> parseSize(std::string_view text) {
    text = trim(text);
    auto number = takeNumber(text);
    auto scale = bytesOf(trim(text));
    if (!number || !scale) {
        return std::nullopt;
    }
    double bytes = std::round(*number * *scale);
    if (!(bytes <= kLargestExact)) {
        return std::nullopt;
    }
    return static_cast<std::uint64_t>(bytes);
}

std::optional<double> parseNumber(std::string_view text) {
    double value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
        return std::nullopt;
    }
    return value;
}

} // namespace saker::schema
