#include "base/domain_name.h"

#include "base/text.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace saker {

namespace {

constexpr std::string_view kPrefix = "xn--";
constexpr std::size_t kLongestLabel = 63;
constexpr std::size_t kLongestName = 253;
constexpr char32_t kIdeographicStop = 0x3002; // what East Asian keyboards make for the dot

// ---- UTF-8 ----

/// REQUIRES: valid UTF-8.
std::u32string codePoints(std::string_view text) {
    std::u32string out;
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i]);
        const std::size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
        char32_t value = length == 1 ? lead : lead & (0x7fU >> length);
        for (std::size_t k = 1; k < length; ++k) {
            value = value << 6 | (static_cast<unsigned char>(text[i + k]) & 0x3fU);
        }
        out += value;
        i += length;
    }
    return out;
}

void appendUtf8(std::string& out, char32_t value) {
    if (value < 0x80) {
        out += static_cast<char>(value);
        return;
    }
    const int more = value < 0x800 ? 1 : value < 0x10000 ? 2 : 3;
    out += static_cast<char>((0xff00U >> (more + 1) & 0xffU) | value >> (6 * more));
    for (int k = more - 1; k >= 0; --k) {
        out += static_cast<char>(0x80U | (value >> (6 * k) & 0x3fU));
    }
}

// ---- case ----

/// Runs of letters in which capital and small take turns: the capital is the even or the odd one.
struct Turns {
    char32_t first;
    char32_t last;
};
constexpr Turns kTurns[] = {{0x100, 0x12f}, {0x132, 0x137}, {0x139, 0x148},   {0x14a, 0x177},
                            {0x179, 0x17e}, {0x1cd, 0x1dc}, {0x1de, 0x1ef},   {0x1f8, 0x21f},
                            {0x222, 0x233}, {0x3d8, 0x3ef}, {0x460, 0x481},   {0x48a, 0x4bf},
                            {0x4c1, 0x4ce}, {0x4d0, 0x52f}, {0x1e00, 0x1e95}, {0x1ea0, 0x1eff}};
/// Runs of capitals whose small letters lie at the same distance.
struct Shift {
    char32_t first;
    char32_t last;
    char32_t distance;
};
constexpr Shift kShifts[] = {{'A', 'Z', 32},     {0xc0, 0xd6, 32},   {0xd8, 0xde, 32},   {0x386, 0x386, 38},
                             {0x388, 0x38a, 37}, {0x38c, 0x38c, 64}, {0x38e, 0x38f, 63}, {0x391, 0x3a1, 32},
                             {0x3a3, 0x3ab, 32}, {0x400, 0x40f, 80}, {0x410, 0x42f, 32}, {0x531, 0x556, 48}};

char32_t lower(char32_t letter) {
    for (const Shift& shift : kShifts) {
        if (letter >= shift.first && letter <= shift.last) {
            return letter + shift.distance;
        }
    }
    for (const Turns& turns : kTurns) {
        if (letter >= turns.first && letter <= turns.last) {
            return (letter - turns.first) % 2 == 0 ? letter + 1 : letter;
        }
    }
    return letter == 0x178 ? 0xff : letter == 0x4c0 ? 0x4cf : letter;
}

// ---- Punycode (RFC 3492) ----

constexpr std::uint32_t kBase = 36;
constexpr std::uint32_t kTMin = 1;
constexpr std::uint32_t kTMax = 26;
constexpr std::uint32_t kSkew = 38;
constexpr std::uint32_t kDamp = 700;
constexpr std::uint32_t kInitialBias = 72;
constexpr std::uint32_t kInitialN = 128;

std::uint32_t adapt(std::uint32_t delta, std::uint32_t points, bool first) {
    delta = first ? delta / kDamp : delta / 2;
    delta += delta / points;
    std::uint32_t k = 0;
    while (delta > (kBase - kTMin) * kTMax / 2) {
        delta /= kBase - kTMin;
        k += kBase;
    }
    return k + (kBase - kTMin + 1) * delta / (delta + kSkew);
}

std::uint32_t threshold(std::uint32_t k, std::uint32_t bias) {
    return k <= bias ? kTMin : std::min(k - bias, kTMax);
}

char digitOf(std::uint32_t value) {
    return static_cast<char>(value < 26 ? 'a' + value : '0' + value - 26);
}

/// REQUIRES: at most kLongestLabel points, so that no delta overflows.
std::string encode(const std::u32string& label) {
    std::string out;
    for (char32_t point : label) {
        if (point < 0x80) {
            out += static_cast<char>(point);
        }
    }
    const auto basic = static_cast<std::uint32_t>(out.size());
    std::uint32_t done = basic;
    if (basic > 0) {
        out += '-';
    }
    std::uint32_t n = kInitialN;
    std::uint32_t delta = 0;
    std::uint32_t bias = kInitialBias;
    while (done < label.size()) {
        std::uint32_t next = std::numeric_limits<std::uint32_t>::max();
        for (char32_t point : label) {
            if (point >= n) {
                next = std::min(next, static_cast<std::uint32_t>(point));
            }
        }
        delta += (next - n) * (done + 1);
        n = next;
        for (char32_t point : label) {
            if (point < n) {
                ++delta;
            }
            if (point != n) {
                continue;
            }
            std::uint32_t q = delta;
            for (std::uint32_t k = kBase;; k += kBase) {
                const std::uint32_t t = threshold(k, bias);
                if (q < t) {
                    break;
                }
                out += digitOf(t + (q - t) % (kBase - t));
                q = (q - t) / (kBase - t);
            }
            out += digitOf(q);
            bias = adapt(delta, done + 1, done == basic);
            delta = 0;
            ++done;
        }
        ++delta;
        ++n;
    }
    return out;
}

