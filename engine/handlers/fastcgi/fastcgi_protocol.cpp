#include "handlers/fastcgi/fastcgi_protocol.h"

#include "handlers/fastcgi/cgi_head.h"
#include "http/status.h"

#include <algorithm>

#include <fmt/format.h>

namespace saker::fastcgi {

namespace {

using upstream::ReplyEvent;
using Kind = ReplyEvent::Kind;

// Records that carry nothing cost time and can go on for ever.
constexpr std::uint32_t kMaxEmptyRecords = 256;
// Output that nobody is to get (of HEAD, behind Content-Length, STDERR beyond its limit): read this far, so
// that the connection can be used again.
constexpr std::uint64_t kMaxDropped = std::uint64_t{1} << 20U;

} // namespace

FastCgiProtocol::FastCgiProtocol(http::Method method, std::string variables, const FastCgiLimits& limits)
    : variables_(std::move(variables)), limits_(limits), collector_(limits.head.maxHead),
      isHeadRequest_(method == http::Method::head), isIdempotent_(http::isIdempotent(method)) {}

// ---- the request ----

void FastCgiProtocol::begin(const upstream::RequestBody& body, BufferChain& out) {
    records_ = RecordDecoder();
    collector_.reset();
    reply_ = {};
    failure_ = {};
    endFilled_ = 0;
    errorText_ = 0;
    emptyRecords_ = 0;
    dropped_ = 0;
    bodyLeft_.reset();
    phase_ = Phase::head;
    hasHead_ = false;
    hasBody_ = true;
    isClean_ = false;
    requestEnded_ = body.kind == upstream::RequestBody::Kind::none;

    std::string bytes;
    bytes.reserve(variables_.size() + 128);
    appendBeginRequest(bytes);
    appendStream(RecordType::params, variables_, bytes);
    if (body.kind == upstream::RequestBody::Kind::length) {
        std::string pair;
        appendPair("CONTENT_LENGTH", fmt::format("{}", body.length), pair);
        appendStream(RecordType::params, pair, bytes);
    }
    appendStreamEnd(RecordType::params, bytes);
    if (requestEnded_) {
        appendStreamEnd(RecordType::stdinput, bytes);
    }
    out.append(std::move(bytes));
}

void FastCgiProtocol::encodeBody(BufferChain& data, BufferChain& out) {
    appendStream(RecordType::stdinput, data, out);
}

void FastCgiProtocol::encodeEnd(BufferChain& out) {
    std::string bytes;
    appendStreamEnd(RecordType::stdinput, bytes);
    out.append(std::move(bytes));
    requestEnded_ = true;
}

void FastCgiProtocol::encodeAbort(BufferChain& out) {
    std::string bytes;
    appendAbortRequest(bytes);
    out.append(std::move(bytes));
}

// ---- the reply ----

ReplyEvent FastCgiProtocol::next(std::string_view input) {
    std::size_t at = 0;
    while (phase_ != Phase::failed && phase_ != Phase::done) {
        RecordDecoder::Step step = records_.next(input.substr(at));
        at += step.consumed;
        ReplyEvent event;
        switch (step.state) {
        case RecordDecoder::State::more:
            return {Kind::more, at};
        case RecordDecoder::State::failed:
            event = fail(502, records_.error());
            break;
        case RecordDecoder::State::recordEnd:
            event = endRecord(step);
            break;
        case RecordDecoder::State::content: {
            const std::size_t size = step.content.size();
            event = takeContent(step);
            at -= size - step.content.size(); // what was not used comes again
            break;
        }
        }
        if (event.kind != Kind::more) {
            event.consumed = at;
            return event;
        }
    }
    return {phase_ == Phase::failed ? Kind::failed : Kind::end, at};
}

/// `step.content` is shortened to what was used.
ReplyEvent FastCgiProtocol::takeContent(RecordDecoder::Step& step) {
    emptyRecords_ = 0;
    if (step.type == RecordType::stdoutput) {
        return takeOutput(step);
    }
    if (step.type == RecordType::stderror) {
        const std::string_view text = step.content.substr(0, limits_.maxErrorText - errorText_);
        errorText_ += static_cast<std::uint32_t>(text.size());
        if (!drop(step.content.size() - text.size())) {
            return fail(502, "it keeps writing to STDERR");
        }
        return {text.empty() ? Kind::more : Kind::errorText, 0, text};
    }
    if (step.content.size() > endBody_.size() - endFilled_) {
        return fail(502, "END_REQUEST is longer than eight bytes");
    }
    for (char c : step.content) {
        endBody_[endFilled_++] = static_cast<std::uint8_t>(c);
    }
    return {};
}

ReplyEvent FastCgiProtocol::takeOutput(RecordDecoder::Step& step) {
    if (phase_ == Phase::ended) {
        return fail(502, "output came after the end of STDOUT");
    }
    if (phase_ == Phase::head) {
        const http::HeadCollector::Step collected = collector_.next(step.content);
        if (collected.state == http::HeadCollector::State::tooLarge) {
            return fail(502,
                        fmt::format("the head of the answer is larger than {} bytes", limits_.head.maxHead));
        }
        if (collected.state == http::HeadCollector::State::more) {
            return {};
        }
        const std::string_view wrong = parseCgiHead(collected.head, limits_.head, reply_);
        if (!wrong.empty()) {
            return fail(502, fmt::format("the head of the answer cannot be read: {}", wrong));
        }
        records_.unread(step.content.size() - collected.consumed);
        step.content = step.content.substr(0, collected.consumed);
        if (http::isInformational(reply_.head.status)) {
            return {Kind::interim};
        }
        phase_ = Phase::body;
        hasHead_ = true;
        hasBody_ = !isHeadRequest_ && !http::isBodiless(reply_.head.status);
        reply_.hasBody = hasBody_;
        if (hasBody_) {
            bodyLeft_ = reply_.bodyLength;
        }
        return {Kind::head};
    }
    std::string_view data = hasBody_ ? step.content : std::string_view();
    if (bodyLeft_) {
        data = data.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(data.size(), *bodyLeft_)));
        *bodyLeft_ -= data.size();
    }
    if (!drop(step.content.size() - data.size())) {
        phase_ = Phase::done; // complete for the client; what else the program says is not worth waiting for
        return {Kind::end};
    }
    return {data.empty() ? Kind::more : Kind::body, 0, data};
}

