#include "http/url.h"

#include "base/text.h"
#include "http/chars.h"

#include <array>

namespace saker::http {

namespace {

NormalPath refuse(PathError error) {
    NormalPath result;
    result.error = error;
    return result;
}

/// Judges a byte that came plain or out of an escape.
PathError judge(char c, bool escaped) {
    auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
        return PathError::controlCharacter;
    }
    if (c == '\\') {
        return PathError::backslash;
    }
    return c == '/' && escaped ? PathError::encodedSlash : PathError::none;
}

/// Appends a segment, decoded.
PathError decodeSegment(std::string_view segment, std::string& out) {
    for (std::size_t i = 0; i < segment.size(); ++i) {
        char c = segment[i];
        bool escaped = c == '%';
        if (escaped) {
            int high = i + 1 < segment.size() ? hexValue(segment[i + 1]) : -1;
            int low = i + 2 < segment.size() ? hexValue(segment[i + 2]) : -1;
            if (high < 0 || low < 0) {
                return PathError::badEscape;
            }
            c = static_cast<char>(high * 16 + low);
            i += 2;
        }
        PathError error = judge(c, escaped);
        if (error != PathError::none) {
            return error;
        }
        out += c;
    }
    return PathError::none;
}

/// Any path; `raw` begins with a slash.
NormalPath rebuild(std::string_view raw, std::string& scratch) {
    NormalPath result;
    scratch.clear();
    scratch.reserve(raw.size());
    std::string_view rest = raw;
    while (!rest.empty()) {
        rest.remove_prefix(1); // the slash
        std::size_t end = rest.find('/');
        std::string_view segment = rest.substr(0, end);
        rest = end == std::string_view::npos ? std::string_view() : rest.substr(end);

        std::size_t before = scratch.size();
        if (before != 0) {
            scratch += '/';
        }
        std::size_t start = scratch.size();
        PathError error = decodeSegment(segment, scratch);
        if (error != PathError::none) {
            return refuse(error);
        }
        std::string_view decoded = std::string_view(scratch).substr(start);
        bool isUp = decoded == "..";
        result.trailingSlash = decoded.empty() || decoded == "." || isUp;
        if (!result.trailingSlash) {
            ++result.segments;
            continue;
        }
        scratch.resize(before);
        if (isUp) {
            if (result.segments == 0) {
                return refuse(PathError::aboveRoot);
            }
            --result.segments;
            std::size_t slash = scratch.rfind('/');
            scratch.resize(slash == std::string::npos ? 0 : slash);
        }
    }
    result.path = scratch;
    std::string_view tail = raw.substr(1);
    bool same = tail.substr(0, scratch.size()) == scratch &&
                tail.substr(scratch.size()) == (result.trailingSlash && !scratch.empty() ? "/" : "");
    result.changed = !same;
    return result;
}

} // namespace

std::string_view pathErrorText(PathError error) {
    static constexpr std::array<std::string_view, static_cast<std::size_t>(PathError::count_)> kTexts = {
        "The path is fine.",
        "The path does not begin with a slash.",
        "The path has a percent sign without two hexadecimal digits behind it.",
        "The path holds a control character.",
        "The path holds an encoded slash (%2F); a name cannot hold one.",
        "The path holds a backslash; names are separated by slashes.",
        "The path leads out of the site: it has more \"..\" than names in front of them.",
        "The path is not UTF-8 text once it is decoded.",
    };
    return kTexts[static_cast<std::size_t>(error)];
}

NormalPath normalisePath(std::string_view raw, std::string& scratch, PathPolicy policy) {
    if (raw.empty() || raw.front() != '/') {
        return refuse(PathError::notAbsolute);
    }
    // A clean path has no special byte, and behind no slash another one or a dot: then every slash but the
    // last one ends a name. Dot-files take the long way too; they are rarely asked for.
    NormalPath result;
    bool clean = true;
    unsigned char high = 0;
    char before = '/';
    for (std::size_t i = 1; i < raw.size(); ++i) {
        char c = raw[i];
        high |= static_cast<unsigned char>(c);
        if (before == '/') {
            if (c == '/' || c == '.') {
                clean = false;
                break;
            }
            ++result.segments;
        }
        if (isChar(c, chars::kPathSpecial)) {
            clean = false;
            break;
        }
        before = c;
    }
    if (clean) {
        result.trailingSlash = before == '/';
        result.path = raw.substr(1, raw.size() - (result.trailingSlash && raw.size() > 1 ? 2 : 1));
    } else {
        result = rebuild(raw, scratch);
        high = 0x80;
    }
    if (policy.requireUtf8 && high >= 0x80 && result.ok() && !isUtf8(result.path)) {
        return refuse(PathError::badUtf8);
    }
    return result;
}

void appendEncodedPath(std::string_view path, std::string& out) {
    static constexpr char kHex[] = "0123456789ABCDEF";
    for (char c : path) {
        if (isChar(c, chars::kPathPlain)) {
            out += c;
        } else {
            auto byte = static_cast<unsigned char>(c);
            out += '%';
            out += kHex[byte >> 4U];
            out += kHex[byte & 15U];
        }
    }
}

std::string encodePath(std::string_view path) {
    std::string out;
    out.reserve(path.size() + path.size() / 8);
    appendEncodedPath(path, out);
    return out;
}

std::optional<std::string> percentDecode(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            out += text[i];
            continue;
        }
        int high = i + 1 < text.size() ? hexValue(text[i + 1]) : -1;
        int low = i + 2 < text.size() ? hexValue(text[i + 2]) : -1;
        if (high < 0 || low < 0) {
            return std::nullopt;
        }
        out += static_cast<char>(high * 16 + low);
        i += 2;
    }
    return out;
}

} // namespace saker::http
