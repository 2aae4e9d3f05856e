#include "schema/pointer.h"

#include "base/text.h"

#include <algorithm>

namespace saker::schema {

std::optional<std::vector<std::string>> splitPointer(std::string_view pointer) {
    std::vector<std::string> tokens;
    if (pointer.empty()) {
        return tokens;
    }
    if (pointer.front() != '/') {
        return std::nullopt;
    }
    for (std::string_view part : split(pointer.substr(1), '/')) {
        std::string token;
        for (std::size_t i = 0; i < part.size(); ++i) {
            if (part[i] != '~') {
                token += part[i];
                continue;
            }
            char next = i + 1 < part.size() ? part[++i] : '\0';
            if (next != '0' && next != '1') {
                return std::nullopt;
            }
            token += next == '0' ? '~' : '/';
        }
        tokens.push_back(std::move(token));
    }
    return tokens;
}

std::string joinPointer(std::string_view pointer, std::string_view token) {
    std::string out(pointer);
    out += '/';
    for (char c : token) {
        if (c == '~') {
            out += "~0";
        } else if (c == '/') {
            out += "~1";
        } else {
            out += c;
        }
    }
    return out;
}

std::string readablePath(std::string_view pointer) {
    auto isNameByte = [](char c) {
        return isDigit(c) || c == '_' || (lowerAscii(c) >= 'a' && lowerAscii(c) <= 'z');
    };
    std::string out;
    for (const std::string& token :
         splitPointer(pointer).value_or(std::vector<std::string>{std::string(pointer)})) {
        const bool isIndex = !token.empty() && std::all_of(token.begin(), token.end(), isDigit);
        const bool isName = !token.empty() && std::all_of(token.begin(), token.end(), isNameByte);
        if (isIndex && !out.empty()) {
            out += "[" + token + "]";
            continue;
        }
        out += out.empty() ? "" : " › ";
        out += isName ? token : "\"" + escapeControl(token) + "\"";
    }
    return out;
}

} // namespace saker::schema
