// An exchange over HTTP/1: turns its answer into bytes; the connection decides on the order and the end of
// exchanges. Requests are parsed into a spare one of the loop; one that is retained owns a copy of the head
// and lives until it is answered and its body is read.
#pragma once

#include "http/exchange.h"
#include "http/h1/body_decoder.h"
#include "http/h1/response_encoder.h"
#include "http/outgoing_body.h"
#include "http/rate_watch.h"
#include "http/request_account.h"

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
    void upgrade(ResponseHead head, BodyReader& reader, std::unique_ptr<BodySource> source) override;

private:
    friend class H1Connection;

    void begin(H1Connection& connection, Ref<ConnectionSettings> settings, const Tally& tally);
    /// Copies the head's bytes, so that the receive buffer may be used again.
    void ownHead();
    /// The client is gone.
    void detach();
    /// Nothing more of the client's bytes belongs to it.
    bool isBodyDone() const {
        return isTunnel_ ? isTunnelInputDone_ : head_.framing == BodyFraming::none || decoder_.isDone();
    }
    bool isHeldBack() const { return head_.expectsContinue && !continueSent_; }
    /// Whether the rest of the body is worth reading for the sake of the connection, once it is answered:
    /// without its 100 it may never come, and a long one costs more than a new connection.
    bool isRestWanted() const;
    /// The same in hindsight, of a body without a known length.
    bool hasDiscardedEnough() const;
    /// Decodes some of the request's body for its reader; returns the bytes used, 0 when more are needed.
    std::size_t feed(std::string_view input);
    /// The client has finished sending into the tunnel.
    void endTunnelInput();
    /// REQUIRES: source_. Appends some of the answer's body, framed.
    BodySource::Pull pullBody(BufferChain& out);
    void addStrictTransport(ResponseHead& head) const;
    /// Renders the answer's head into the loop's scratch chain; returns its size.
    std::uint64_t appendHead(const ResponseHead& head, const ResponseFraming& framing);
    /// Ends the connection's part in it.
    void account();

    H1Connection* connection_ = nullptr;
    Ref<ConnectionSettings> settings_; // those it began with: its Runtime lives at least as long
    std::string headBytes_;
    BodyDecoder decoder_;
    RateWatch bodyWatch_;
    BodyReader* reader_ = nullptr;
    OutgoingBody source_; // of the answer, when it is made on the way
    Tally tally_;
    bool isChunked_ = false; // the answer's body is framed as chunks
    bool continueSent_ = false;
    bool isBodyPaused_ = false;
    bool isSending_ = false; // answered, but what is sent is long or still being made
    bool isTunnel_ = false;
    bool isTunnelInputDone_ = false; // its end has come, or nobody wants more
    std::uint64_t tunnelReceived_ = 0;
};

} // namespace saker::http
