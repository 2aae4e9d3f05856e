// The character classes of HTTP's grammar (RFC 9110, section 5.6; RFC 3986, section 2), as one table.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace saker::http {

namespace chars {

inline constexpr std::uint8_t kToken = 1;        // tchar
inline constexpr std::uint8_t kValueStop = 2;    // never inside a field value: controls but tab
inline constexpr std::uint8_t kTargetStop = 4;   // never inside a request target: controls, blanks, '#'
inline constexpr std::uint8_t kHost = 8;         // reg-name without escapes
inline constexpr std::uint8_t kPathSpecial = 16; // makes a path need a closer look: '%', '\', controls
inline constexpr std::uint8_t kPathPlain = 32;   // may stay as it is in a link
inline constexpr std::uint8_t kEtag = 64;        // etagc
inline constexpr std::uint8_t kLowerToken = 128; // tchar but for capitals: names in HTTP/2

constexpr std::array<std::uint8_t, 256> makeTable() {
    std::array<std::uint8_t, 256> table{};
    auto mark = [&](std::string_view text, std::uint8_t bits) {
        for (char c : text) {
            table[static_cast<unsigned char>(c)] |= bits;
        }
    };
    mark("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", kToken | kHost | kPathPlain);
    mark("!#$%&'*+-.^_`|~", kToken | kLowerToken);
    mark("0123456789abcdefghijklmnopqrstuvwxyz", kLowerToken);
    mark("-._~!$&'()*+,;=", kHost);
    mark("-._~!$()*+,=@/", kPathPlain);
    mark("#", kTargetStop);
    mark("%\\", kPathSpecial);
    for (unsigned c = 0; c < 256; ++c) {
        if (c < 0x20 || c == 0x7f) {
            table[c] |= kTargetStop | kPathSpecial;
            if (c != '\t') {
                table[c] |= kValueStop;
            }
        } else if (c == ' ') {
            table[c] |= kTargetStop;
        } else if (c != '"') {
            table[c] |= kEtag;
        }
    }
    return table;
}

inline constexpr std::array<std::uint8_t, 256> kTable = makeTable();

} // namespace chars

constexpr bool isChar(char c, std::uint8_t charClass) {
    return (chars::kTable[static_cast<unsigned char>(c)] & charClass) != 0;
}

constexpr bool isToken(std::string_view text) {
    for (char c : text) {
        if (!isChar(c, chars::kToken)) {
            return false;
        }
    }
    return !text.empty();
}

} // namespace saker::http
