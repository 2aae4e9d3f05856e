#include "handlers/proxy/http_protocol.h"

#include "http/h1/response_encoder.h"
#include "http/status.h"

#include <algorithm>

#include <fmt/format.h>

namespace saker::proxy {

namespace {

using upstream::ReplyEvent;
using upstream::RequestBody;
using Kind = ReplyEvent::Kind;

constexpr std::uint32_t kMaxInterims = 32; // before the final answer

bool usuallyHasBody(http::Method method) {
    return method == http::Method::post || method == http::Method::put || method == http::Method::patch;
}

} // namespace

HttpProtocol::HttpProtocol(const Asked& asked, std::string head, const http::ReplyLimits& limits)
    : asked_(asked), head_(std::move(head)), limits_(limits), collector_(limits.maxHead) {}

// ---- the request ----

void HttpProtocol::begin(const RequestBody& body, BufferChain& out) {
    collector_.reset();
    parsed_ = {};
    failure_ = {};
    trailerText_.clear();
    trailers_.clear();
    interims_ = 0;
    phase_ = Phase::head;
    requestEnded_ = body.kind == RequestBody::Kind::none;
    isChunkedRequest_ = body.kind == RequestBody::Kind::unknown;

    std::string bytes;
    bytes.reserve(head_.size() + 64);
    bytes = head_;
    if (isChunkedRequest_) {
        http::appendFraming({http::ResponseFraming::Kind::chunked, 0}, bytes);
    } else if (body.kind == RequestBody::Kind::length || usuallyHasBody(asked_.method)) {
        http::appendFraming({http::ResponseFraming::Kind::length, body.length}, bytes);
    }
    bytes += "\r\n";
    out.append(std::move(bytes));
}

void HttpProtocol::encodeBody(BufferChain& data, BufferChain& out) {
    if (isChunkedRequest_ && !data.empty()) {
        char head[http::kChunkHeadSize];
        out.append(std::string(head, http::writeChunkHead(data.size(), head)));
        out.append(std::move(data));
        out.appendStatic(http::kChunkEnd);
    } else {
        out.append(std::move(data));
    }
    data.clear();
}

void HttpProtocol::encodeEnd(BufferChain& out) {
    requestEnded_ = true;
    if (isChunkedRequest_) {
        out.appendStatic(http::kLastChunk);
    }
}

void HttpProtocol::encodeAbort(BufferChain&) {
    // Closing the connection says it.
}

// ---- the reply ----

ReplyEvent HttpProtocol::next(std::string_view input) {
    switch (phase_) {
    case Phase::head:
        return takeHeadBytes(input);
    case Phase::body:
        return takeBody(input);
    case Phase::untilClose:
        return {input.empty() ? Kind::more : Kind::body, input.size(), input};
    case Phase::done:
        return {Kind::end};
    case Phase::upgraded:
        return {Kind::upgraded};
    case Phase::failed:
        break;
    }
    return {Kind::failed};
}

ReplyEvent HttpProtocol::takeHeadBytes(std::string_view input) {
    std::size_t at = 0;
    for (;;) {
        const http::HeadCollector::Step step = collector_.next(input.substr(at));
        at += step.consumed;
        if (step.state == http::HeadCollector::State::more) {
            return {Kind::more, at};
        }
        ReplyEvent event =
            step.state == http::HeadCollector::State::tooLarge
                ? fail(fmt::format("the head of the answer is larger than {} bytes", limits_.maxHead))
                : takeHeadText(step.head);
        if (event.kind != Kind::more) {
            event.consumed = at;
            return event;
        }
    }
}

/// `more` for a head that nobody is to see.
ReplyEvent HttpProtocol::takeHeadText(std::string_view text) {
    const std::string wrong = parseReplyHead(text, asked_, limits_, parsed_);
    if (!wrong.empty()) {
        return fail("the answer cannot be read: " + wrong);
    }
    const int status = parsed_.reply.head.status;
    if (status == 101) {
        phase_ = Phase::upgraded;
        return {Kind::upgraded};
    }
    if (http::isInformational(status)) {
        if (++interims_ > kMaxInterims) {
            return fail("interim answers come without end");
        }
        // 100 (Continue) is between us and the upstream: the body is under way already.
        return {status == 100 ? Kind::more : Kind::interim};
    }
    switch (parsed_.framing.kind) {
    case ReplyFraming::Kind::none:
        phase_ = Phase::done;
        break;
    case ReplyFraming::Kind::length:
        body_.start(http::BodyFraming::length, parsed_.framing.length, 0);
        phase_ = body_.isDone() ? Phase::done : Phase::body;
        break;
    case ReplyFraming::Kind::chunked:
        body_.start(http::BodyFraming::chunked, 0, 0);
        body_.keepTrailers(trailerText_);
        phase_ = Phase::body;
        break;
    case ReplyFraming::Kind::untilClose:
        phase_ = Phase::untilClose;
        break;
    }
    return {Kind::head};
}

ReplyEvent HttpProtocol::takeBody(std::string_view input) {
    const http::BodyDecoder::Step step = body_.next(input);
    ReplyEvent event{Kind::more, step.consumed, step.data};
    switch (step.state) {
    case http::BodyDecoder::State::more:
        break;
    case http::BodyDecoder::State::data:
        event.kind = Kind::body;
        if (body_.isDone()) {
            phase_ = Phase::done;
        }
        break;
    case http::BodyDecoder::State::rejected:
        event = fail("the answer's chunks are malformed");
        event.consumed = step.consumed;
        break;
    case http::BodyDecoder::State::end: {
        const std::string_view wrong =
            http::parseFieldLines(trailerText_, http::BadLines::refuse, limits_.maxFields, trailers_);
        phase_ = Phase::done;
        event.kind = Kind::end;
        if (!wrong.empty()) {
            event = fail(fmt::format("the answer's trailer cannot be read: {}", wrong));
            event.consumed = step.consumed;
        }
        break;
    }
    }
    return event;
}

ReplyEvent HttpProtocol::finish() {
    switch (phase_) {
    case Phase::head:
        return fail(collector_.isStarted() ? "the connection was closed in the head of the answer"
                                           : "the connection was closed without an answer");
    case Phase::body:
        return fail("the connection was closed in the middle of the answer");
    case Phase::untilClose:
        phase_ = Phase::done;
        [[fallthrough]];
    case Phase::done:
        return {Kind::end};
    case Phase::upgraded:
        return {Kind::upgraded};
    case Phase::failed:
        break;
    }
    return {Kind::failed};
}

ReplyEvent HttpProtocol::fail(std::string message) {
    phase_ = Phase::failed;
    failure_ = {502, std::move(message)};
    return {Kind::failed};
}

} // namespace saker::proxy
