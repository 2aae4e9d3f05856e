// What the event loop asks of the system: private to this library. A backend is completion-shaped like the
// contract in op.h. Its functions belong to the loop's thread, except wake().
#pragma once

#include "base/result.h"
#include "loop/event_loop.h"

#include <cstdint>
#include <memory>

namespace saker::loop {

/// Flags of a socket, common to the backends.
enum SocketState : std::uint8_t {
    kReleasing = 1, ///< release() was called: nothing is delivered any more but the ends
    kPaused = 2,    ///< pauseReceive()
    kAccepting = 4, ///< the stream is an AcceptOp
    kConnecting = 8,
    kCancelled = 16, ///< cancelAccept(): the end is to be delivered
    kQueued = 32,    ///< in the backend's list of sockets to look at
    kLoading = 64,   ///< the write waits for a worker that reads a part of a file
    kWarm = 128,     ///< the worker has just read it: send without asking again
};

/// The door to the private parts of sockets and operations.
struct SocketAccess {
    static NativeSocket& native(Socket& socket) { return socket.native_; }
    static void*& stream(Socket& socket) { return socket.stream_; }
    static WriteOp*& write(Socket& socket) { return socket.write_; }
    static std::int32_t& slot(Socket& socket) { return socket.slot_; }
    static std::uint16_t& pending(Socket& socket) { return socket.pending_; }
    static std::uint8_t& interest(Socket& socket) { return socket.interest_; }
    static std::uint8_t& state(Socket& socket) { return socket.state_; }
    static BufferChain& chain(WriteOp& op) { return op.chain_; }
    static std::uint32_t& unreported(WriteOp& op) { return op.unreported_; }
    static bool& corked(WriteOp& op) { return op.corked_; }
    static void released(Socket& socket) { socket.onReleased(); }

    static bool has(Socket& socket, std::uint8_t flags) { return (socket.state_ & flags) != 0; }
    static void set(Socket& socket, std::uint8_t flags) { socket.state_ |= flags; }
    static void unset(Socket& socket, std::uint8_t flags) {
        socket.state_ = static_cast<std::uint8_t>(socket.state_ & ~flags);
    }
};

class Backend {
public:
    virtual ~Backend() = default;

    /// run() begins on this thread, and ends.
    virtual void enter() {}
    virtual void leave() {}
    virtual void adopt(Socket& socket) = 0;
    virtual Submitted accept(Socket& listener, AcceptOp& op) = 0;
    virtual bool receive(Socket& socket, ReceiveOp& op) = 0;
    virtual void pauseReceive(Socket& socket) = 0;
    virtual void resumeReceive(Socket& socket) = 0;
    virtual Submitted write(Socket& socket, WriteOp& op, BufferChain& chain) = 0;
    virtual Submitted connect(Socket& socket, ConnectOp& op, const SocketAddress& address) = 0;
    virtual void shutdownWrite(Socket& socket) = 0;
    virtual void release(Socket& socket, bool reset) = 0;
    virtual void cancelAccept(Socket& listener) = 0;
    virtual void disown(Socket& socket) = 0;

    /// Submits what was queued and waits for something to deliver: -1 without end, 0 not at all.
    virtual void wait(int timeoutMs) = 0;
    /// Calls the completions.
    virtual void dispatch() = 0;
    /// Something is to be dispatched already: do not wait.
    virtual bool hasWork() const = 0;
    /// Ends a wait(), the current or the next one. Any thread.
    virtual void wake() = 0;
    virtual BackendKind kind() const = 0;
};

/// What a backend may use of its loop.
struct BackendContext {
    EventLoop& loop;
    std::size_t& socketCount; ///< to be lowered with each onReleased() and disown()
    WorkerPool* workers;
};

/// The backend for this system; the error says what is missing.
Result<std::unique_ptr<Backend>> makeBackend(const LoopOptions& options, const BackendContext& context);

Result<std::unique_ptr<Backend>> makeEpollBackend(const BackendContext& context);
Result<std::unique_ptr<Backend>> makeIoUringBackend(const BackendContext& context);
/// Completions of the backend that `makeInner` makes, shuffled, shortened and delayed.
Result<std::unique_ptr<Backend>>
makeFaultBackend(Result<std::unique_ptr<Backend>> (*makeInner)(const BackendContext&), std::uint64_t seed,
                 const BackendContext& context);

} // namespace saker::loop
