// One request of a client answered by an upstream: gets a connection, sends the request, streams the reply,
// and ends in one of few ways. The state machine of all proxying; knows no protocol (upstream_protocol.h) and
// no configuration. On the exchange's loop; owns itself until it is over.
//
// Back-pressure in both directions: the client is read no faster than the upstream takes its request, the
// upstream no faster than the client takes the reply. A client that goes away ends the request at the
// upstream; the connection is closed then, never used again.
//
// A connection that was used before may be closed by the upstream at the moment it is used again. The request
// is then sent once more, over a new one, when nothing of a reply has come and nothing of the request has
// left, or sending it twice does no harm and all of it is still at hand.
//
// With TunnelTerms the request is to become a tunnel (a WebSocket). Once the upstream has agreed, bytes go
// both ways as they come, each way ends by itself, and nothing of the handler and its configuration is
// needed any more. Any other reply is one like all others.
#pragma once

#include "base/ref.h"
#include "http/exchange.h"
#include "loop/timer_wheel.h"
#include "upstream/body_spool.h"
#include "upstream/upstream_pool.h"
#include "upstream/upstream_protocol.h"
#include "upstream/web_socket_options.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace saker::upstream {

struct ExchangeOptions {
    std::uint64_t sendTimeout = 300'000; ///< ms in which the upstream takes nothing of the request; 0: none
    std::uint64_t receiveTimeout = 300'000; ///< ms in which nothing of the reply comes; 0: none
    std::uint32_t bufferReply = 0; ///< bytes of the reply collected before the client gets the first; 0: none
    std::uint32_t mostUnsent = 256 * 1024; ///< bytes of the reply that wait for a slow client
    SpoolOptions spool;                    ///< for bodies whose length has to be known first
};

/// What the handler has to say and to know about one reply. Owned by the exchange.
class ReplyHandler {
public:
    virtual ~ReplyHandler() = default;
    /// The head before the client gets it; may be changed. False: the handler answers in another way (now,
    /// or later by a reference of its own); the reply's body is not wanted.
    virtual bool onHead(http::Exchange& exchange, ReplyHead& reply) = 0;
    /// Another upstream, which may be asked instead of one that could not be reached or has lost the
    /// connection before anything of a reply: asking again does no harm then.
    struct Another {
        std::unique_ptr<UpstreamProtocol> protocol;
        Ref<UpstreamPool> pool;
    };
    virtual bool hasAnother() const { return false; }
    /// `detail`: what is wrong with the one before. Nothing: there is none left.
    virtual std::optional<Another> another(http::Exchange&, const std::string& detail) {
        static_cast<void>(detail);
        return std::nullopt;
    }
    /// The upstream agrees to a tunnel. Returns what is wrong with its head, or "".
    virtual std::string onUpgrade(http::Exchange&, ReplyHead&) { return {}; }
    /// There will be no reply (status: 502, 503 or 504); `detail` is for the log and debug pages. Answers.
    virtual void onFailure(http::Exchange& exchange, int status, const std::string& detail) = 0;
    /// The reply broke off: the client has seen a part and will notice.
    virtual void onBrokenOff(http::Exchange& exchange, const std::string& detail) = 0;
    /// What the program wrote for the operator (FastCGI's STDERR), in pieces as they came.
    virtual void onErrorText(http::Exchange& exchange, std::string_view text) = 0;
};

