// A Transport over a socket of a loop. Owns itself: it lives from open() until onClosed() returns. An idle
// one holds no buffer.
#pragma once

#include "net/transport.h"

#include <cstdint>
#include <memory>

namespace saker::net {

class TcpTransport final : public Transport,
                           private loop::Socket,
                           private loop::ReceiveOp,
                           private loop::WriteOp {
    struct Key {};

public:
    /// Makes an accepted or connected non-blocking socket a transport of this loop, which must be the
    /// caller's.
    static TcpTransport& open(loop::EventLoop& loop, loop::NativeSocket native,
                              const loop::SocketAddress& peer);

    void start(TransportUser& user) override;
    void handOver(TransportUser& user) override { user_ = &user; }
    loop::Submitted write(BufferChain& chain) override;
    void pauseReading() override;
    void resumeReading() override;
    void shutdownWrite() override;
    void close(bool reset = false) override;
    void lingerAndClose() override;

    const loop::SocketAddress& peer() const override { return peer_; }
    const loop::SocketAddress& local() const override;
    loop::EventLoop& loop() const override { return loop_; }
    std::uint64_t bytesWritten() const override { return written_; }
    std::uint64_t bytesDelivered() const override;
    std::uint64_t bytesPending() const override { return pending_; }
    bool isQuiet() const override;

    TcpTransport(Key, loop::EventLoop& loop, const loop::SocketAddress& peer);
    ~TcpTransport() override;

private:
    /// What a close still waits for.
    enum class Ending : std::uint8_t {
        no,
        flushing,         ///< close(): bytes that write() called done
        flushingToLinger, ///< lingerAndClose(): everything written
        lingering,        ///< the peer's end, input is discarded
        released,
    };
    class EndTimer;

    void onReceived(std::span<const char> bytes) override;
    void onReceiveEnd(int error) override;
    void onWritten(int error) override;
    void onWriteProgress(std::uint64_t bytes) override;
    void onReleased() override;
    void onEndTimer();

    void drained();
    void broke(int error);
    void linger();
    void releaseSocket(bool reset);
    void setEndTimer(std::uint64_t delayMs);

    loop::EventLoop& loop_;
    TransportUser* user_ = nullptr;      // from start() to onClosed()
    std::unique_ptr<TcpTransport> self_; // until onReleased()
    std::unique_ptr<EndTimer> endTimer_; // while closing, or to report that start() failed
    BufferChain queued_;                 // written while the loop was busy with an earlier chain
    std::uint64_t written_ = 0;
    std::uint64_t pending_ = 0;
    loop::SocketAddress peer_;
    mutable loop::SocketAddress local_; // asked for when wanted first
    Ending ending_ = Ending::no;
    bool writing_ = false;     // the loop has a chain of ours
    bool owesDrained_ = false; // a write returned pending
    bool writeShut_ = false;   // shutdownWrite(), carried out when nothing is pending
    bool receiving_ = false;
    bool broken_ = false; // a write failed, or onBroken was called
    bool toldBroken_ = false;
};

} // namespace saker::net
