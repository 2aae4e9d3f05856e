// FastCGI as an upstream protocol: one request in the role of the web server, asking a responder. Always
// request id 1 with FCGI_KEEP_CONN.
#pragma once

#include "handlers/fastcgi/fastcgi_record.h"
#include "http/h1/head_collector.h"
#include "http/request.h"
#include "upstream/upstream_protocol.h"

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace saker::fastcgi {

struct FastCgiLimits {
    http::ReplyLimits head;
    std::uint32_t maxErrorText = 64 * 1024; ///< bytes of STDERR that are passed on; more are dropped
};

class FastCgiProtocol final : public upstream::UpstreamProtocol {
public:
    /// `variables`: the pairs of appendCgiVariables().
    FastCgiProtocol(http::Method method, std::string variables, const FastCgiLimits& limits = {});

    bool needsLength() const override { return true; }
    bool isIdempotent() const override { return isIdempotent_; }
    void begin(const upstream::RequestBody& body, BufferChain& out) override;
    void encodeBody(BufferChain& data, BufferChain& out) override;
    void encodeEnd(BufferChain& out) override;
    void encodeAbort(BufferChain& out) override;

    upstream::ReplyEvent next(std::string_view input) override;
    upstream::ReplyEvent finish() override;
    upstream::ReplyHead takeHead() override { return std::move(reply_); }
    const std::vector<http::ResponseHead::Field>& trailers() const override { return trailers_; }
    const upstream::ReplyFailure& failure() const override { return failure_; }
    bool isReusable() const override { return phase_ == Phase::done && isClean_ && requestEnded_; }

private:
    enum class Phase : std::uint8_t {
        head,
        body,
        ended, // STDOUT is closed
        done,
        failed
    };
    using Event = upstream::ReplyEvent;

    Event fail(int status, std::string message);
    /// These three give `more` when there is nothing to tell.
    Event takeContent(RecordDecoder::Step& step);
    Event takeOutput(RecordDecoder::Step& step);
    Event endRecord(const RecordDecoder::Step& step);
    Event endRequest();
    bool drop(std::size_t bytes);

    std::string variables_;
    FastCgiLimits limits_;
    RecordDecoder records_;
    http::HeadCollector collector_;
    upstream::ReplyHead reply_;
    upstream::ReplyFailure failure_;
    std::vector<http::ResponseHead::Field> trailers_; // there are none
    std::array<std::uint8_t, 8> endBody_{};           // of END_REQUEST
    std::uint8_t endFilled_ = 0;
    std::uint32_t errorText_ = 0;           // bytes passed on
    std::uint32_t emptyRecords_ = 0;        // in a row
    std::uint64_t dropped_ = 0;             // bytes that nobody is to get
    std::optional<std::uint64_t> bodyLeft_; // as the head promised
    Phase phase_ = Phase::head;
    bool isHeadRequest_;
    bool isIdempotent_;
    bool hasHead_ = false;
    bool hasBody_ = true;
    bool requestEnded_ = false; // STDIN is complete
    bool isClean_ = false;      // END_REQUEST has come
};

} // namespace saker::fastcgi
