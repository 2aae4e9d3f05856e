#include "handlers/fastcgi/fastcgi_record.h"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

namespace saker::fastcgi {

namespace {

constexpr char kRoleResponder = 1;
constexpr char kKeepConnection = 1;

void appendLength(std::size_t length, std::string& out) {
    if (length < 128) {
        out += static_cast<char>(length);
        return;
    }
    out += static_cast<char>(length >> 24U | 0x80U);
    out += static_cast<char>(length >> 16U);
    out += static_cast<char>(length >> 8U);
    out += static_cast<char>(length);
}

} // namespace

void appendHeader(RecordType type, std::size_t contentLength, std::string& out) {
    assert(contentLength <= kMaxContent);
    const char header[kHeaderSize] = {static_cast<char>(kVersion),
                                      static_cast<char>(type),
                                      static_cast<char>(kRequestId >> 8U),
                                      static_cast<char>(kRequestId),
                                      static_cast<char>(contentLength >> 8U),
                                      static_cast<char>(contentLength),
                                      0,
                                      0};
    out.append(header, sizeof header);
}

void appendBeginRequest(std::string& out) {
    appendHeader(RecordType::beginRequest, 8, out);
    const char body[8] = {0, kRoleResponder, kKeepConnection, 0, 0, 0, 0, 0};
    out.append(body, sizeof body);
}

void appendAbortRequest(std::string& out) {
    appendHeader(RecordType::abortRequest, 0, out);
}

void appendStream(RecordType type, std::string_view content, std::string& out) {
    while (!content.empty()) {
        const std::string_view part = content.substr(0, kMaxContent);
        appendHeader(type, part.size(), out);
        out += part;
        content.remove_prefix(part.size());
    }
}

void appendStreamEnd(RecordType type, std::string& out) {
    appendHeader(type, 0, out);
}

void appendStream(RecordType type, BufferChain& content, BufferChain& out) {
    for (std::size_t i = 0; i < content.pieceCount(); ++i) {
        const Piece& piece = content.piece(i);
        for (std::uint64_t at = 0; at < piece.size;) {
            const std::uint64_t size = std::min<std::uint64_t>(piece.size - at, kMaxContent);
            std::string header;
            appendHeader(type, static_cast<std::size_t>(size), header);
            out.append(std::move(header));
            if (piece.isFile()) {
                out.appendFile(piece.file, piece.offset + at, size);
            } else {
                out.append(std::string_view(piece.data + at, static_cast<std::size_t>(size)), piece.keeper);
            }
            at += size;
        }
    }
    content.clear();
}

void appendPair(std::string_view name, std::string_view value, std::string& out) {
    appendLength(name.size(), out);
    appendLength(value.size(), out);
    out += name;
    out += value;
}

RecordDecoder::Step RecordDecoder::next(std::string_view input) {
    std::size_t at = 0;
    while (at < input.size()) {
        switch (phase_) {
        case Phase::header:
            header_[filled_++] = static_cast<std::uint8_t>(input[at++]);
            if (filled_ == kHeaderSize && !readHeader()) {
                return fail(at, std::move(error_));
            }
            break;
        case Phase::content: {
            const std::string_view content = input.substr(at, left_);
            left_ = static_cast<std::uint16_t>(left_ - content.size());
            if (left_ == 0) {
                phase_ = Phase::padding;
                left_ = padding_;
            }
            return {State::content, at + content.size(), type_, content, length_};
        }
        case Phase::padding: {
            const std::size_t skipped = std::min<std::size_t>(left_, input.size() - at);
            left_ = static_cast<std::uint16_t>(left_ - skipped);
            at += skipped;
            break;
        }
        case Phase::failed:
            return {State::failed, at, type_};
        }
        if (phase_ == Phase::padding && left_ == 0) {
            phase_ = Phase::header;
            filled_ = 0;
            return {State::recordEnd, at, type_, {}, length_};
        }
    }
    if (phase_ == Phase::padding && left_ == 0) { // the content ended with the input before
        phase_ = Phase::header;
        filled_ = 0;
        return {State::recordEnd, at, type_, {}, length_};
    }
    return {State::more, at, type_};
}

void RecordDecoder::unread(std::size_t bytes) {
    if (bytes > 0) {
        left_ = static_cast<std::uint16_t>((phase_ == Phase::content ? left_ : 0) + bytes);
        phase_ = Phase::content;
    }
}

bool RecordDecoder::readHeader() {
    type_ = static_cast<RecordType>(header_[1]);
    const unsigned id = header_[2] << 8U | header_[3];
    length_ = static_cast<std::uint16_t>(header_[4] << 8U | header_[5]);
    padding_ = header_[6];
    if (header_[0] != kVersion) {
        error_ = fmt::format(
            "a record of FastCGI version {} came, expected version 1: is this a FastCGI server?", header_[0]);
        return false;
    }
    if (type_ != RecordType::stdoutput && type_ != RecordType::stderror && type_ != RecordType::endRequest) {
        error_ = fmt::format("a FastCGI record of type {} came, expected STDOUT, STDERR or END_REQUEST",
                             header_[1]);
        return false;
    }
    if (id != kRequestId) {
        error_ = fmt::format("a FastCGI record for request {} came, expected request {}", id, kRequestId);
        return false;
    }
    phase_ = length_ > 0 ? Phase::content : Phase::padding;
    left_ = length_ > 0 ? length_ : padding_;
    return true;
}

RecordDecoder::Step RecordDecoder::fail(std::size_t consumed, std::string message) {
    phase_ = Phase::failed;
    error_ = std::move(message);
    return {State::failed, consumed, type_};
}

} // namespace saker::fastcgi
