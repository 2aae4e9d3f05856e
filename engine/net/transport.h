// An ordered byte stream between a peer and a protocol. Stackable: TCP, TLS on top of it, later PROXY
// protocol. Everything happens on the loop that owns the connection.
#pragma once

#include "base/buffer_chain.h"
#include "loop/event_loop.h"

#include <span>

namespace saker::net {

/// The protocol above a transport. Callbacks come from the loop, never from within a call to the transport.
class TransportUser {
public:
    /// Bytes from the peer, lent for the call.
    virtual void onData(std::span<const char> bytes) = 0;
    /// The peer has finished sending; writing is still possible.
    virtual void onPeerClosed() = 0;
    /// What was written has left entirely, after a write() that returned `pending`.
    virtual void onDrained() = 0;
    /// The connection broke (errno value). The user should call close().
    virtual void onBroken(int error) = 0;
    /// After close(): the transport is about to be destroyed; the last call. The user may destroy itself.
    virtual void onClosed() = 0;

protected:
    ~TransportUser() = default;
};

class Transport {
public:
    virtual ~Transport() = default;

    /// Starts receiving for the user.
    virtual void start(TransportUser& user) = 0;
    /// Another user goes on from here, in place of the one so far; also from within one of its callbacks.
    virtual void handOver(TransportUser& user) = 0;
    /// Takes the whole chain. done: all left, or is as good as left (little is waiting: go on writing);
    /// pending: onDrained follows when everything has left; failed: broken, close it; onBroken may follow if
    /// that is not done. May be called while pending: chains queue up.
    virtual loop::Submitted write(BufferChain& chain) = 0;
    virtual void pauseReading() = 0;
    virtual void resumeReading() = 0;
    /// The peer sees the end of the stream after what was written; receiving goes on.
    virtual void shutdownWrite() = 0;
    /// Ends everything; onClosed follows from a later turn, then the transport destroys itself. Bytes that
    /// write() called done still leave (for at most two seconds), unless `reset`; pending ones are dropped.
    virtual void close(bool reset = false) = 0;
    /// Closes so that a peer which is still sending can read the answer: what was written leaves, the peer
    /// sees the end of the stream, and its bytes are discarded until it closes too or two seconds have
    /// passed. A plain close would answer them with a reset, which destroys an answer under way. Nothing but
    /// onClosed is called any more. Also without start(), for a peer that is turned away.
    virtual void lingerAndClose() = 0;

    virtual const loop::SocketAddress& peer() const = 0;
    virtual const loop::SocketAddress& local() const = 0;
    virtual bool isEncrypted() const { return false; }
    /// Which rules for the client's certificate the handshake followed; 0: none.
    virtual std::uint64_t clientPolicy() const { return 0; }
    virtual loop::EventLoop& loop() const = 0;
    /// Bytes handed to the system so far and not yet so; for minimum-rate checks.
    virtual std::uint64_t bytesWritten() const = 0;
    /// What the peer has taken since the connection began, handshakes included: only differences mean
    /// something. The system's buffers hold megabytes, so a slow peer shows here only. Asks the system; not
    /// for every request.
    virtual std::uint64_t bytesDelivered() const = 0;
    virtual std::uint64_t bytesPending() const = 0;
    /// Open, and the peer has neither sent anything that onData() was not called for nor closed its side, as
    /// far as the system knows now. Asks the system.
    virtual bool isQuiet() const { return true; }
};

} // namespace saker::net
