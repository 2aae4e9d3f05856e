// io_uring (Linux 6.1 or later): one system call a turn submits what the last turn's callbacks asked for and
// fetches what has completed. Accepts and receives are multishot, received bytes lie in a ring of buffers
// that all sockets share, so that an idle connection holds none. Chains with files go by sendfile with a poll
// for room, as io_uring has no such operation.
//
// A socket lives until its count of operations in the kernel's hands, cancelled ones included, is zero;
// completions find it by the pointer in their user data.

#include "loop/accept_pause.h"
#include "loop/backend.h"
#include "loop/chain_sender.h"
#include "loop/cold_files.h"
#include "loop/native_address.h"
#include "loop/receive_buffers_io_uring.h"
#include "loop/release.h"
#include "loop/ring_io_uring.h"
#include "loop/spare_chains.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include <unordered_map>
#include <vector>

namespace saker::loop {

namespace {

using Access = SocketAccess;

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
constexpr std::uint64_t kTagMask = 7;
static_assert(alignof(Socket) > kTagMask);

// Flags of a socket's interest.
constexpr std::uint8_t kStreamArmed = 1;     // a receive or accept is in the kernel's hands
constexpr std::uint8_t kStreamCancelled = 2; // and was asked to end
constexpr std::uint8_t kServed = 4;          // has received before
constexpr std::uint8_t kStashed = 8;         // something arrived while paused
constexpr std::uint8_t kWriteArmed = 16;     // a send or a poll is in the kernel's hands
constexpr std::uint8_t kClosed = 32;         // released and told soon
constexpr std::uint8_t kPolling = 64;        // with kWriteArmed: a poll, not a send

int fdOf(Socket& socket) {
    return static_cast<int>(socket.native());
}
bool hasFlag(Socket& socket, std::uint8_t flag) {
    return (Access::interest(socket) & flag) != 0;
}
void setFlag(Socket& socket, std::uint8_t flag) {
    Access::interest(socket) |= flag;
}
void unsetFlag(Socket& socket, std::uint8_t flag) {
    Access::interest(socket) = static_cast<std::uint8_t>(Access::interest(socket) & ~flag);
}

/// Says whose completion it will be. After the io_uring_prep function, which may clear it.
void label(io_uring_sqe& entry, Socket* socket, Tag tag) {
    entry.user_data = reinterpret_cast<std::uintptr_t>(socket) | tag;
}

bool hasFile(const BufferChain& chain) {
    for (std::size_t i = 0; i < chain.pieceCount(); ++i) {
        if (chain.piece(i).isFile()) {
            return true;
        }
    }
    return false;
}

class IoUringBackend final : public Backend, private ColdFilesUser, private AcceptPauseUser {
public:
    explicit IoUringBackend(const BackendContext& context)
        : context_(context), coldFiles_(context.loop, context.workers, *this),
          acceptPause_(context.loop, *this) {}
    ~IoUringBackend() override;
    Result<void> create();