std::optional<std::u32string> decode(std::string_view text) {
    std::u32string out;
    const std::size_t hyphen = text.rfind('-');
    if (hyphen != std::string_view::npos) {
        out.assign(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(hyphen));
        text.remove_prefix(hyphen + 1);
    }
    std::uint64_t n = kInitialN;
    std::uint64_t i = 0;
    std::uint32_t bias = kInitialBias;
    while (!text.empty()) {
        const std::uint64_t before = i;
        std::uint64_t weight = 1;
        for (std::uint32_t k = kBase;; k += kBase) {
            if (text.empty()) {
                return std::nullopt;
            }
            const char c = lowerAscii(text.front());
            text.remove_prefix(1);
            const std::uint32_t digit = isDigit(c)             ? static_cast<std::uint32_t>(c - '0') + 26
                                        : c >= 'a' && c <= 'z' ? static_cast<std::uint32_t>(c - 'a')
                                                               : kBase;
            i += digit * weight;
            if (digit == kBase || i > std::numeric_limits<std::uint32_t>::max()) {
                return std::nullopt;
            }
            const std::uint32_t t = threshold(k, bias);
            if (digit < t) {
                break;
            }
            weight *= kBase - t;
            if (weight > std::numeric_limits<std::uint32_t>::max()) {
                return std::nullopt;
            }
        }
        const auto points = static_cast<std::uint32_t>(out.size() + 1);
        bias = adapt(static_cast<std::uint32_t>(i - before), points, before == 0);
        n += i / points;
        i %= points;
        if (n > 0x10ffff || (n >= 0xd800 && n < 0xe000)) {
            return std::nullopt;
        }
        out.insert(static_cast<std::size_t>(i), 1, static_cast<char32_t>(n));
        ++i;
    }
    return out;
}

// ---- labels ----

bool isPlainLabel(std::string_view label) {
    return std::all_of(label.begin(), label.end(),
                       [](char c) { return isDigit(c) || (c >= 'a' && c <= 'z') || c == '-' || c == '_'; });
}

/// False when it cannot be one.
bool appendLabel(std::string& out, const std::u32string& label) {
    if (label.empty() || label.size() > kLongestLabel) {
        return false;
    }
    std::string ascii;
    if (std::all_of(label.begin(), label.end(), [](char32_t c) { return c < 0x80; })) {
        ascii.assign(label.begin(), label.end());
    } else {
        // Of what is beyond ASCII only what is no letter in any script is refused: separators and controls.
        for (char32_t c : label) {
            if ((c >= 0x80 && c < 0xa1) || (c >= 0x2000 && c <= 0x206f && c != 0x200c && c != 0x200d) ||
                c == 0x3000 || c == 0xfeff) {
                return false;
            }
        }
        ascii = std::string(kPrefix) + encode(label);
    }
    out += ascii;
    return ascii.size() <= kLongestLabel && (isPlainLabel(ascii) || (ascii == "*" && out == "*"));
}

} // namespace

std::optional<std::string> domainToAscii(std::string_view name) {
    if (name.ends_with('.')) {
        name.remove_suffix(1);
    }
    if (name.empty() || name.size() > 4 * kLongestName || !isUtf8(name)) {
        return std::nullopt;
    }
    std::string out;
    out.reserve(name.size());
    std::u32string label;
    std::u32string points = codePoints(name);
    points += U'.';
    for (char32_t c : points) {
        if (c != U'.' && c != kIdeographicStop) {
            label += lower(c);
            continue;
        }
        if (!out.empty()) {
            out += '.';
        }
        if (!appendLabel(out, label)) {
            return std::nullopt;
        }
        label.clear();
    }
    if (out.size() > kLongestName) {
        return std::nullopt;
    }
    return out;
}

std::string domainToUnicode(std::string_view name) {
    std::string out;
    for (std::string_view label : split(name, '.')) {
        if (!out.empty() || label.data() != name.data()) {
            out += '.';
        }
        auto points =
            startsWithIgnoreCase(label, kPrefix) ? decode(label.substr(kPrefix.size())) : std::nullopt;
        std::string text;
        if (points) {
            for (char32_t point : *points) {
                appendUtf8(text, point);
            }
        }
        // Shown only when it means the same again: what does not come back was made to look like another
        // name.
        auto back = points ? domainToAscii(text) : std::nullopt;
        out += back && equalsIgnoreCase(*back, label) ? std::string_view(text) : label;
    }
    return out;
}

} // namespace saker
