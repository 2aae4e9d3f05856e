#include "http/authority.h"

#include "base/text.h"
#include "http/chars.h"

#include <algorithm>

namespace saker::http {

namespace {

/// The text between the brackets (RFC 3986, section 3.2.2, IPv6address).
bool isIpv6Text(std::string_view text) {
    int groups = 0;
    bool elided = false; // "::" was seen
    std::size_t i = 0;
    if (text.substr(0, 2) == "::") {
        elided = true;
        i = 2;
    }
    while (i < text.size()) {
        std::size_t start = i;
        while (i < text.size() && i - start < 4 && hexValue(text[i]) >= 0) {
            ++i;
        }
        if (i < text.size() && text[i] == '.') { // the last 32 bits as an IPv4 address
            std::string_view rest = text.substr(start);
            int parts = 0;
            for (;;) {
                std::size_t dot = rest.find('.');
                std::string_view part = rest.substr(0, dot);
                auto value = part.size() <= 3 ? parseDecimal(part) : std::nullopt;
                if (!value || *value > 255 || (part.size() > 1 && part.front() == '0')) {
                    return false;
                }
                ++parts;
                if (dot == std::string_view::npos) {
                    break;
                }
                rest.remove_prefix(dot + 1);
            }
            groups += 2;
            return parts == 4 && (elided ? groups < 8 : groups == 8);
        }
        if (i == start) {
            return false;
        }
        ++groups;
        if (i == text.size()) {
            break;
        }
        if (text[i] != ':') {
            return false;
        }
        ++i;
        if (i < text.size() && text[i] == ':') {
            if (elided) {
                return false;
            }
            elided = true;
            ++i;
        } else if (i == text.size()) {
            return false; // a single colon at the end
        }
    }
    return elided ? groups < 8 : groups == 8;
}

} // namespace

std::optional<Authority> splitAuthority(std::string_view text) {
    Authority authority;
    std::size_t end = 0;
    if (!text.empty() && text.front() == '[') {
        end = text.find(']');
        if (end == std::string_view::npos || !isIpv6Text(text.substr(1, end - 1))) {
            return std::nullopt;
        }
        authority.host = text.substr(1, end - 1);
        authority.isIpv6 = true;
        ++end;
    } else {
        char before = '.';
        for (; end < text.size() && isChar(text[end], chars::kHost); ++end) {
            if (text[end] == '.' && before == '.') {
                return std::nullopt;
            }
            before = text[end];
        }
        if (end == 0) {
            return std::nullopt;
        }
        authority.host = text.substr(0, end);
    }
    if (end == text.size()) {
        return authority;
    }
    if (text[end] != ':') {
        return std::nullopt;
    }
    std::string_view digits = text.substr(end + 1);
    if (digits.empty()) {
        return authority;
    }
    auto port = digits.size() <= 5 ? parseDecimal(digits) : std::nullopt;
    if (!port || *port > 65535) {
        return std::nullopt;
    }
    authority.port = static_cast<std::uint16_t>(*port);
    return authority;
}

bool isAuthority(std::string_view text) {
    return splitAuthority(text).has_value();
}

std::string_view foldHost(std::string_view host, std::string& scratch) {
    if (!host.empty() && host.back() == '.') {
        host.remove_suffix(1);
    }
    auto isUpper = [](char c) { return c >= 'A' && c <= 'Z'; };
    if (std::none_of(host.begin(), host.end(), isUpper)) {
        return host;
    }
    scratch.assign(host);
    for (char& c : scratch) {
        c = lowerAscii(c);
    }
    return scratch;
}

} // namespace saker::http
