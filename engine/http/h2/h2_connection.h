// HTTP/2 over one transport (RFC 9113): nghttp2 keeps the frames, the header compression and the windows;
// this turns streams into exchanges, pulls bodies as the windows allow, and ends clients that waste its time.
#pragma once

#include "http/h2/flood_guard.h"
#include "http/h2/h2_exchange.h"
#include "http/loop_context.h"
#include "net/transport.h"

#include <array>
#include <memory>
#include <string>
#include <vector>

#include <nghttp2/nghttp2.h>

namespace saker::http {

class H2Connection final : public RefCounted,
                           public net::TransportUser,
                           public ConnectionNode,
                           private loop::Timer {
public:
    /// On a transport whose client chose h2 (RFC 7301).
    static void start(net::Transport& transport, LoopContext& context);
    /// Goes on for `before`, with all that the client has sent; see LoopContext::Http2Starter.
    static void takeOver(net::Transport& transport, LoopContext& context, ConnectionNode& before,
                         std::string_view received);

    H2Connection(net::Transport& transport, LoopContext& context);
    ~H2Connection() override;

    // net::TransportUser
    void onData(std::span<const char> bytes) override;
    void onPeerClosed() override;
    void onDrained() override;
    void onBroken(int error) override;
    void onClosed() override;

    // ConnectionNode
    void drain() override;
    void abort() override;

private:
    friend class H2Exchange;
    struct Callbacks; // nghttp2's, as functions without state
    struct SessionEnd {
        void operator()(nghttp2_session* session) const { nghttp2_session_del(session); }
    };

    bool open();
    void onTimer() override;
    void armBy(std::uint64_t deadline);
    void watch(H2Exchange& exchange, std::uint64_t now);

    // requests
    H2Exchange* begin(std::int32_t stream);
    void dispatch(H2Exchange& exchange, bool endsStream);
    void refuse(H2Exchange& exchange, int status, std::string_view sentence);
    void endBody(H2Exchange& exchange);
    void takeBody(H2Exchange& exchange, std::string_view bytes);
    void resumeBody(H2Exchange& exchange);
    void end(H2Exchange& exchange);
    void flood(FloodGuard::Event event);

    // answers; called by H2Exchange
    void answer(H2Exchange& exchange, PreparedResponse& response);
    void answer(H2Exchange& exchange, ResponseHead& head, BufferChain& body);
    void answer(H2Exchange& exchange, ResponseHead& head, std::unique_ptr<BodySource> source);
    void answerInterim(H2Exchange& exchange, const ResponseHead& head);
    void submit(H2Exchange& exchange, int status, const std::vector<nghttp2_nv>& fields, bool hasBody);
    void resume(H2Exchange& exchange);

    // output
    ssize_t pull(H2Exchange& exchange, std::size_t most, std::uint32_t& flags);
    void put(H2Exchange& exchange, const std::uint8_t* frameHead, std::size_t size);
    bool isFull() const;
    void loadColdFile(H2Exchange& exchange);
    void flush();
    void goOnLater();
    void close();

    net::Transport& transport_;
    LoopContext& context_;
    Ref<H2Connection> self_; // until onClosed
    std::unique_ptr<nghttp2_session, SessionEnd> session_;
    std::vector<Ref<H2Exchange>> active_;
    std::vector<Ref<H2Exchange>> spares_; // ended ones, while others are active
    std::string output_;                  // frames
    std::string fileBytes_;               // read for the next DATA frame, where it comes from a file
    FloodGuard guard_;
    std::uint64_t activeAt_;            // ms: last byte in, or last stream ended
    RateWatch outputWatch_;             // while isWriting_
    std::vector<std::int32_t> waiting_; // streams to be resumed in the next turn
    std::size_t sentInTurn_ = 0;
    std::size_t lastOutput_ = 0; // how much room frames took lately
    bool isProcessing_ = false;
    bool isWriting_ = false; // onDrained will come
    bool goesOn_ = false;    // more is to be sent in the next turn
    bool isDraining_ = false;
    bool goneAway_ = false; // the client was told which stream is the last one
    bool isClosed_ = false;
};

} // namespace saker::http
