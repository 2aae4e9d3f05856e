// What the TLS connections of one loop share: the context for new handshakes, the way in and out of OpenSSL,
// scratch space, and the list of handshakes for shutdown. One per loop; all on the loop's thread.
//
// OpenSSL reads from and writes to one BIO that all connections of the loop share: while a connection makes
// calls (Binding), it reads from the bytes that the loop has received, and what it writes is collected in a
// block that goes to the transport below as a piece of a chain. So nothing is copied but by OpenSSL itself,
// and an idle connection holds no buffer.
#pragma once

#include "base/buffer_chain.h"
#include "loop/event_loop.h"
#include "loop/worker_pool.h"
#include "net/transport.h"
#include "observe/loop_counters.h"
#include "tls/handshake_limiter.h"
#include "tls/openssl_types.h"
#include "tls/tls_context.h"

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace saker::tls {

class TlsTransport;

/// Who takes connections over once their handshakes are done.
class TlsAcceptor {
public:
    /// To be started (or closed) within the call.
    virtual void onSecured(TlsTransport& transport) = 0;
    /// The last call of a connection that onSecured() was not called for: it has closed.
    virtual void onUnsecured(TlsTransport& transport) = 0;

protected:
    ~TlsAcceptor() = default;
};

class TlsLoop {
public:
    /// The most plaintext in a record (RFC 8446, 5.1).
    static constexpr std::size_t kRecord = 16384;

    /// `workers`: read what is not in memory of files; null: the loop waits for it.
    TlsLoop(loop::EventLoop& loop, observe::LoopCounters& counters, loop::WorkerPool* workers);
    /// REQUIRES: no connection is left.
    ~TlsLoop();
    TlsLoop(const TlsLoop&) = delete;
    TlsLoop& operator=(const TlsLoop&) = delete;

    /// For handshakes that begin from now on; null: there will be none.
    void setContext(std::shared_ptr<const TlsContext> context);

    /// Handshakes under way, and failed ones that are still closing.
    std::size_t handshakeCount() const { return handshakes_.size(); }
    /// Closes what has not said anything yet; a client that was on its way has a second for its handshake.
    void drain();
    void abortAll();

    loop::EventLoop& loop() const { return loop_; }

private:
    friend class TlsTransport;

    static constexpr std::uint64_t kDrainPatienceMs = 1000;

    /// In ms. REQUIRES: there is a context.
    std::uint64_t handshakeTimeout() const;

    /// What records are written to; as many as are under way at a time.
    struct Block final : RefCounted {
        /// Four full records with whatever a cipher adds.
        static constexpr std::size_t kSize = 4 * (kRecord + 320);
        std::array<char, kSize> bytes;
    };
    using BioPtr = std::unique_ptr<BIO, OpensslFree<BIO_free>>;

    static BIO_METHOD* bioMethod();
    static int readBio(BIO* bio, char* to, int size);
    static int writeBio(BIO* bio, const char* from, int size);
    static long controlBio(BIO* bio, int command, long number, void* pointer);

    void collect(std::string_view bytes);
    void closeRun();
    void nextBlock();
    bool hasOutput() const { return used_ > runStart_ || !out_.empty(); }
    std::uint64_t outputSize() const { return out_.size() + (used_ - runStart_); }
    /// What was written since the last time; to be cleared by giveBackOutput().
    BufferChain& takeOutput();
    void giveBackOutput();

    loop::EventLoop& loop_;
    observe::LoopCounters& counters_;
    loop::WorkerPool* workers_;
    std::shared_ptr<const TlsContext> context_;
    HandshakeLimiter limiter_;
    bool isDraining_ = false;
    std::vector<TlsTransport*> handshakes_; // each knows its place

    BioPtr bio_;
    TlsTransport* bound_ = nullptr;   // whose calls the BIO serves
    std::span<const char> input_;     // what is left of the bytes received for it
    BufferChain out_;                 // records that are complete pieces
    Ref<Block> block_;                // being written to
    std::size_t runStart_ = 0;        // of the bytes that are not in out_ yet
    std::size_t used_ = 0;            // their end
    std::vector<Ref<Block>> spares_;  // full ones; free again once nothing refers to them
    std::array<char, kRecord> read_;  // a record's plaintext on its way up
    std::array<char, kRecord> write_; // and down, where it comes in pieces
};

} // namespace saker::tls
