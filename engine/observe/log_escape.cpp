#include "observe/log_escape.h"

#include "base/text.h"

#include <cstdint>
#include <cstring>

namespace saker::observe {

namespace {

constexpr char kHex[] = "0123456789abcdef";
constexpr std::uint64_t kOnes = 0x0101010101010101;
constexpr std::uint64_t kHighs = 0x8080808080808080;

constexpr std::uint64_t zeroBytes(std::uint64_t word) {
    return (word - kOnes) & ~word & kHighs;
}

/// Non-zero when one of the eight bytes is a control character, a quote, a backslash, DEL or not ASCII.
constexpr std::uint64_t unsafeBytes(std::uint64_t word) {
    std::uint64_t notAscii = word & kHighs;
    std::uint64_t control = (word - kOnes * 0x20) & ~word & kHighs;
    return notAscii | control | zeroBytes(word ^ kOnes * '"') | zeroBytes(word ^ kOnes * '\\') |
           zeroBytes(word ^ kOnes * 0x7f);
}

constexpr bool isSafe(unsigned char c) {
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

/// Copies harmless bytes, and returns where the first other one is (or the end).
const char* copySafe(const char* in, const char* end, char*& out) {
    while (end - in >= 8) {
        std::uint64_t word;
        std::memcpy(&word, in, 8);
        if (unsafeBytes(word) != 0) {
            break;
        }
        std::memcpy(out, &word, 8);
        in += 8;
        out += 8;
    }
    while (in != end && isSafe(static_cast<unsigned char>(*in))) {
        *out++ = *in++;
    }
    return in;
}

char* writeHex(unsigned char c, const char* prefix, char* out) {
    std::size_t n = std::strlen(prefix);
    std::memcpy(out, prefix, n);
    out += n;
    *out++ = kHex[c >> 4];
    *out++ = kHex[c & 15];
    return out;
}

/// Bytes of the valid UTF-8 sequence at `in`, or 0.
std::size_t sequenceLength(const char* in, const char* end) {
    auto lead = static_cast<unsigned char>(*in);
    std::size_t n = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    return n <= static_cast<std::size_t>(end - in) && isUtf8({in, n}) ? n : 0;
}

/// U+0080 to U+009F: the second byte is the code point.
bool isC1Control(const char* in, std::size_t length) {
    return length == 2 && static_cast<unsigned char>(in[0]) == 0xc2 &&
           static_cast<unsigned char>(in[1]) < 0xa0;
}

} // namespace

char* escapeForLine(std::string_view text, char* out) {
    const char* in = text.data();
    const char* end = in + text.size();
    while ((in = copySafe(in, end, out)) != end) {
        char c = *in++;
        if (c == '"' || c == '\\') {
            *out++ = '\\';
            *out++ = c;
        } else {
            out = writeHex(static_cast<unsigned char>(c), "\\x", out);
        }
    }
    return out;
}

char* escapeForJson(std::string_view text, char* out) {
    const char* in = text.data();
    const char* end = in + text.size();
    while ((in = copySafe(in, end, out)) != end) {
        std::size_t n = sequenceLength(in, end);
        if (n == 0) {
            std::memcpy(out, "\\ufffd", 6);
            out += 6;
            ++in;
            continue;
        }
        if (isC1Control(in, n)) {
            out = writeHex(static_cast<unsigned char>(in[1]), "\\u00", out);
        } else if (n > 1) {
            std::memcpy(out, in, n);
            out += n;
        } else if (*in == '"' || *in == '\\') {
            *out++ = '\\';
            *out++ = *in;
        } else {
            out = writeHex(static_cast<unsigned char>(*in), "\\u00", out);
        }
        in += n;
    }
    return out;
}

std::string escapeMessage(std::string_view text) {
    std::string result(text.size() * kLineEscapeFactor, '\0');
    char* out = result.data();
    const char* in = text.data();
    const char* end = in + text.size();
    while ((in = copySafe(in, end, out)) != end) {
        std::size_t n = sequenceLength(in, end);
        auto c = static_cast<unsigned char>(*in);
        if (n > 1 && !isC1Control(in, n)) {
            std::memcpy(out, in, n);
            out += n;
            in += n;
        } else if (c == '"' || c == '\\') {
            *out++ = *in++;
        } else if (c == '\n') {
            *out++ = '\\';
            *out++ = 'n';
            ++in;
        } else {
            out = writeHex(c, "\\x", out);
            ++in;
        }
    }
    result.resize(static_cast<std::size_t>(out - result.data()));
    return result;
}

} // namespace saker::observe
