#include "http/h2/request_text.h"

#include "base/text.h"

namespace saker::http {

namespace {

constexpr std::size_t kFieldOverhead = 4; // ": " and the line's end

} // namespace

void RequestText::begin(std::size_t most) {
    pseudo_.clear();
    method_ = path_ = authority_ = protocol_ = {};
    text_.clear();
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
    if (name.starts_with(':')) {
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
        text_.append("GET ").append(part(path_)).append(" HTTP/1.1\r\nconnection: upgrade\r\n");
        write("upgrade", part(protocol_));
    } else {
        text_.append(method).append(" ").append(method == "CONNECT" ? part(authority_) : part(path_));
        text_.append(" HTTP/1.1\r\n");
    }
    if (authority_.size != 0) {
        hostDone_ = true;
        write("host", part(authority_));
    }
}

void RequestText::write(std::string_view name, std::string_view value) {
    text_.append(name).append(": ").append(value).append("\r\n");
}

bool RequestText::complete() {
    if (!lineDone_) {
        writeLine();
    }
    if (!cookies_.empty()) {
        write("cookie", cookies_);
    }
    text_.append("\r\n");
    return !hostsDiffer_ && !isTooLarge();
}

} // namespace saker::http
