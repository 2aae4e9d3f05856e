#include "loop/backend_io_uring.h"

#include <algorithm>
#include <cerrno>
#include <poll.h>
#include <sys/socket.h>
#include <utility>

namespace saker::loop {

using namespace uring;
using Access = SocketAccess;

namespace {

constexpr std::uint64_t kLongChain = std::uint64_t{32} * 1024;

bool hasFile(const BufferChain& chain) {
    for (std::size_t i = 0; i < chain.pieceCount(); ++i) {
        if (chain.piece(i).isFile()) {
            return true;
        }
    }
    return false;
}

} // namespace

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
    // What may not fit the socket's buffer is not left to the ring: that would wake the receiver for each
    // small room that it makes.
    if (chain.size() < kLongChain && !hasFile(chain)) {
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

} // namespace saker::loop
