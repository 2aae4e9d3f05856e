// HTTP/1.x over one transport (RFC 9112): requests in, exchanges made one after the other, answers out in
// order. A connection at rest holds no buffer: bytes are parsed where the loop received them, and only what
// is left of an incomplete or not yet wanted request is kept.
#pragma once

#include "http/h1/h1_exchange.h"
#include "http/h1/input_stash.h"
#include "http/h1/request_parser.h"
#include "http/loop_context.h"
#include "http/outlet.h"
#include "http/request_wait.h"
#include "net/transport.h"

#include <string_view>

namespace saker::http {

class H1Connection final : public RefCounted,
                           public net::TransportUser,
                           public ConnectionNode,
                           private loop::Timer {
public:
    /// Starts on the transport; the connection lives until the transport has closed.
    static void start(net::Transport& transport, LoopContext& context);

    H1Connection(net::Transport& transport, LoopContext& context);
    ~H1Connection() override;

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
    friend class H1Exchange;

    enum class Phase : std::uint8_t {
        open,
        ending, // the last answer is under way
        closed, // the transport was told to close
    };

    void onTimer() override;

    // input
    bool wantsInput() const;
    bool isBodyCutOff() const;
    void onInputCutOff();
    void consume(std::string_view bytes);
    std::size_t process(std::string_view input);
    std::size_t beginRequest(std::string_view input);
    void handOver(std::string_view received);
    void handle(H1Exchange& exchange);
    std::size_t feedBody(std::string_view input);
    void stash(std::string_view bytes);
    void resumeInput();
    void refuse(Rejection rejection, std::string_view input = {});
    void refuse(H1Exchange& exchange, int status, std::string_view sentence);
    void refuseUnread(int status, std::string_view sentence, bool withBody);

    // answers; called by H1Exchange
    Ref<Exchange> retain(H1Exchange& exchange);
    void resumeBody(H1Exchange& exchange);
    ConnectionField connectionField(H1Exchange& exchange);
    void answered(H1Exchange& exchange, int status);
    void beganTunnel(H1Exchange& exchange, int status);
    void endTunnelInput(H1Exchange& exchange);
    void finishIfDone();

    // output
    void flush();
    bool send(BufferChain& chain);
    void settle();
    void pump();
    void close();

    // time
    void armBy(std::uint64_t deadline);
    void armForRequest();
    void cutOffSlowClient();

    net::Transport& transport_;
    LoopContext& context_;
    Outlet outlet_;
    InputStash stash_;
    Ref<H1Connection> self_;  // until onClosed
    Ref<H1Exchange> current_; // retained, or with a body to read, or with a long answer under way
    RequestParser parser_;
    RequestWait wait_;
    RateWatch outputWatch_; // while isWriting_
    Phase phase_ = Phase::open;
    bool keepAlive_ = true;
    bool isFirst_ = true;  // no request was read yet
    bool lingers_ = false; // request bytes remain unread: a plain close would reset the answer away
    bool isProcessing_ = false;
    bool isPeerClosed_ = false;
};

} // namespace saker::http
