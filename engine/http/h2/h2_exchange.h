// An exchange over HTTP/2: one stream. Its head is kept as the text of an HTTP/1.1 head, so that both
// versions are judged by one parser and look the same to handlers.
#pragma once

#include "http/connection_settings.h"
#include "http/exchange.h"
#include "http/h2/response_form.h"
#include "http/outgoing_body.h"
#include "http/rate_watch.h"

#include <string>

namespace saker::http {

class H2Connection;

class H2Exchange final : public Exchange {
public:
    const loop::SocketAddress& peer() const override;
    const loop::SocketAddress& local() const override;
    bool isEncrypted() const override;
    std::uint64_t clientPolicy() const override;
    loop::EventLoop& loop() const override;

    Ref<Exchange> retain() override { return Ref<Exchange>(this); }
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
    friend class H2Connection;

    /// As new, for another stream; keeps its storage.
    void begin(H2Connection& connection, std::int32_t stream);
    /// The stream is gone.
    void detach();
    /// A field as it arrives (RFC 9113, section 8.3.1 for those in front).
    void takeField(std::string_view name, std::string_view value, std::size_t mostBytes);
    /// Puts the head's text together. False: it cannot be one.
    bool completeText();

    H2Connection* connection_ = nullptr;
    Ref<ConnectionSettings> settings_; // those it began with: its Runtime lives at least as long
    std::int32_t stream_ = 0;
    int status_ = 0;
    std::string method_, path_, authority_, cookies_; // until the head is complete
    std::string fields_;                              // "name: value\r\n"…
    std::string text_;                                // the head
    BodyReader* reader_ = nullptr;
    std::uint64_t received_ = 0;   // of the body
    std::string heldBody_;         // came while paused, a window at most
    std::uint64_t unconsumed_ = 0; // bytes of the body by which the stream's window stays smaller
    std::uint64_t bytes_ = 0;      // of the answer, head included
    std::uint64_t bodyBytes_ = 0;
    std::uint64_t startMicros_ = 0; // 0: nobody wants to know
    std::uint64_t beganAt_ = 0;     // ms
    RateWatch bodyWatch_;
    RateWatch outputWatch_;
    BufferChain body_; // to be sent
    OutgoingBody source_;
    Ref<RefCounted> form_; // the answer's head, while nghttp2 refers to it
    bool tooLarge_ = false;
    bool badHead_ = false;
    bool isBodyDone_ = false;
    bool isBodyPaused_ = false;
    bool dispatched_ = false;
    bool deferred_ = false; // nghttp2 waits to be told that there is more
    bool warm_ = false;     // a worker has read what comes next of a file
    bool atEnd_ = false;    // all of the answer was handed to nghttp2
};

} // namespace saker::http
