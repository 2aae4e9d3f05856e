// An exchange over HTTP/2: one stream, from its first header field to its end. The connection holds it while
// the stream is open and tells it what arrives and what may be sent.
#pragma once

#include "http/connection_settings.h"
#include "http/exchange.h"
#include "http/h2/answer_body.h"
#include "http/h2/request_text.h"
#include "http/h2/response_form.h"
#include "http/rate_watch.h"
#include "http/rejection.h"
#include "http/request_account.h"

#include <string_view>

namespace saker::http {

class H2Connection;

class H2Exchange final : public Exchange {
public:
    // Exchange
    const loop::SocketAddress& peer() const override;
    const loop::SocketAddress& local() const override;
    bool isEncrypted() const override;
    std::uint64_t clientPolicy() const override;
    loop::EventLoop& loop() const override;

    Ref<Exchange> retain() override { return Ref<Exchange>(this); }
    bool isConnected() const override { return connection_ != nullptr && !isMalformed_; }
    void readBody(BodyReader& reader) override;
    void pauseBody() override { isBodyPaused_ = true; }
    void resumeBody() override;
    void discardBody() override;

    void respond(PreparedResponse& response) override;
    void respond(ResponseHead head, BufferChain body) override;
    void respond(ResponseHead head, std::unique_ptr<BodySource> source) override;
    void respondInterim(const ResponseHead& head) override;
    void upgrade(ResponseHead head, BodyReader& reader, std::unique_ptr<BodySource> source) override;

    // ---- the request, as it arrives ----

    /// For a stream that opens now.
    void begin(H2Connection& connection, std::int32_t stream);
    RequestText& text() { return text_; }
    /// The head is complete: a handler gets the request, or it is refused.
    void dispatch(bool endsStream);
    bool isDispatched() const { return isDispatched_; }
    /// The request breaks a rule of HTTP/2: the stream is reset (RFC 9113, section 8.1.1).
    void breakOff();
    bool isMalformed() const { return isMalformed_; }
    void takeBody(std::string_view bytes);
    /// Whether the stream's window stays smaller by so many bytes, as the reader pauses.
    bool holdsWindow(std::size_t size);
    void endBody();
    bool isBodyDone() const { return isBodyDone_; }
    /// Whether the rest of the body may still come once it is answered: to cut it off is a failure in the
    /// eyes of some clients.
    bool isRestWanted() const;
    /// The rest is not wanted (RFC 9113, section 8.1).
    void cutBodyOff() { reset(NGHTTP2_NO_ERROR); }
    std::int32_t stream() const { return stream_; }

    // ---- the answer, as it may be sent ----

    /// For nghttp2_data_source_read_callback.
    ssize_t pull(std::size_t most, std::uint32_t& flags);
    /// The frame that pull() spoke of.
    void put(std::string_view frameHead, std::size_t size);
    /// The body may go on after pull() had to wait.
    void resume();

    // ---- both ----

    /// Whether the client is still worth waiting for; to be asked every kWatchInterval.
    void watch(std::uint64_t now);
    /// The client sends nothing any more: what is incomplete stays so.
    void onPeerClosed();
    /// The server is about to stop.
    void drain() { tellDraining(); }
    /// The stream has closed. Returns whether it was answered to the end.
    bool end();

private:
    friend class StreamList;

    bool mayAnswer() const { return connection_ != nullptr && !answered_ && !isMalformed_; }
    Rejection readHead();
    void takePriority();
    void refuse(int status, std::string_view sentence);
    void refuse(Rejection rejection);
    void reset(std::uint32_t error);
    void detach();
    void tellBodyEnd();
    bool isNoTunnel(int status);
    void submit(ResponseForm& form, int status, bool hasBody);
    void load();
    bool isBlockedByClient() const;

    // The list of open streams.
    Ref<H2Exchange> self_;
    H2Exchange* next_ = nullptr;
    H2Exchange* previous_ = nullptr;

    H2Connection* connection_ = nullptr;
    Ref<ConnectionSettings> settings_; // those it began with: its Runtime lives at least as long
    std::int32_t stream_ = 0;
    RequestText text_;
    BodyReader* reader_ = nullptr;
    std::uint64_t received_ = 0; // of the body
    std::string heldBody_;       // came while paused: a window at most
    std::size_t unconsumed_ = 0; // bytes of it by which the stream's window stays smaller
    std::uint64_t beganAt_ = 0;  // ms
    RateWatch bodyWatch_;
    RateWatch outputWatch_;
    AnswerBody body_;
    Tally tally_;
    Ref<ResponseForm> form_; // the answer's head, while nghttp2 refers to it
    bool isDispatched_ = false;
    bool isMalformed_ = false;
    bool isBodyDone_ = false;
    bool isBodyPaused_ = false;
    bool isDeferred_ = false; // nghttp2 waits to be told that there is more
    bool isWarm_ = false;     // a worker has read the part of the file in front
    bool isAtEnd_ = false;    // all of the answer was handed to nghttp2
    bool isTunnel_ = false;
};

/// The open streams of a connection, which it holds.
class StreamList {
public:
    bool empty() const { return first_ == nullptr; }
    H2Exchange& add(Ref<H2Exchange> exchange);
    Ref<H2Exchange> remove(H2Exchange& exchange);
    H2Exchange* first() const { return first_; }
    /// The visitor must not end streams.
    template <class Visit>
    void forEach(Visit visit) {
        for (H2Exchange* one = first_; one != nullptr; one = one->next_) {
            visit(*one);
        }
    }

private:
    H2Exchange* first_ = nullptr;
};

} // namespace saker::http
