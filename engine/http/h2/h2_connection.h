// HTTP/2 over one transport (RFC 9113): nghttp2 keeps the frames, the header compression and the windows;
// this opens and ends streams, sends what the transport takes, and parts with clients that waste its time.
#pragma once

#include "http/h2/flood_guard.h"
#include "http/h2/h2_exchange.h"
#include "http/loop_context.h"
#include "http/outlet.h"
#include "http/request_wait.h"
#include "net/transport.h"

#include <memory>
#include <string_view>
#include <vector>

#include <nghttp2/nghttp2.h>

namespace saker::http {

class H2Loop;

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

    // ---- for exchanges ----

    net::Transport& transport() const { return transport_; }
    LoopContext& context() const { return context_; }
    H2Loop& shared() const { return shared_; }
    nghttp2_session* session() const { return session_.get(); }
    /// What the client was told when the connection began: it cannot be taken back (RFC 8441, section 3).
    bool takesExtendedConnect() const { return takesExtendedConnect_; }
    /// Sends what the client and the transport allow; nothing while something is being sent or read already,
    /// which sends it then.
    void flush();
    /// H2Exchange::resume(), soon.
    void resumeInNextTurn(std::int32_t stream);

    // ---- for SessionCallbacks: what nghttp2 reports ----

    H2Exchange& begin(std::int32_t stream);
    /// The one whose head is arriving, if it is that of a request.
    H2Exchange* arriving() const { return arriving_; }
    void dispatch(H2Exchange& exchange, bool endsStream);
    void endBody(H2Exchange& exchange);
    void end(H2Exchange& exchange);
    /// Requests whose bodies have not ended.
    bool hasUploads() const { return uploads_ > 0; }
    void onSettings() { wait_.endHead(); }
    void onPingReply();
    /// False: that is enough for one write.
    bool onDataSent(std::size_t size);
    /// Counts a frame that cost its sender little; cuts the client off when there are too many.
    void onFlood(observe::Http2Flood kind);
    bool isCutOff() const { return isCutOff_; }

private:
    struct SessionEnd {
        void operator()(nghttp2_session* session) const { nghttp2_session_del(session); }
    };
    enum class Drain : std::uint8_t {
        no,
        noticed, ///< the client knows; requests that it had sent already still arrive
        done,    ///< it was told which stream is the last one
    };

    bool open();
    void onUnreadable(int error);
    bool fill();
    bool isFinished() const;
    void sayGoodbye();
    void close();

    void onTimer() override;
    void armBy(std::uint64_t deadline);
    void goOnLater();
    void goOn();
    void watchStreams(std::uint64_t now);
    void watchIdleness(std::uint64_t now);

    net::Transport& transport_;
    LoopContext& context_;
    H2Loop& shared_;
    Outlet outlet_;
    Ref<H2Connection> self_; // until onClosed
    std::unique_ptr<nghttp2_session, SessionEnd> session_;
    StreamList streams_;
    H2Exchange* arriving_ = nullptr;
    FloodGuard guard_;
    RequestWait wait_;
    std::vector<std::int32_t> waiting_; // streams to be resumed in the next turn
    std::size_t sentInTurn_ = 0;
    std::uint32_t uploads_ = 0;
    Drain drain_ = Drain::no;
    bool isBusy_ = false;   // within a call of nghttp2
    bool isPaused_ = false; // nothing is read: what was asked for so far does not leave
    bool goesOn_ = false;   // more is to be sent in the next turn
    bool isCutOff_ = false;
    bool takesExtendedConnect_ = false;
    bool isClosed_ = false;
};

} // namespace saker::http