bool FastCgiProtocol::drop(std::size_t bytes) {
    dropped_ += bytes;
    return dropped_ <= kMaxDropped;
}

ReplyEvent FastCgiProtocol::endRecord(const RecordDecoder::Step& step) {
    if (step.type == RecordType::endRequest) {
        return endFilled_ == endBody_.size() ? endRequest()
                                             : fail(502, "END_REQUEST is shorter than eight bytes");
    }
    if (step.length == 0) {
        if (step.type == RecordType::stdoutput) {
            phase_ = Phase::ended;
        }
        if (++emptyRecords_ > kMaxEmptyRecords) {
            return fail(502, "it sends nothing but empty records");
        }
    }
    return {};
}

ReplyEvent FastCgiProtocol::endRequest() {
    const unsigned status = endBody_[4];
    if (status == 2) {
        return fail(503, "the FastCGI server is overloaded, it says");
    }
    if (status != 0) {
        return fail(502, fmt::format("the FastCGI server refuses the request (protocol status {})", status));
    }
    isClean_ = true;
    return finish();
}

ReplyEvent FastCgiProtocol::finish() {
    if (phase_ == Phase::failed) {
        return {Kind::failed};
    }
    const std::string_view how = isClean_ ? "the request ended" : "the connection was closed";
    if (!hasHead_) {
        return fail(502, fmt::format("{} before the head of the answer", how));
    }
    if (bodyLeft_ && *bodyLeft_ > 0) {
        return fail(502,
                    fmt::format("{} {} bytes before the end that Content-Length promised", how, *bodyLeft_));
    }
    if (!isClean_ && phase_ == Phase::body && !bodyLeft_ && hasBody_) {
        return fail(502, "the connection was closed in the middle of the answer");
    }
    phase_ = Phase::done;
    return {Kind::end};
}

ReplyEvent FastCgiProtocol::fail(int status, std::string message) {
    phase_ = Phase::failed;
    failure_ = {status, std::move(message)};
    return {Kind::failed};
}

} // namespace saker::fastcgi
