// A Transport that speaks TLS on another one. Owns itself: it lives from accept() or connect() until the
// transport below has closed. The handshake comes first; then the acceptor hands it to a protocol.
//
// Records are made as the transport below takes them: up to some hundred kilobytes are under way, the rest of
// a chain waits as it is. What fits a record leaves as one, and in one write.
#pragma once

#include "net/transport.h"
#include "tls/tls_loop.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace saker::tls {

class TlsTransport final : public net::Transport, private net::TransportUser, private loop::Timer {
    struct Key {};

public:
    /// Begins a handshake; `lower` has not been started yet. A plain HTTP request is answered with where to
    /// go.
    static void accept(TlsLoop& shared, net::Transport& lower, TlsAcceptor& acceptor);

    /// The client's side: begins the handshake at once. `lower` has not been started yet. `ssl` has no BIOs
    /// yet; null fails. The acceptor outlives the handshake.
    static TlsTransport& connect(TlsLoop& shared, net::Transport& lower, SslPtr ssl, TlsAcceptor& acceptor,
                                 std::uint64_t timeoutMs);
    /// Why a handshake of connect() has failed.
    const std::string& problem() const { return problem_; }
    bool isTimedOut() const { return isTimedOut_; }

    void start(net::TransportUser& user) override;
    void handOver(net::TransportUser& user) override { user_ = &user; }
    loop::Submitted write(BufferChain& chain) override;
    void pauseReading() override;
    void resumeReading() override;
    void shutdownWrite() override;
    void close(bool reset = false) override;
    void lingerAndClose() override;

    const loop::SocketAddress& peer() const override { return lower_.peer(); }
    const loop::SocketAddress& local() const override { return lower_.local(); }
    bool isEncrypted() const override { return true; }
    std::uint64_t clientPolicy() const override { return clientPolicy_; }
    loop::EventLoop& loop() const override { return lower_.loop(); }
    /// Of records, not of what is in them: whoever watches rates looks at what moves.
    std::uint64_t bytesWritten() const override { return lower_.bytesWritten(); }
    std::uint64_t bytesDelivered() const override { return lower_.bytesDelivered(); }
    std::uint64_t bytesPending() const override { return plain_.size() + lower_.bytesPending(); }
    bool isQuiet() const override {
        return phase_ == Phase::open && !isPeerDone_ && !isLowerDone_ && !isBroken_ && !stash_ &&
               lower_.isQuiet();
    }

    /// What ALPN settled on; empty: nothing.
    std::string_view protocol() const;
    /// The peer's end came without a close_notify: somebody may have cut the stream (RFC 8446, 6.1).
    bool isTruncated() const { return isTruncated_; }

    TlsTransport(Key, TlsLoop& shared, net::Transport& lower, TlsAcceptor& acceptor);
    ~TlsTransport() override;

private:
    friend class TlsLoop;
    class Handshake;
    class EndTimer;
    class Binding;
    struct ColdRead;

    enum class Phase : std::uint8_t {
        silent,    // nothing has arrived yet
        plain,     // a plain HTTP request is arriving
        shaking,   // the handshake
        open,      // start() to close()
        lingering, // lingerAndClose(): what was written leaves
        closed,    // the transport below was told to close
    };
    /// How far encrypt() came.
    enum class Made : std::uint8_t { all, some, broken };

    // net::TransportUser
    void onData(std::span<const char> bytes) override;
    void onPeerClosed() override;
    void onDrained() override;
    void onBroken(int error) override;
    void onClosed() override;
    // loop::Timer: what could not go on within a call
    void onTimer() override;

    // the handshake
    void begin(char first);
    void takePlain(std::string_view bytes);
    void answerPlain();
    void onHandshakeTimer();
    void handshakeFailed(std::string reason);
    bool shakeHands();
    void secured();
    void leaveHandshakes();
    void fail();

    // input
    void feed(std::span<const char> bytes);
    void readStopped();
    void deliverStash();
    void peerEnded();

    // output
    Made encrypt(BufferChain& chain);
    std::string_view nextPlain(const BufferChain& chain, bool& isBad);
    bool passOn();
    void pump();
    void drained();
    void load(const Piece& piece);
    void onWarm(std::uint32_t size);
    void wakeSoon(std::uint64_t delayMs = 0);

    // ends
    void sayGoodbye();
    void finishWriting();
    void finishLingering();
    void letGo();
    void broke(int error);

    TlsLoop& shared_;
    net::Transport& lower_;
    net::TransportUser* user_ = nullptr;   // from start() to onClosed()
    std::unique_ptr<TlsTransport> self_;   // until onClosed()
    std::unique_ptr<Handshake> handshake_; // until it is done
    std::unique_ptr<EndTimer> endTimer_;   // while lingering
    SslPtr ssl_;                           // from the first byte on
    BufferChain plain_;                    // written, not yet in records
    std::unique_ptr<std::string> stash_;   // received while paused
    std::shared_ptr<ColdRead> coldRead_;   // under way
    std::uint64_t clientPolicy_ = 0;
    std::uint32_t warmLeft_ = 0; // bytes that a worker has just read
    std::string problem_;        // of a client's handshake
    Phase phase_ = Phase::silent;
    bool isClient_ = false;
    bool isTimedOut_ = false;
    bool isPaused_ = false;
    bool isLowerDone_ = false; // the transport below has ended
    bool isPeerDone_ = false;  // the user knows
    bool isTruncated_ = false;
    bool lowerOwes_ = false;   // a write below returned pending
    bool owesDrained_ = false; // a write here did
    bool writeShut_ = false;   // shutdownWrite(); carried out when nothing is left to encrypt
    bool saidGoodbye_ = false;
    bool isBroken_ = false;
    bool toldBroken_ = false;
    bool hasAlert_ = false; // the last bytes say why: the peer is to get them
};

} // namespace saker::tls
