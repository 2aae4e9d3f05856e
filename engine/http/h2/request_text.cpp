#include "http/h2/request_text.h"

#include "base/text.h"
#include "http/chars.h"
#include "http/h1/scan.h"

#include <algorithm>

namespace saker::http {

namespace {

constexpr std::size_t kFieldOverhead = 4; // ": " and the line's end

constexpr bool isBlank(char c) {
    return c == ' ' || c == '\t';
}

/// RFC 9113, section 8.2.1.
bool isName(std::string_view name) {
    return std::all_of(name.begin(), name.end(), [](char c) { return isChar(c, chars::kLowerToken); }) &&
           !name.empty();
}

bool isValue(std::string_view value) {
    const char* end = value.data() + value.size();
    return value.empty() || (!isBlank(value.front()) && !isBlank(value.back()) &&
                             scan::findValueEnd(value.data(), value.data(), end) == end);
}

/// Fields about a connection have no meaning here (RFC 9113, section 8.2.2).
bool isForbidden(std::string_view name, std::string_view value) {
    switch (name.size()) {
    case 2:
        return name == "te" && value != "trailers";
    case 7:
        return name == "upgrade";
    case 10:
        return name == "connection" || name == "keep-alive";
    case 16:
        return name == "proxy-connection";
    case 17:
        return name == "transfer-encoding";
    default:
        return false;
    }
}

} // namespace

void RequestText::begin(std::size_t most, bool takesProtocol) {
    pseudo_.clear();
    cookies_.clear();
    parts_ = {};
    priority_ = {};
    most_ = most;
    used_ = size_ = 0;
    seen_ = 0;
    takesProtocol_ = takesProtocol;
    isLineDone_ = isHostDone_ = isMalformed_ = false;
}

void RequestText::addField(std::string_view name, std::string_view value) {
    size_ += name.size() + value.size() + kFieldOverhead;
    if (isTooLarge() || isMalformed_) {
        return;
    }
    if (!isValue(value)) {
        isMalformed_ = true;
        return;
    }
    if (name.starts_with(':')) {
        addPseudoField(name, value);
        return;
    }
    if (!isLineDone_) {
        writeLine();
    }
    if (!isName(name) || isForbidden(name, value)) {
        isMalformed_ = true;
    } else if (name == "host") {
        addHost(value);
    } else if (name == "cookie") { // RFC 9113, section 8.2.3
        if (!cookies_.empty()) {
            cookies_ += "; ";
        }
        cookies_ += value;
    } else {
        write(name, value);
        if (name == "priority") {
            priority_ = {static_cast<std::uint32_t>(used_ - value.size() - 2),
                         static_cast<std::uint32_t>(value.size())};
        }
    }
}

/// RFC 9113, section 8.3: known ones, once, in front of all others.
void RequestText::addPseudoField(std::string_view name, std::string_view value) {
    Pseudo which = kPseudoCount;
    if (name == ":path") {
        which = kPath;
    } else if (name == ":method") {
        which = kMethod;
    } else if (name == ":scheme") {
        which = kScheme;
    } else if (name == ":authority") {
        which = kAuthority;
    } else if (name == ":protocol" && takesProtocol_) {
        which = kProtocol;
    }
    if (isLineDone_ || which == kPseudoCount || has(which)) {
        isMalformed_ = true;
        return;
    }
    seen_ |= static_cast<std::uint8_t>(1U << which);
    parts_[which] = {static_cast<std::uint32_t>(pseudo_.size()), static_cast<std::uint32_t>(value.size())};
    pseudo_ += value;
}

/// RFC 9113, section 8.3.1: it may only repeat the authority.
void RequestText::addHost(std::string_view value) {
    if (!isHostDone_) {
        isHostDone_ = true;
        isMalformed_ = value.empty();
        write("host", value);
    } else {
        isMalformed_ = isMalformed_ || !has(kAuthority) || !equalsIgnoreCase(part(kAuthority), value);
    }
}

/// The request line, and Host when it is known.
void RequestText::writeLine() {
    isLineDone_ = true;
    const std::string_view method = part(kMethod);
    const std::string_view path = part(kPath);
    const bool isConnect = method == "CONNECT";
    // RFC 9113, sections 8.3.1 and 8.5; RFC 8441, section 4.
    const bool isPlainConnect = isConnect && !has(kProtocol);
    const bool isPath = path.starts_with('/') || (path == "*" && method == "OPTIONS");
    if (!isToken(method) || (has(kProtocol) && (!isConnect || !isToken(part(kProtocol)))) ||
        (isPlainConnect ? has(kScheme) || has(kPath) : !isPath || part(kScheme).empty()) ||
        (isConnect && !has(kAuthority)) || (has(kAuthority) && part(kAuthority).empty())) {
        isMalformed_ = true;
        return;
    }
    if (isPlainConnect) {
        writeAll({"CONNECT ", part(kAuthority), " HTTP/1.1\r\n"});
    } else if (isConnect) { // what HTTP/1 says with Upgrade
        writeAll({"GET ", path, " HTTP/1.1\r\nconnection: upgrade\r\nupgrade: ", part(kProtocol), "\r\n"});
    } else {
        writeAll({method, " ", path, " HTTP/1.1\r\n"});
    }
    if (has(kAuthority)) {
        isHostDone_ = true;
        write("host", part(kAuthority));
    }
}

void RequestText::write(std::string_view name, std::string_view value) {
    writeAll({name, ": ", value, "\r\n"});
}

void RequestText::writeAll(std::initializer_list<std::string_view> parts) {
    std::size_t size = used_;
    for (const std::string_view part : parts) {
        size += part.size();
    }
    if (text_.size() < size) {
        text_.resize(size + size / 2);
    }
    char* to = text_.data() + used_;
    for (const std::string_view part : parts) {
        to = std::copy(part.begin(), part.end(), to);
    }
    used_ = size;
}

bool RequestText::complete() {
    if (!isLineDone_) {
        writeLine();
    }
    if (!cookies_.empty()) {
        write("cookie", cookies_);
    }
    writeAll({"\r\n"});
    return !isMalformed_ && !isTooLarge();
}

} // namespace saker::http
