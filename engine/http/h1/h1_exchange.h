// An exchange over HTTP/1. The connection parses requests into a spare one of its loop; one that is retained
// owns a copy of the head and lives until it is answered and its body is read.
#pragma once

#include "http/exchange.h"
#include "http/h1/body_decoder.h"
#include "http/outgoing_body.h"
#include "http/rate_watch.h"

#include <string>

namespace saker::http {

class H1Connection;

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
    void pauseBody() override;
    void resumeBody() override;
    void discardBody() override;

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
    OutgoingBody source_;
    std::uint64_t bytes_ = 0; // of the answer, head included
    std::uint64_t bodyBytes_ = 0;
    std::uint64_t startMicros_ = 0; // 0: nobody wants to know
    int status_ = 0;
    bool chunked_ = false; // the source's bytes are framed as chunks
    bool continueSent_ = false;
    bool isBodyPaused_ = false;
    bool isSending_ = false; // answered, but what is sent is long or still being made
};

} // namespace saker::http
