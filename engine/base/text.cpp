#include "base/text.h"

#include <fmt/format.h>

#include <limits>

namespace saker {

bool startsWithIgnoreCase(std::string_view text, std::string_view prefix) {
    return text.size() >= prefix.size() && equalsIgnoreCase(text.substr(0, prefix.size()), prefix);
}

std::string toLowerAscii(std::string_view text) {
    std::string out(text);
    for (char& c : out) {
        c = lowerAscii(c);
    }
    return out;
}

namespace {

std::string_view trimOf(std::string_view text, std::string_view set) {
    std::size_t first = text.find_first_not_of(set);
    if (first == std::string_view::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(set) - first + 1);
}

} // namespace

std::string_view trim(std::string_view text) {
    return trimOf(text, " \t");
}
std::string_view trimLines(std::string_view text) {
    return trimOf(text, " \t\r\n");
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        std::size_t end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) {
            return parts;
        }
        text.remove_prefix(end + 1);
    }
}

std::optional<std::uint64_t> parseDecimal(std::string_view text) {
    if (text.empty()) {
        return std::nullopt;
    }
    std::uint64_t value = 0;
    for (char c : text) {
        if (!isDigit(c)) {
            return std::nullopt;
        }
        auto digit = static_cast<std::uint64_t>(c - '0');
        if (value > (std::numeric_limits<std::uint64_t>::max() - digit) / 10) {
            return std::nullopt;
        }
        value = value * 10 + digit;
    }
    return value;
}

std::string escapeHtml(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (char c : text) {
        switch (c) {
        case '&':
            out += "&amp;";
            break;
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '"':
            out += "&quot;";
            break;
        case '\'':
            out += "&#39;";
            break;
        default:
            out += c;
        }
    }
    return out;
}

std::string escapeControl(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (char c : text) {
        auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (byte < 0x20 || byte == 0x7f) {
            fmt::format_to(std::back_inserter(out), "\\x{:02X}", byte);
        } else {
            out += c;
        }
    }
    return out;
}

bool isUtf8(std::string_view text) {
    std::size_t i = 0;
    auto continues = [&](std::size_t at, unsigned low = 0x80, unsigned high = 0xbf) {
        if (at >= text.size()) {
            return false;
        }
        auto byte = static_cast<unsigned char>(text[at]);
        return byte >= low && byte <= high;
    };
    while (i < text.size()) {
        auto byte = static_cast<unsigned char>(text[i]);
        if (byte < 0x80) {
            i += 1;
        } else if (byte >= 0xc2 && byte <= 0xdf && continues(i + 1)) {
            i += 2;
        } else if ((byte & 0xf0) == 0xe0 &&
                   continues(i + 1, byte == 0xe0 ? 0xa0 : 0x80, byte == 0xed ? 0x9f : 0xbf) &&
                   continues(i + 2)) {
            i += 3;
        } else if (byte >= 0xf0 && byte <= 0xf4 &&
                   continues(i + 1, byte == 0xf0 ? 0x90 : 0x80, byte == 0xf4 ? 0x8f : 0xbf) &&
                   continues(i + 2) && continues(i + 3)) {
            i += 4;
        } else {
            return false;
        }
    }
    return true;
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
    if (count == 1) {
        return fmt::format("1 {}", one);
    }
    return many.empty() ? fmt::format("{} {}s", count, one) : fmt::format("{} {}", count, many);
}

std::string formatBytes(std::uint64_t bytes) {
    if (bytes < 1024) {
        return fmt::format("{} B", bytes);
    }
    static constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    auto value = static_cast<double>(bytes) / 1024;
    std::size_t unit = 0;
    while (value >= 1024 && unit + 1 < std::size(kUnits)) {
        value /= 1024;
        ++unit;
    }
    return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

} // namespace saker
