#include "loop/backend_io_uring.h"

#include "loop/native_address.h"
#include "loop/release.h"

#include <cerrno>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace saker::loop {

using namespace uring;
using Access = SocketAccess;

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

Result<std::unique_ptr<Backend>> makeIoUringBackend(const BackendContext& context) {
    auto backend = std::make_unique<IoUringBackend>(context);
    if (auto created = backend->create(); !created) {
        return created.error();
    }
    return std::unique_ptr<Backend>(std::move(backend));
}

} // namespace saker::loop
