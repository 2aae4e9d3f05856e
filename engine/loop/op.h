// The operations of an event loop. The contract is completion-shaped, which is what IOCP and io_uring have
// and epoll can imitate: an operation is submitted, and its completions are called on the loop's thread.
//
//   Stream operations (accept, receive): many completions, then one end. Bytes are lent by the loop for the
//   call only. One-shot operations (write, connect): one completion. A write holds counted references to its
//   pieces.
//
// Life: a Socket and its operations are members of one owner (a transport, a listener). The owner may be
// destroyed only in or after onReleased(), which EventLoop::release() promises to call once no completion can
// come any more: cancelled operations complete too, as the kernel may still use their memory.
//
// Callbacks are never called from within submit, cancel or release, only from EventLoop::run.
#pragma once

#include "base/buffer_chain.h"
#include "loop/socket_address.h"

#include <cstdint>
#include <span>

namespace saker::loop {

/// int on POSIX systems, SOCKET on Windows.
using NativeSocket = std::uintptr_t;
inline constexpr NativeSocket kNoSocket = ~NativeSocket{0};

class AcceptOp;
class ReceiveOp;
class WriteOp;
class ConnectOp;

/// A system socket that belongs to one loop from EventLoop::adopt() to onReleased().
class Socket {
public:
    Socket() = default;
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;

    NativeSocket native() const { return native_; }
    bool isOpen() const { return native_ != kNoSocket; }

protected:
    ~Socket() = default;
    /// After EventLoop::release(): nothing of this socket is in flight, its owner may be destroyed (also in
    /// here).
    virtual void onReleased() = 0;

private:
    friend struct SocketAccess; // what the loop and its backends touch

    NativeSocket native_ = kNoSocket;
    void* stream_ = nullptr; // the ReceiveOp, AcceptOp or ConnectOp, as state_ says
    WriteOp* write_ = nullptr;
    std::int32_t slot_ = -1;    // the backend's own number for it
    std::uint16_t pending_ = 0; // what the kernel or a worker still holds, cancelled operations included
    std::uint8_t interest_ = 0; // what the backend has asked the system for
    std::uint8_t state_ = 0;    // SocketState flags
};

/// Accepts until cancelled. Each accepted socket is non-blocking, close-on-exec and TCP_NODELAY.
class AcceptOp {
public:
    virtual void onAccepted(NativeSocket socket, const SocketAddress& peer) = 0;
    /// No more: cancelled (ECANCELED) or a failure that lasts. Short-lived failures (EMFILE, ECONNABORTED)
    /// are reported by onAcceptError and retried after a pause.
    virtual void onAcceptEnd(int error) = 0;
    virtual void onAcceptError(int error) = 0;

protected:
    ~AcceptOp() = default;
};

/// Receives until the end, until paused or until cancelled.
class ReceiveOp {
public:
    /// At least one byte; valid during the call. Never called while paused.
    virtual void onReceived(std::span<const char> bytes) = 0;
    /// The last completion: 0 when the peer has closed its side, else an errno value (ECANCELED after
    /// release).
    virtual void onReceiveEnd(int error) = 0;

protected:
    ~ReceiveOp() = default;
};

/// Sends a whole chain, files included, in order. One at a time per socket.
class WriteOp {
public:
    /// Everything was handed to the system (0), or the connection is broken (errno value).
    virtual void onWritten(int error) = 0;
    /// So many bytes more have left, those sent within a write() that returned `pending` included; for
    /// minimum-rate checks. Called before onWritten.
    virtual void onWriteProgress(std::uint64_t bytes) = 0;

protected:
    ~WriteOp() = default;

private:
    friend struct SocketAccess;
    BufferChain chain_;            // what is still to be sent
    std::uint32_t unreported_ = 0; // sent within EventLoop::write(), told with the next progress
    bool corked_ = false;          // the system holds back segments that are not full
};

class ConnectOp {
public:
    /// 0 or an errno value.
    virtual void onConnected(int error) = 0;

protected:
    ~ConnectOp() = default;
};

/// How a submission went.
enum class Submitted : std::uint8_t {
    done,    ///< finished at once; the completion is not called
    pending, ///< the completion will be called
    failed,  ///< broken at once; the completion is not called, the owner should release the socket
};

} // namespace saker::loop
