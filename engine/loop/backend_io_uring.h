// io_uring (Linux 6.1 or later): one system call a turn submits what the last turn's callbacks asked for and
// fetches what has completed. Accepts and receives are multishot, received bytes lie in a ring of buffers
// that all sockets share, so that an idle connection holds none. Chains with files go by sendfile with a poll
// for room, as io_uring has no such operation.
//
// A socket lives until its count of operations in the kernel's hands, cancelled ones included, is zero;
// completions find it by the pointer in their user data.
// Private to this library; its body is in backend_io_uring.cpp (rings, listeners, connecting, releasing) and
// streams_io_uring.cpp (receiving and writing).
#pragma once

#include "loop/accept_pause.h"
#include "loop/backend.h"
#include "loop/chain_sender.h"
#include "loop/cold_files.h"
#include "loop/receive_buffers_io_uring.h"
#include "loop/ring_io_uring.h"
#include "loop/spare_chains.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace saker::loop {

namespace uring {

// What a completion is of: the low bits of its user data, whose rest is the socket.
enum Tag : std::uint64_t {
    kReceiveTag,
    kSendTag,
    kPollTag,
    kAcceptTag,
    kConnectTag,
    kCloseTag,
    kCancelTag,
    kWakeTag
};
inline constexpr std::uint64_t kTagMask = 7;
static_assert(alignof(Socket) > kTagMask);

// Flags of a socket's interest.
inline constexpr std::uint8_t kStreamArmed = 1;     // a receive or accept is in the kernel's hands
inline constexpr std::uint8_t kStreamCancelled = 2; // and was asked to end
inline constexpr std::uint8_t kServed = 4;          // has received before
inline constexpr std::uint8_t kStashed = 8;         // something arrived while paused
inline constexpr std::uint8_t kWriteArmed = 16;     // a send or a poll is in the kernel's hands
inline constexpr std::uint8_t kClosed = 32;         // released and told soon
inline constexpr std::uint8_t kPolling = 64;        // with kWriteArmed: a poll, not a send

inline int fdOf(Socket& socket) {
    return static_cast<int>(socket.native());
}
inline bool hasFlag(Socket& socket, std::uint8_t flag) {
    return (SocketAccess::interest(socket) & flag) != 0;
}
inline void setFlag(Socket& socket, std::uint8_t flag) {
    SocketAccess::interest(socket) |= flag;
}
inline void unsetFlag(Socket& socket, std::uint8_t flag) {
    SocketAccess::interest(socket) = static_cast<std::uint8_t>(SocketAccess::interest(socket) & ~flag);
}

/// Says whose completion it will be. After the io_uring_prep function, which may clear it.
inline void label(io_uring_sqe& entry, Socket* socket, Tag tag) {
    entry.user_data = reinterpret_cast<std::uintptr_t>(socket) | tag;
}

} // namespace uring

class IoUringBackend final : public Backend, private ColdFilesUser, private AcceptPauseUser {
public:
    explicit IoUringBackend(const BackendContext& context)
        : context_(context), coldFiles_(context.loop, context.workers, *this),
          acceptPause_(context.loop, *this) {}
    ~IoUringBackend() override;
    Result<void> create();

    void enter() override;
    void leave() override;
    void adopt(Socket& socket) override { SocketAccess::interest(socket) = 0; }
    Submitted accept(Socket& listener, AcceptOp& op) override;
    bool receive(Socket& socket, ReceiveOp& op) override;
    void pauseReceive(Socket& socket) override { SocketAccess::set(socket, kPaused); }
    void resumeReceive(Socket& socket) override;
    Submitted write(Socket& socket, WriteOp& op, BufferChain& chain) override;
    Submitted connect(Socket& socket, ConnectOp& op, const SocketAddress& address) override;
    void shutdownWrite(Socket& socket) override { ::shutdown(uring::fdOf(socket), SHUT_WR); }
    void release(Socket& socket, bool reset) override;
    void cancelAccept(Socket& listener) override;
    void disown(Socket&) override { --context_.socketCount; }

    void wait(int timeoutMs) override { ring_.submitAndWait(timeoutMs); }
    void dispatch() override;
    bool hasWork() const override { return !queued_.empty() || !released_.empty(); }
    void wake() override;
    BackendKind kind() const override { return BackendKind::ioUring; }

private:
    /// What arrived while its socket was paused; the kernel's buffers are not held that long.
    struct Stash {
        std::string bytes;
        bool ended = false;
        int error = 0;
    };
    void onWarm(Socket& socket) override;
    void onAcceptResumed(Socket& listener) override { armAccept(listener); }

    void armReceive(Socket& socket);
    void armAccept(Socket& listener);
    void armWake();
    void armPoll(Socket& socket);
    void submitSend(Socket& socket);
    void cancelStream(Socket& socket, uring::Tag tag);
    void cancel(Socket& socket, uring::Tag tag);
    void enqueue(Socket& socket);

    void complete(const io_uring_cqe& completion);
    void onReceive(Socket& socket, int result, unsigned flags);
    void onAccept(Socket& listener, int result, unsigned flags);
    void onSend(Socket& socket, int result);
    void onConnect(Socket& socket, int result);
    void endReceive(Socket& socket, int error);
    void stash(Socket& socket, std::string_view bytes);
    void deliverStash(Socket& socket);
    void refillReceive(Socket& socket);
    void writeFiles(Socket& socket);
    void afterSendFiles(Socket& socket, const SendProgress& progress);
    void progressed(Socket& socket, std::uint64_t sent);
    void finishWrite(Socket& socket, int error);
    void lookAtQueued();
    void finishIfIdle(Socket& socket);
    void deliverReleased();

    bool enabled_ = false;
    bool running_ = false;
    int wakeup_ = -1;
    std::uint64_t wakeCount_ = 0;
    BackendContext context_;
    ReceiveBuffers buffers_;
    Ring ring_; // ends before the buffers do
    ColdFiles coldFiles_;
    AcceptPause acceptPause_;
    SpareChains spares_;
    std::unordered_map<Socket*, Stash> stashes_;
    std::vector<Socket*> queued_;   // to be looked at without a completion
    std::vector<Socket*> looking_;  // being looked at
    std::vector<Socket*> released_; // closed, to be told in the next dispatch
    std::vector<Socket*> delivering_;
};

} // namespace saker::loop