    void enter() override;
    void leave() override;
    void adopt(Socket& socket) override { Access::interest(socket) = 0; }
    Submitted accept(Socket& listener, AcceptOp& op) override;
    bool receive(Socket& socket, ReceiveOp& op) override;
    void pauseReceive(Socket& socket) override { Access::set(socket, kPaused); }
    void resumeReceive(Socket& socket) override;
    Submitted write(Socket& socket, WriteOp& op, BufferChain& chain) override;
    Submitted connect(Socket& socket, ConnectOp& op, const SocketAddress& address) override;
    void shutdownWrite(Socket& socket) override { ::shutdown(fdOf(socket), SHUT_WR); }
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
    void cancelStream(Socket& socket, Tag tag);
    void cancel(Socket& socket, Tag tag);
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

// ---- the ring ----

Result<void> IoUringBackend::create() {
    if (auto created = ring_.create(); !created) {
        return created;
    }
    if (auto created = buffers_.create(ring_); !created) {
        return created;
    }
    // Blocking: a read of it is left to the ring.
    wakeup_ = ::eventfd(0, EFD_CLOEXEC);
    if (wakeup_ < 0) {
        return systemError(errno, "creating the event loop's wake-up handle");
    }
    return {};
}

IoUringBackend::~IoUringBackend() {
    if (wakeup_ >= 0) {
        ::close(wakeup_);
    }
}

void IoUringBackend::enter() {
    running_ = true;
    if (!enabled_) {
        enabled_ = true;
        ring_.enable();
        armWake();
    }
}

void IoUringBackend::leave() {
    ring_.submit(); // closes that are still queued
    running_ = false;
}

void IoUringBackend::armWake() {
    io_uring_sqe& entry = ring_.next();
    io_uring_prep_read(&entry, wakeup_, &wakeCount_, sizeof wakeCount_, 0);
    label(entry, nullptr, kWakeTag);
}

void IoUringBackend::wake() {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t n = ::write(wakeup_, &one, sizeof one);
}

void IoUringBackend::enqueue(Socket& socket) {
    if (!Access::has(socket, kQueued)) {
        Access::set(socket, kQueued);
        queued_.push_back(&socket);
    }
}

// ---- a turn ----

void IoUringBackend::dispatch() {
    ring_.drain([this](const io_uring_cqe& completion) { complete(completion); });
    lookAtQueued();
    deliverReleased();
}

void IoUringBackend::complete(const io_uring_cqe& completion) {
    const auto tag = static_cast<Tag>(completion.user_data & kTagMask);
    if (tag == kWakeTag) {
        armWake();
        return;
    }
    auto* socket = reinterpret_cast<Socket*>(completion.user_data & ~kTagMask);
    if (socket == nullptr) {
        return; // a close or a cancellation
    }
    const int result = completion.res;
    const unsigned flags = completion.flags;
    if ((flags & IORING_CQE_F_MORE) == 0) {
        --Access::pending(*socket);
    }
    switch (tag) {
    case kReceiveTag:
        onReceive(*socket, result, flags);
        break;
    case kAcceptTag:
        onAccept(*socket, result, flags);
        break;
    case kSendTag:
        unsetFlag(*socket, kWriteArmed);
        onSend(*socket, result);
        break;
    case kPollTag:
        unsetFlag(*socket, kWriteArmed | kPolling);
        if (!Access::has(*socket, kReleasing)) {
            writeFiles(*socket);
        }
        break;
    case kConnectTag:
        onConnect(*socket, result);
        break;
    default:
        break;
    }
    finishIfIdle(*socket);
}

void IoUringBackend::lookAtQueued() {
    looking_.swap(queued_); // what is queued meanwhile waits for the next turn
    for (Socket* socket : looking_) {
        Access::unset(*socket, kQueued);
        if (Access::has(*socket, kReleasing)) {
            continue;
        }
        if (Access::has(*socket, kAccepting)) {
            if (Access::has(*socket, kCancelled) && Access::stream(*socket) != nullptr) {
                Access::unset(*socket, kCancelled);
                static_cast<AcceptOp*>(std::exchange(Access::stream(*socket), nullptr))
                    ->onAcceptEnd(ECANCELED);
            }
            continue;
        }
        if (hasFlag(*socket, kStashed)) {
            deliverStash(*socket);
        }
        refillReceive(*socket);
    }
    looking_.clear();
}

// ---- accepting ----

Submitted IoUringBackend::accept(Socket& listener, AcceptOp& op) {
    const int one = 1;
    ::setsockopt(fdOf(listener), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one); // accepted sockets inherit it
    Access::unset(listener, kCancelled);
    Access::set(listener, kAccepting);
    Access::stream(listener) = &op;
    armAccept(listener);
    return Submitted::pending;
}

void IoUringBackend::armAccept(Socket& listener) {
    io_uring_sqe& entry = ring_.next();
    io_uring_prep_multishot_accept(&entry, fdOf(listener), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    label(entry, &listener, kAcceptTag);
    ++Access::pending(listener);
    setFlag(listener, kStreamArmed);
}

void IoUringBackend::onAccept(Socket& listener, int result, unsigned flags) {
    const bool armed = (flags & IORING_CQE_F_MORE) != 0;
    if (!armed) {
        unsetFlag(listener, kStreamArmed | kStreamCancelled);
    }
    if (result >= 0) {
        if (Access::has(listener, kReleasing) || Access::stream(listener) == nullptr) {
            ::close(result);
            return;
        }
        // A multishot accept has no place for addresses.
        const auto client = static_cast<NativeSocket>(result);
        static_cast<AcceptOp*>(Access::stream(listener))->onAccepted(client, peerAddressOf(client));
    }
    if (armed || Access::has(listener, kReleasing) || Access::stream(listener) == nullptr) {
        return;
    }
    AcceptOp& op = *static_cast<AcceptOp*>(Access::stream(listener));
    if (Access::has(listener, kCancelled)) {
        Access::unset(listener, kCancelled);
        Access::stream(listener) = nullptr;
        op.onAcceptEnd(ECANCELED);
    } else if (result >= 0) {
        armAccept(listener);
    } else if (AcceptPause::isShortage(-result)) {
        acceptPause_.pause(listener);
        op.onAcceptError(-result);
    } else if (result == -EINTR || result == -EAGAIN) {
        armAccept(listener);
    } else if (AcceptPause::isOfOneClient(-result)) {
        armAccept(listener);
        op.onAcceptError(-result);
    } else {
        Access::stream(listener) = nullptr;
        op.onAcceptEnd(-result);
    }
}

void IoUringBackend::cancelAccept(Socket& listener) {
    if (Access::stream(listener) == nullptr || Access::has(listener, kReleasing | kCancelled)) {
        return;
    }
    Access::set(listener, kCancelled);
    acceptPause_.forget(listener);
    if (hasFlag(listener, kStreamArmed)) {
        cancelStream(listener, kAcceptTag); // what it took before is served first
    } else {
        enqueue(listener);
    }
}

void IoUringBackend::cancelStream(Socket& socket, Tag tag) {
    if (!hasFlag(socket, kStreamCancelled)) {
        setFlag(socket, kStreamCancelled);
        cancel(socket, tag);
    }
}

void IoUringBackend::cancel(Socket& socket, Tag tag) {
    io_uring_sqe& entry = ring_.next();
    io_uring_prep_cancel64(&entry, reinterpret_cast<std::uintptr_t>(&socket) | tag, 0);
    entry.flags |= IOSQE_CQE_SKIP_SUCCESS;
    label(entry, nullptr, kCancelTag);
}

// ---- receiving ----

bool IoUringBackend::receive(Socket& socket, ReceiveOp& op) {
    Access::stream(socket) = &op;
    Access::unset(socket, kPaused);
    armReceive(socket);
    return true;
}

void IoUringBackend::armReceive(Socket& socket) {
    io_uring_sqe& entry = ring_.next();
    if (hasFlag(socket, kServed)) {
        io_uring_prep_recv_multishot(&entry, fdOf(socket), nullptr, 0, 0);
    } else {
        // Many a connection carries one request: a multishot receive would have to be cancelled at once.
        io_uring_prep_recv(&entry, fdOf(socket), nullptr, 0, 0);
    }
    entry.flags |= IOSQE_BUFFER_SELECT;
    entry.buf_group = ReceiveBuffers::kGroup;
    label(entry, &socket, kReceiveTag);
    ++Access::pending(socket);
    setFlag(socket, kStreamArmed);
}

/// Arms the receive when it is wanted and not armed.
void IoUringBackend::refillReceive(Socket& socket) {
    if (Access::stream(socket) != nullptr && !hasFlag(socket, kStreamArmed | kStashed) &&
        !Access::has(socket, kReleasing | kPaused | kConnecting)) {
        armReceive(socket);
    }
}

void IoUringBackend::onReceive(Socket& socket, int result, unsigned flags) {
    if ((flags & IORING_CQE_F_MORE) == 0) {
        unsetFlag(socket, kStreamArmed | kStreamCancelled);
    }
    const bool wanted = !Access::has(socket, kReleasing) && Access::stream(socket) != nullptr;
    if (result > 0) {
        const unsigned id = flags >> IORING_CQE_BUFFER_SHIFT;
        const auto size = static_cast<std::size_t>(result);
        setFlag(socket, kServed);
        if (wanted && (Access::has(socket, kPaused) || hasFlag(socket, kStashed))) {
            stash(socket, {buffers_.data(id), size});
        } else if (wanted) {
            static_cast<ReceiveOp*>(Access::stream(socket))->onReceived({buffers_.data(id), size});
        }
        buffers_.giveBack(id);
        refillReceive(socket);
        return;
    }
    if (!wanted) {
        return;
    }
    switch (result) {
    case -ENOBUFS: // all buffers are in this turn's completions and come back with them
    case -EAGAIN:
    case -EINTR:
        enqueue(socket);
        break;
    case -ECANCELED: // for a pause that may be over
        refillReceive(socket);
        break;
    default:
        if (Access::has(socket, kPaused) || hasFlag(socket, kStashed)) {
            stash(socket, {});
            Stash& kept = stashes_[&socket];
            kept.ended = true;
            kept.error = -result;
        } else {
            endReceive(socket, -result);
        }
    }
}

void IoUringBackend::endReceive(Socket& socket, int error) {
    static_cast<ReceiveOp*>(std::exchange(Access::stream(socket), nullptr))->onReceiveEnd(error);
}

void IoUringBackend::stash(Socket& socket, std::string_view bytes) {
    setFlag(socket, kStashed);
    stashes_[&socket].bytes.append(bytes);
    if (hasFlag(socket, kStreamArmed)) {
        cancelStream(socket, kReceiveTag);
    }
}

void IoUringBackend::resumeReceive(Socket& socket) {
    Access::unset(socket, kPaused);
    if (hasFlag(socket, kStashed)) {
        enqueue(socket);
    } else {
        refillReceive(socket);
    }
}

void IoUringBackend::deliverStash(Socket& socket) {
    if (Access::has(socket, kPaused)) {
        return;
    }
    Stash& kept = stashes_[&socket];
    if (!kept.bytes.empty()) {
        std::string bytes;
        bytes.swap(kept.bytes);
        static_cast<ReceiveOp*>(Access::stream(socket))->onReceived({bytes.data(), bytes.size()});
        if (Access::has(socket, kReleasing) || (Access::has(socket, kPaused) && kept.ended)) {
            return;
        }
    }
    const bool ended = kept.ended;
    const int error = kept.error;
    stashes_.erase(&socket);
    unsetFlag(socket, kStashed);
    if (ended) {
        endReceive(socket, error);
    }
}

// ---- writing ----

Submitted IoUringBackend::write(Socket& socket, WriteOp& op, BufferChain& chain) {
    if (!hasFile(chain)) {
        Access::write(socket) = &op;
        Access::unreported(op) = 0;
        spares_.take(Access::chain(op), chain);
        submitSend(socket);
        return Submitted::pending;
    }
    const SendProgress progress =
        sendChain(fdOf(socket), chain, {.askMemory = coldFiles_.isUseful(), .corked = &Access::corked(op)});
    if (progress.stop == SendProgress::Stop::finished) {
        return Submitted::done;
    }
    if (progress.stop == SendProgress::Stop::broken) {
        chain.clear();
        return Submitted::failed;
    }
    Access::write(socket) = &op;
    Access::unreported(op) = static_cast<std::uint32_t>(progress.sent);
    spares_.take(Access::chain(op), chain);
    afterSendFiles(socket, progress);
    return Submitted::pending;
}

void IoUringBackend::submitSend(Socket& socket) {
    const BufferChain& chain = Access::chain(*Access::write(socket));
    // Not MSG_WAITALL: what has left is reported as it leaves, for minimum-rate checks.
    constexpr int kFlags = MSG_NOSIGNAL;
    if (chain.pieceCount() == 1) {
        const Piece& piece = chain.piece(0);
        io_uring_sqe& entry = ring_.next();
        io_uring_prep_send(&entry, fdOf(socket), piece.data, std::min<std::uint64_t>(piece.size, 1U << 30),
                           kFlags);
        label(entry, &socket, kSendTag);
    } else {
        const auto [entry, message] = ring_.nextWithMessage();
        const std::size_t count = std::min(chain.pieceCount(), Ring::kMostPieces);
        for (std::size_t i = 0; i < count; ++i) {
            message.vectors[i] = {const_cast<char*>(chain.piece(i).data), chain.piece(i).size};
        }
        message.header = msghdr{};
        message.header.msg_iov = message.vectors.data();
        message.header.msg_iovlen = count;
        io_uring_prep_sendmsg(&entry, fdOf(socket), &message.header, kFlags);
        label(entry, &socket, kSendTag);
    }
    ++Access::pending(socket);
    setFlag(socket, kWriteArmed);
}

void IoUringBackend::onSend(Socket& socket, int result) {
    if (Access::has(socket, kReleasing)) {
        return; // the end of the write is told with the release
    }
    if (result > 0) {
        Access::chain(*Access::write(socket)).consume(static_cast<std::uint64_t>(result));
        progressed(socket, static_cast<std::uint64_t>(result));
        if (Access::has(socket, kReleasing)) {
            return;
        }
        if (Access::chain(*Access::write(socket)).empty()) {
            finishWrite(socket, 0);
        } else {
            submitSend(socket);
        }
    } else if (result == -EAGAIN || result == -EINTR) {
        submitSend(socket);
    } else {
        finishWrite(socket, result == 0 ? EPIPE : -result);
    }
}

void IoUringBackend::progressed(Socket& socket, std::uint64_t sent) {
    WriteOp& op = *Access::write(socket);
    sent += std::exchange(Access::unreported(op), 0);
    if (sent > 0) {
        op.onWriteProgress(sent);
    }
}

void IoUringBackend::finishWrite(Socket& socket, int error) {
    WriteOp& op = *std::exchange(Access::write(socket), nullptr);
    spares_.giveBack(Access::chain(op));
    op.onWritten(error);
}

void IoUringBackend::writeFiles(Socket& socket) {
    const bool warm = Access::has(socket, kWarm);
    Access::unset(socket, kWarm);
    WriteOp& op = *Access::write(socket);
    const SendProgress progress =
        sendChain(fdOf(socket), Access::chain(op),
                  {.warm = warm, .askMemory = coldFiles_.isUseful(), .corked = &Access::corked(op)});
    progressed(socket, progress.sent);
    if (!Access::has(socket, kReleasing)) {
        afterSendFiles(socket, progress);
    }
}

void IoUringBackend::afterSendFiles(Socket& socket, const SendProgress& progress) {
    switch (progress.stop) {
    case SendProgress::Stop::finished:
    case SendProgress::Stop::broken:
        finishWrite(socket, progress.error);
        break;
    case SendProgress::Stop::full:
    case SendProgress::Stop::budget:
        armPoll(socket);
        break;
    case SendProgress::Stop::cold:
        Access::set(socket, kLoading);
        ++Access::pending(socket);
        coldFiles_.load(socket);
        break;
    }
}

void IoUringBackend::armPoll(Socket& socket) {
    io_uring_sqe& entry = ring_.next();
    io_uring_prep_poll_add(&entry, fdOf(socket), POLLOUT);
    label(entry, &socket, kPollTag);
    ++Access::pending(socket);
    setFlag(socket, kWriteArmed | kPolling);
}

void IoUringBackend::onWarm(Socket& socket) {
    --Access::pending(socket);
    Access::unset(socket, kLoading);
    if (!Access::has(socket, kReleasing)) {
        Access::set(socket, kWarm);
        writeFiles(socket);
    }
    finishIfIdle(socket);
}

// ---- connecting ----

Submitted IoUringBackend::connect(Socket& socket, ConnectOp& op, const SocketAddress& address) {
    const auto [entry, message] = ring_.nextWithMessage();
    message.address = NativeAddress::from(address);
    io_uring_prep_connect(&entry, fdOf(socket),
                          reinterpret_cast<const sockaddr*>(message.address.storage.data()),
                          message.address.length);
    label(entry, &socket, kConnectTag);
    Access::stream(socket) = &op;
    Access::set(socket, kConnecting);
    ++Access::pending(socket);
    setFlag(socket, kStreamArmed);
    return Submitted::pending;
}

void IoUringBackend::onConnect(Socket& socket, int result) {
    unsetFlag(socket, kStreamArmed);
    if (!Access::has(socket, kReleasing)) {
        Access::unset(socket, kConnecting);
        static_cast<ConnectOp*>(std::exchange(Access::stream(socket), nullptr))->onConnected(-result);
    }
}

// ---- releasing ----

void IoUringBackend::release(Socket& socket, bool reset) {
    if (Access::has(socket, kReleasing)) {
        return;
    }
    Access::set(socket, kReleasing);
    if (Access::has(socket, kAccepting)) {
        acceptPause_.forget(socket);
    }
    if (reset) {
        const linger now{1, 0};
        ::setsockopt(fdOf(socket), SOL_SOCKET, SO_LINGER, &now, sizeof now);
    }
    // By user data, which the kernel finds at once; by descriptor it would look through all that is under
    // way.
    if (hasFlag(socket, kStreamArmed)) {
        cancelStream(socket, Access::has(socket, kAccepting)    ? kAcceptTag
                             : Access::has(socket, kConnecting) ? kConnectTag
                                                                : kReceiveTag);
    }
    if (hasFlag(socket, kWriteArmed)) {
        cancel(socket, hasFlag(socket, kPolling) ? kPollTag : kSendTag);
    }
    finishIfIdle(socket);
}

/// Closes a released socket once the kernel and the workers hold nothing of it.
void IoUringBackend::finishIfIdle(Socket& socket) {
    if (!Access::has(socket, kReleasing) || Access::pending(socket) != 0 || hasFlag(socket, kClosed)) {
        return;
    }
    setFlag(socket, kClosed);
    // A listener's port is to be free when its release is told, not a turn later.
    if (running_ && !Access::has(socket, kAccepting)) {
        io_uring_sqe& entry = ring_.next();
        io_uring_prep_close(&entry, fdOf(socket));
        entry.flags |= IOSQE_CQE_SKIP_SUCCESS;
        label(entry, nullptr, kCloseTag);
    } else {
        ::close(fdOf(socket));
    }
    released_.push_back(&socket);
}

void IoUringBackend::deliverReleased() {
    // Those released meanwhile wait for the next turn: the queue may still point to them.
    delivering_.swap(released_);
    for (Socket* socket : delivering_) {
        if (hasFlag(*socket, kStashed)) {
            stashes_.erase(socket);
        }
        endOperations(*socket, spares_);
        --context_.socketCount;
        Access::released(*socket);
    }
    delivering_.clear();
}

} // namespace

Result<std::unique_ptr<Backend>> makeIoUringBackend(const BackendContext& context) {
    auto backend = std::make_unique<IoUringBackend>(context);
    if (auto created = backend->create(); !created) {
        return created.error();
    }
    return std::unique_ptr<Backend>(std::move(backend));
}

} // namespace saker::loop
