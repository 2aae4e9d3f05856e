// An exchange over HTTP/1. The connection parses requests into a spare one of its loop; one that is retained
// owns a copy of the head and lives until it is answered and its body is read.
#pragma once

#include "http/connection_settings.h"
#include "http/exchange.h"
#include "http/h1/body_decoder.h"

#include <string>

namespace saker::http {

class H1Connection;

/// What a minimum rate is judged by, while output waits or a body is expected.
struct RateWatch {
    std::uint64_t since = 0;     ///< ms
    std::uint64_t bytesThen = 0; ///< at `since`
    std::uint64_t bytesSeen = 0; ///< at `movedAt`
    std::uint64_t movedAt = 0;   ///< ms

    static RateWatch start(std::uint64_t now, std::uint64_t bytes) { return {now, bytes, bytes, now}; }
    /// `bytes`: so far. Below the settings' minimum rate since the start, or without any progress for too
    /// long?
    bool isTooSlow(std::uint64_t now, std::uint64_t bytes, const ConnectionSettings& settings);
};

class H1Exchange final : public Exchange {
public:
    const loop::SocketAddress& peer() const override;
    const loop::SocketAddress& local() const override;
    bool isEncrypted() const override;
    std::uint64_t clientPolicy() const override;
    loop::EventLoop& loop() const override;

    Ref<Exchange> retain() override;
    bool isConnected() const override { return connection_ != nullptr; }
    void readBody(BodyReader& reader) override;

    void respond(PreparedResponse& response) override;
    void respond(ResponseHead head, BufferChain body) override;
    void respond(ResponseHead head, std::unique_ptr<BodySource> source) override;
    void respondInterim(const ResponseHead& head) override;

private:
    friend class H1Connection;

    void begin(H1Connection& connection, Ref<ConnectionSettings> settings, std::uint64_t startMicros);
    /// Copies the head's bytes, so that the receive buffer may be used again.
    void ownHead();
    /// The client is gone.
    void detach();
    bool isBodyDone() const { return head_.framing == BodyFraming::none || decoder_.isDone(); }

    H1Connection* connection_ = nullptr;
    Ref<ConnectionSettings> settings_; // those it began with: its Runtime lives at least as long
    std::string headBytes_;
    BodyDecoder decoder_;
    RateWatch bodyWatch_;
    BodyReader* reader_ = nullptr;
    std::unique_ptr<BodySource> source_;
    std::uint64_t sourceLeft_ = 0; // bytes that a source with a Content-Length still owes
    std::uint64_t bytes_ = 0;      // of the answer, head included
    std::uint64_t bodyBytes_ = 0;
    std::uint64_t startMicros_ = 0; // 0: nobody wants to know
    int status_ = 0;
    bool chunked_ = false;     // the source's bytes are framed as chunks
    bool lengthKnown_ = false; // sourceLeft_ counts
    bool continueSent_ = false;
    bool isSending_ = false; // answered, but what is sent is long or still being made
};

} // namespace saker::http