class UpstreamExchange final : public RefCounted,
                               private PoolWaiter,
                               private ConnectionUser,
                               private http::BodyReader,
                               private http::ExchangeWatcher,
                               private loop::Timer {
    struct Key {};

public:
    /// `exchange` is retained. Answers it, at once or later. `terms`: it asks for a tunnel; see
    /// http::Exchange::upgrade().
    static void start(Ref<http::Exchange> exchange, std::unique_ptr<UpstreamProtocol> protocol,
                      Ref<UpstreamPool> pool, std::unique_ptr<ReplyHandler> handler,
                      const ExchangeOptions& options, std::unique_ptr<TunnelTerms> terms = nullptr);

    UpstreamExchange(Key, Ref<http::Exchange> exchange, std::unique_ptr<UpstreamProtocol> protocol,
                     Ref<UpstreamPool> pool, std::unique_ptr<ReplyHandler> handler,
                     const ExchangeOptions& options, std::unique_ptr<TunnelTerms> terms);
    ~UpstreamExchange() override;

private:
    class Source;
    enum class Phase : std::uint8_t {
        collecting, // the body is read to its end first
        waiting,    // for a connection
        running,    // over connection_
        serving,    // the reply has ended, the client has not taken all of it
        over,
    };

    void begin();
    void acquire();
    void send();

    // PoolWaiter
    void onConnection(UpstreamConnection& connection) override;
    void onUnavailable(const Unavailable& reason) override;
    // ConnectionUser
    void onData(std::string_view bytes) override;
    void onPeerClosed() override;
    void onDrained() override;
    void onBroken(int error) override;
    // http::BodyReader
    void onBody(std::string_view bytes) override;
    void onBodyEnd() override;
    void onBodyFailed() override;
    // http::ExchangeWatcher
    void onAbandoned() override { stop(); }
    void onDraining() override;
    // loop::Timer
    void onTimer() override;

    void write(BufferChain& chain);
    void pauseBody();
    void resumeBody();
    bool mayRetry(bool isUnsent) const;
    void retry();
    bool askAnother(const std::string& message, bool isHarmless);
    void lost(int error, bool isUnsent);
    bool take(const ReplyEvent& event, std::string_view rest);
    void takeHead();
    void settle();
    void answer();
    void complete(std::string_view rest);
    void fail(int status, const std::string& message);
    void stop();
    void finish();
    void releaseConnection(bool isReusable);
    void dropBody();
    void unwatch();
    void touch();
    void armTimer();

    // tunnels
    void beginTunnel(std::string_view rest);
    void takeFromUpstream(std::string_view bytes);
    void upstreamEnded();
    void endIfDone();
    void closeTunnel();
    std::uint64_t tunnelDeadline() const;
    void onTunnelTimer();

    // called by Source
    http::BodySource::Pull pull(BufferChain& chain, std::size_t want);
    void sourceGone();

    Ref<http::Exchange> exchange_;
    std::unique_ptr<UpstreamProtocol> protocol_;
    Ref<UpstreamPool> pool_;
    std::unique_ptr<ReplyHandler> handler_;
    ExchangeOptions options_;
    Ref<UpstreamExchange> self_; // until it is over
    UpstreamConnection* connection_ = nullptr;
    Source* source_ = nullptr; // the exchange's, while it has one

    // the request
    RequestBody body_;
    std::unique_ptr<BodySpool> spool_;
    std::string replay_;             // the body so far, while it may have to be sent again
    std::uint64_t seenWritten_ = 0;  // by the connection when the timer looked last
    std::uint64_t lastActivity_ = 0; // ms

    std::string breakage_; // why the connection is lost

    std::unique_ptr<TunnelTerms> terms_; // it is to be a tunnel, or is one
    std::uint64_t begunAt_ = 0;          // ms

    // the reply
    ReplyHead reply_;
    std::string part_;   // of the body, out of the bytes that are being taken
    BufferChain unsent_; // the body before that

    Phase phase_ = Phase::waiting;
    bool isReading_ = false;   // the client's body comes to us
    bool isBodyBegun_ = false; // some of it may have come
    bool isBodyAtEnd_ = false; // all of it has
    bool isBodyPaused_ = false;
    bool canReplay_ = true; // replay_ or spool_ hold all of the body that has come
    bool hasRetried_ = false;
    bool isSendBroken_ = false; // the upstream takes no more of it
    bool isWatching_ = false;   // the client
    bool hasReplyBytes_ = false;
    bool hasHead_ = false;
    bool isAnswered_ = false;   // or the handler does it
    bool isWanted_ = true;      // the reply's body
    bool isComplete_ = false;   // the reply
    bool hasBrokenOff_ = false; // the reply
    bool isReceivePaused_ = false;
    bool isTunnel_ = false;
    bool isDraining_ = false; // the server is about to stop
};

} // namespace saker::upstream
