// Small functions on ASCII text. Nothing here looks at the locale: protocols and configuration are not local.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace saker {

constexpr char lowerAscii(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}
constexpr bool isDigit(char c) {
    return c >= '0' && c <= '9';
}
/// The value of a hexadecimal digit, or -1.
constexpr int hexValue(char c) {
    if (isDigit(c)) {
        return c - '0';
    }
    c = lowerAscii(c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/// Equal without regard to ASCII case.
constexpr bool equalsIgnoreCase(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) {
        return false;
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (lowerAscii(a[i]) != lowerAscii(b[i])) {
            return false;
        }
    }
    return true;
}
bool startsWithIgnoreCase(std::string_view text, std::string_view prefix);
std::string toLowerAscii(std::string_view text);

/// Without leading and trailing spaces and tabs (the OWS of RFC 9110, section 5.6.3).
std::string_view trim(std::string_view text);
/// Without leading and trailing spaces, tabs, CR and LF.
std::string_view trimLines(std::string_view text);

/// The parts between separators, empty ones included; one part for an empty text.
std::vector<std::string_view> split(std::string_view text, char separator);

/// A whole decimal number of digits only, or nothing (sign, space, overflow, empty).
std::optional<std::uint64_t> parseDecimal(std::string_view text);

/// & < > " ' as HTML entities: safe in text and in quoted attributes.
std::string escapeHtml(std::string_view text);

/// Control characters, quotes and backslashes as \xHH, \" and \\: one line, safe in a log.
std::string escapeControl(std::string_view text);

/// A valid UTF-8 text (RFC 3629: no overlong forms, no surrogates)?
bool isUtf8(std::string_view text);

/// "1 file", "2 files"; `many` is given where it is not `one` with an s: "2 entries".
std::string counted(std::uint64_t count, std::string_view one, std::string_view many = {});

/// 12345678 -> "11.8 MiB"; for people.
std::string formatBytes(std::uint64_t bytes);

} // namespace saker
