#include "http/h2/request_text.h"

#include "base/text.h"

#include <algorithm>

namespace saker::http {

namespace {

constexpr std::size_t kFieldOverhead = 4; // ": " and the line's end

} // namespace

void RequestText::begin(std::size_t most) {
    pseudo_.clear();
    method_ = path_ = authority_ = protocol_ = {};
    used_ = 0;
    cookies_.clear();
    most_ = most;
    size_ = 0;
    lineDone_ = hostDone_ = hostsDiffer_ = false;
}

void RequestText::addField(std::string_view name, std::string_view value) {
    size_ += name.size() + value.size() + kFieldOverhead;
    if (isTooLarge()) {
        return;
    }
    if (!lineDone_ && name.starts_with(':')) {
        addPseudoField(name, value);
        return;
    }
    if (!lineDone_) {
        writeLine();
    }
    if (name == "host") {
        addHost(value);
    } else if (name == "cookie") { // RFC 9113, section 8.2.3
        if (!cookies_.empty()) {
            cookies_ += "; ";
        }
        cookies_ += value;
    } else {
        write(name, value);
    }
}

void RequestText::addPseudoField(std::string_view name, std::string_view value) {
    Part* part = name == ":path"        ? &path_
                 : name == ":method"    ? &method_
                 : name == ":authority" ? &authority_
                 : name == ":protocol"  ? &protocol_
                                        : nullptr;
    if (part != nullptr) {
        *part = {static_cast<std::uint32_t>(pseudo_.size()), static_cast<std::uint32_t>(value.size())};
        pseudo_ += value;
    }
}

/// RFC 9113, section 8.3.1: it may only repeat the authority.
void RequestText::addHost(std::string_view value) {
    if (!hostDone_) {
        hostDone_ = true;
        write("host", value);
    } else {
        hostsDiffer_ = hostsDiffer_ || !equalsIgnoreCase(part(authority_), value);
    }
}

/// The request line, and Host when it is known.
void RequestText::writeLine() {
    lineDone_ = true;
    const std::string_view method = part(method_);
    if (protocol_.size != 0) { // RFC 8441: what HTTP/1 says with Upgrade
        writeAll(
            {"GET ", part(path_), " HTTP/1.1\r\nconnection: upgrade\r\nupgrade: ", part(protocol_), "\r\n"});
    } else {
        writeAll({method, " ", method == "CONNECT" ? part(authority_) : part(path_), " HTTP/1.1\r\n"});
    }
    if (authority_.size != 0) {
        hostDone_ = true;
        write("host", part(authority_));
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
    if (!lineDone_) {
        writeLine();
    }
    if (!cookies_.empty()) {
        write("cookie", cookies_);
    }
    writeAll({"\r\n"});
    return !hostsDiffer_ && !isTooLarge();
}

} // namespace saker::http
