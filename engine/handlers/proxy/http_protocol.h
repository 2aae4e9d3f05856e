// HTTP/1.1 as an upstream protocol: one request and its reply.
#pragma once

#include "handlers/proxy/reply_head.h"
#include "http/h1/body_decoder.h"
#include "http/h1/head_collector.h"
#include "upstream/upstream_protocol.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace saker::proxy {

class HttpProtocol final : public upstream::UpstreamProtocol {
public:
    /// `head`: of appendProxyHead().
    HttpProtocol(const Asked& asked, std::string head, const http::ReplyLimits& limits = {});

    bool needsLength() const override { return false; }
    bool isIdempotent() const override { return http::isIdempotent(asked_.method); }
    void begin(const upstream::RequestBody& body, BufferChain& out) override;
    void encodeBody(BufferChain& data, BufferChain& out) override;
    void encodeEnd(BufferChain& out) override;
    void encodeAbort(BufferChain& out) override;

    upstream::ReplyEvent next(std::string_view input) override;
    upstream::ReplyEvent finish() override;
    upstream::ReplyHead takeHead() override { return std::move(parsed_.reply); }
    const std::vector<http::ResponseHead::Field>& trailers() const override { return trailers_; }
    const upstream::ReplyFailure& failure() const override { return failure_; }
    bool isReusable() const override { return phase_ == Phase::done && parsed_.keepAlive && requestEnded_; }

private:
    enum class Phase : std::uint8_t { head, body, untilClose, done, upgraded, failed };
    using Event = upstream::ReplyEvent;

    Event fail(std::string message);
    Event takeHeadBytes(std::string_view input);
    Event takeHeadText(std::string_view text);
    Event takeBody(std::string_view input);

    Asked asked_;
    std::string head_;
    http::ReplyLimits limits_;
    http::HeadCollector collector_;
    http::BodyDecoder body_;
    ParsedReply parsed_;
    upstream::ReplyFailure failure_;
    std::string trailerText_;
    std::vector<http::ResponseHead::Field> trailers_;
    std::uint32_t interims_ = 0;
    Phase phase_ = Phase::head;
    bool isChunkedRequest_ = false;
    bool requestEnded_ = false;
};

} // namespace saker::proxy
