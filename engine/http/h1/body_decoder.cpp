#include "http/h1/body_decoder.h"

#include "base/text.h"
#include "http/chars.h"

#include <algorithm>
#include <limits>

namespace saker::http {

namespace {

constexpr std::uint8_t kMaxDigits = 16; // leading zeros count
constexpr std::uint16_t kMaxExtensions = 4096;
constexpr std::uint16_t kMaxTrailer = 8192;

} // namespace

void BodyDecoder::start(BodyFraming framing, std::uint64_t contentLength, std::uint64_t maxBody) {
    *this = BodyDecoder();
    maxBody_ = maxBody != 0 ? maxBody : std::numeric_limits<std::uint64_t>::max();
    if (framing == BodyFraming::chunked) {
        phase_ = Phase::size;
    } else if (framing == BodyFraming::length && contentLength > 0) {
        phase_ = Phase::length;
        left_ = contentLength;
        if (contentLength > maxBody_) {
            fail(Rejection::bodyTooLarge, 0);
        }
    }
}

BodyDecoder::Step BodyDecoder::next(std::string_view input) {
    if (phase_ == Phase::length) {
        return takeData(input, 0, Phase::done);
    }
    std::size_t at = 0;
    while (phase_ != Phase::done && phase_ != Phase::failed) {
        if (phase_ == Phase::chunk) {
            return takeData(input, at, Phase::chunkCr);
        }
        if (at == input.size()) {
            return {State::more, at, {}};
        }
        Rejection rejection = takeFraming(input[at]);
        if (rejection != Rejection::none) {
            return fail(rejection, at);
        }
        ++at;
    }
    return {phase_ == Phase::done ? State::end : State::rejected, at, {}};
}

BodyDecoder::Step BodyDecoder::fail(Rejection rejection, std::size_t consumed) {
    phase_ = Phase::failed;
    rejection_ = rejection;
    return {State::rejected, consumed, {}};
}

BodyDecoder::Step BodyDecoder::takeData(std::string_view input, std::size_t at, Phase after) {
    std::string_view data = input.substr(at);
    data = data.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(data.size(), left_)));
    if (data.empty()) {
        return {State::more, at, {}};
    }
    left_ -= data.size();
    received_ += data.size();
    if (left_ == 0) {
        phase_ = after;
    }
    return {State::data, at + data.size(), data};
}

/// One byte that is not data.
Rejection BodyDecoder::takeFraming(char c) {
    auto expect = [this, c](char wanted, Phase after) {
        phase_ = after;
        return c == wanted ? Rejection::none : Rejection::badChunk;
    };
    switch (phase_) {
    case Phase::size:
        return takeSizeDigit(c);
    case Phase::extension:
        if (c == '\r') {
            phase_ = Phase::sizeLf;
            return Rejection::none;
        }
        return isChar(c, chars::kValueStop) || ++overhead_ > kMaxExtensions ? Rejection::badChunk
                                                                            : Rejection::none;
    case Phase::sizeLf:
        return c == '\n' ? beginChunk() : Rejection::badChunk;
    case Phase::chunkCr:
        return expect('\r', Phase::chunkLf);
    case Phase::chunkLf:
        return expect('\n', Phase::size);
    case Phase::trailerLf:
        keep(c);
        return expect('\n', Phase::trailerStart);
    case Phase::lastLf:
        return expect('\n', Phase::done);
    default:
        break;
    }

    if (++overhead_ > kMaxTrailer) {
        return Rejection::headTooLarge;
    }
    if (phase_ != Phase::trailerStart || c != '\r') {
        keep(c);
    }
    if (phase_ == Phase::trailerValue) {
        if (c == '\r') {
            phase_ = Phase::trailerLf;
            return Rejection::none;
        }
        return isChar(c, chars::kValueStop) ? Rejection::badField : Rejection::none;
    }
    bool isStart = phase_ == Phase::trailerStart;
    if (isStart && c == '\r') {
        phase_ = Phase::lastLf;
        return Rejection::none;
    }
    if (!isStart && c == ':') {
        phase_ = Phase::trailerValue;
        return Rejection::none;
    }
    phase_ = Phase::trailerName;
    return isChar(c, chars::kToken) ? Rejection::none : Rejection::badField;
}

void BodyDecoder::keep(char c) {
    if (trailers_ != nullptr) {
        *trailers_ += c;
    }
}

Rejection BodyDecoder::takeSizeDigit(char c) {
    int digit = hexValue(c);
    if (digit >= 0) {
        if (++digits_ > kMaxDigits ||
            left_ > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) >> 4U) {
            return Rejection::badChunk;
        }
        left_ = left_ << 4U | static_cast<unsigned>(digit);
        return Rejection::none;
    }
    if (digits_ == 0 || (c != '\r' && c != ';')) {
        return Rejection::badChunk;
    }
    phase_ = c == '\r' ? Phase::sizeLf : Phase::extension;
    return Rejection::none;
}

/// The size line has ended.
Rejection BodyDecoder::beginChunk() {
    digits_ = 0;
    if (left_ == 0) {
        overhead_ = 0;
        phase_ = Phase::trailerStart;
        return Rejection::none;
    }
    if (left_ > maxBody_ - received_) {
        return Rejection::bodyTooLarge;
    }
    // Tiny chunks with long extensions would cost much and carry nothing: only data earn room for more of
    // them.
    overhead_ -= static_cast<std::uint16_t>(std::min<std::uint64_t>(overhead_, left_));
    phase_ = Phase::chunk;
    return Rejection::none;
}

} // namespace saker::http
