// epoll, level-triggered: an operation is tried when it is submitted or when its socket is ready, and what
// the system is asked for changes only when it must (asking is a call of its own). Sockets that were released
// in a turn live until its events have been handled, so that an event never meets a dead one.

#include "loop/accept_pause.h"
#include "loop/backend.h"
#include "loop/chain_sender.h"
#include "loop/cold_files.h"
#include "loop/native_address.h"
#include "loop/release.h"
#include "loop/spare_chains.h"

#include <array>
#include <cerrno>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace saker::loop {

namespace {

using Access = SocketAccess;

constexpr std::uint8_t kIn = EPOLLIN;
constexpr std::uint8_t kOut = EPOLLOUT;
static_assert(EPOLLIN < 256 && EPOLLOUT < 256, "interest is kept in a byte");

// Bounds on what one socket may do in a turn while others wait.
constexpr int kAcceptsPerTurn = 64;
constexpr int kReceivesPerTurn = 4;
int fdOf(Socket& socket) {
    return static_cast<int>(socket.native());
}

class EpollBackend final : public Backend, private ColdFilesUser, private AcceptPauseUser {
public:
    EpollBackend(const BackendContext& context, int epoll, int wakeup)
        : epoll_(epoll), wakeup_(wakeup), context_(context), coldFiles_(context.loop, context.workers, *this),
          acceptPause_(context.loop, *this) {}
    ~EpollBackend() override {
        ::close(epoll_);
        ::close(wakeup_);
    }

    void adopt(Socket&) override {}
    Submitted accept(Socket& listener, AcceptOp& op) override;
    bool receive(Socket& socket, ReceiveOp& op) override;
    void pauseReceive(Socket& socket) override { Access::set(socket, kPaused); }
    void resumeReceive(Socket& socket) override;
    Submitted write(Socket& socket, WriteOp& op, BufferChain& chain) override;
    Submitted connect(Socket& socket, ConnectOp& op, const SocketAddress& address) override;
    void shutdownWrite(Socket& socket) override { ::shutdown(fdOf(socket), SHUT_WR); }
    void release(Socket& socket, bool reset) override;
    void cancelAccept(Socket& listener) override;
    void disown(Socket& socket) override;

    void wait(int timeoutMs) override;
    void dispatch() override;
    bool hasWork() const override { return !queued_.empty() || !released_.empty(); }
    void wake() override;
    BackendKind kind() const override { return BackendKind::epoll; }

private:
    void onWarm(Socket& socket) override;
    void onAcceptResumed(Socket& listener) override { ask(listener); }

    static std::uint8_t wanted(Socket& socket);
    void ask(Socket& socket);
    void handle(Socket& socket, std::uint32_t events);
    void enqueue(Socket& socket);
    void lookAtQueued();
    void acceptSome(Socket& listener);
    void receiveSome(Socket& socket);
    void endReceive(Socket& socket, int error);
    void writeSome(Socket& socket);
    void load(Socket& socket);
    void finishConnect(Socket& socket);
    void deliverReleased();

    int epoll_;
    int wakeup_;
    BackendContext context_;
    ColdFiles coldFiles_;
    AcceptPause acceptPause_;
    SpareChains spares_;
    int ready_ = 0;
    std::array<epoll_event, 512> events_{};
    std::vector<Socket*> queued_;     // to be looked at without an event
    std::vector<Socket*> looking_;    // being looked at
    std::vector<Socket*> released_;   // to be told in the next dispatch
    std::vector<Socket*> delivering_; // being told
    std::array<char, std::size_t{64} * 1024> input_{};
};

// ---- what the system is asked for ----

std::uint8_t EpollBackend::wanted(Socket& socket) {
    std::uint8_t interest = 0;
    if (Access::has(socket, kConnecting)) {
        return kOut;
    }
    if (Access::stream(socket) != nullptr && !Access::has(socket, kPaused | kCancelled)) {
        interest |= kIn;
    }
    if (Access::write(socket) != nullptr && !Access::has(socket, kLoading)) {
        interest |= kOut;
    }
    return interest;
}

/// Makes the system's view equal to wanted(). A socket of which nothing is wanted is not registered at all,
/// as errors and hang-ups would be reported again and again.
void EpollBackend::ask(Socket& socket) {
    const std::uint8_t want = wanted(socket);
    const std::uint8_t have = Access::interest(socket);
    if (want == have) {
        return;
    }
    epoll_event event{};
    event.events = want;
    event.data.ptr = &socket;
    const int operation = have == 0 ? EPOLL_CTL_ADD : want == 0 ? EPOLL_CTL_DEL : EPOLL_CTL_MOD;
    ::epoll_ctl(epoll_, operation, fdOf(socket), &event);
    Access::interest(socket) = want;
}

void EpollBackend::enqueue(Socket& socket) {
    if (!Access::has(socket, kQueued)) {
        Access::set(socket, kQueued);
        queued_.push_back(&socket);
    }
}

// ---- submissions ----

Submitted EpollBackend::accept(Socket& listener, AcceptOp& op) {
    const int one = 1;
    ::setsockopt(fdOf(listener), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one); // accepted sockets inherit it
    Access::unset(listener, kCancelled);
    Access::set(listener, kAccepting);
    Access::stream(listener) = &op;
    ask(listener);
    return Submitted::pending;
}

bool EpollBackend::receive(Socket& socket, ReceiveOp& op) {
    Access::stream(socket) = &op;
    Access::unset(socket, kPaused);
    if (Access::interest(socket) == 0) {
        // The first bytes are usually there already; many a connection has ended by the time it would be
        // registered.
        enqueue(socket);
    } else {
        ask(socket);
    }
    return true;
}

void EpollBackend::resumeReceive(Socket& socket) {
    Access::unset(socket, kPaused);
    if (!Access::has(socket, kReleasing | kQueued)) {
        ask(socket);
    }
}

Submitted EpollBackend::write(Socket& socket, WriteOp& op, BufferChain& chain) {
    const SendProgress progress =
        sendChain(fdOf(socket), chain, {.askMemory = coldFiles_.isUseful(), .corked = &Access::corked(op)});
    switch (progress.stop) {
    case SendProgress::Stop::finished:
        return Submitted::done;
    case SendProgress::Stop::broken:
        chain.clear();
        return Submitted::failed;
    default:
        break;
    }
    Access::write(socket) = &op;
    Access::unreported(op) = static_cast<std::uint32_t>(progress.sent);
    spares_.take(Access::chain(op), chain);
    if (progress.stop == SendProgress::Stop::cold) {
        load(socket);
    }
    ask(socket);
    return Submitted::pending;
}

Submitted EpollBackend::connect(Socket& socket, ConnectOp& op, const SocketAddress& address) {
    const NativeAddress native = NativeAddress::from(address);
    const auto* raw = reinterpret_cast<const sockaddr*>(native.storage.data());
    if (::connect(fdOf(socket), raw, native.length) == 0) {
        return Submitted::done;
    }
    if (errno != EINPROGRESS) {
        return Submitted::failed;
    }
    Access::stream(socket) = &op;
    Access::set(socket, kConnecting);
    ask(socket);
    return Submitted::pending;
}

void EpollBackend::release(Socket& socket, bool reset) {
    if (Access::has(socket, kReleasing)) {
        return;
    }
    Access::set(socket, kReleasing);
    if (Access::has(socket, kAccepting)) {
        acceptPause_.forget(socket);
    }
    const int fd = fdOf(socket);
    if (Access::interest(socket) != 0) {
        // Closing is not enough: a copy of the descriptor in a process that is being started keeps it
        // registered.
        ::epoll_ctl(epoll_, EPOLL_CTL_DEL, fd, nullptr);
        Access::interest(socket) = 0;
    }
    if (reset) {
        const linger now{1, 0};
        ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    }
    ::close(fd);
    if (Access::pending(socket) == 0) {
        released_.push_back(&socket);
    }
}

void EpollBackend::cancelAccept(Socket& listener) {
    if (Access::stream(listener) != nullptr && !Access::has(listener, kReleasing | kCancelled)) {
        Access::set(listener, kCancelled);
        acceptPause_.forget(listener);
        ask(listener);
        enqueue(listener);
    }
}

void EpollBackend::disown(Socket& socket) {
    ask(socket); // nothing is wanted: not registered afterwards
    --context_.socketCount;
}

// ---- a turn ----

void EpollBackend::wait(int timeoutMs) {
    ready_ = ::epoll_wait(epoll_, events_.data(), static_cast<int>(events_.size()), timeoutMs);
}

void EpollBackend::dispatch() {
    for (int i = 0; i < ready_; ++i) {
        const epoll_event event = events_[static_cast<std::size_t>(i)];
        if (event.data.ptr == nullptr) {
            std::uint64_t count = 0;
            [[maybe_unused]] const ssize_t n = ::read(wakeup_, &count, sizeof count);
        } else {
            handle(*static_cast<Socket*>(event.data.ptr), event.events);
        }
    }
    ready_ = 0;
    lookAtQueued();
    deliverReleased();
}

void EpollBackend::handle(Socket& socket, std::uint32_t events) {
    if (Access::has(socket, kReleasing)) {
        return;
    }
    if (Access::has(socket, kAccepting)) {
        acceptSome(socket);
        return;
    }
    if (Access::has(socket, kConnecting)) {
        finishConnect(socket);
        return;
    }
    if ((events & (EPOLLOUT | EPOLLERR | EPOLLHUP)) != 0 && Access::write(socket) != nullptr &&
        !Access::has(socket, kLoading)) {
        writeSome(socket);
        if (Access::has(socket, kReleasing)) {
            return;
        }
    }
    if ((events & (EPOLLIN | EPOLLERR | EPOLLHUP)) != 0 && Access::stream(socket) != nullptr &&
        !Access::has(socket, kPaused)) {
        receiveSome(socket);
        return;
    }
    ask(socket);
}

void EpollBackend::lookAtQueued() {
    while (!queued_.empty()) {
        looking_.swap(queued_);
        for (Socket* socket : looking_) {
            Access::unset(*socket, kQueued);
            if (Access::has(*socket, kReleasing)) {
                continue;
            }
            if (Access::has(*socket, kCancelled)) {
                Access::unset(*socket, kCancelled);
                static_cast<AcceptOp*>(std::exchange(Access::stream(*socket), nullptr))
                    ->onAcceptEnd(ECANCELED);
            } else if (Access::stream(*socket) != nullptr && !Access::has(*socket, kPaused)) {
                receiveSome(*socket);
                if (!Access::has(*socket, kReleasing)) {
                    ask(*socket);
                }
            }
        }
        looking_.clear();
    }
}

void EpollBackend::acceptSome(Socket& listener) {
    for (int i = 0; i < kAcceptsPerTurn; ++i) {
        if (Access::stream(listener) == nullptr || Access::has(listener, kReleasing | kCancelled)) {
            return;
        }
        auto& op = *static_cast<AcceptOp*>(Access::stream(listener));
        sockaddr_storage peer;
        socklen_t length = sizeof peer;
        const int fd = ::accept4(fdOf(listener), reinterpret_cast<sockaddr*>(&peer), &length,
                                 SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0) {
            op.onAccepted(static_cast<NativeSocket>(fd), fromNative(&peer, length));
            lookAtQueued(); // while the connection is in the processor's cache
            continue;
        }
        const int error = errno;
        if (error == EAGAIN) {
            return;
        }
        if (error == EINTR) {
            continue;
        }
        if (AcceptPause::isOfOneClient(error)) {
            op.onAcceptError(error);
            continue;
        }
        if (!AcceptPause::isShortage(error)) {
            Access::stream(listener) = nullptr;
            ask(listener);
            op.onAcceptEnd(error);
            return;
        }
        // Not wanted until the pause is over: the system would report the waiting client again and again.
        ::epoll_ctl(epoll_, EPOLL_CTL_DEL, fdOf(listener), nullptr);
        Access::interest(listener) = 0;
        acceptPause_.pause(listener);
        op.onAcceptError(error);
        return;
    }
}

void EpollBackend::receiveSome(Socket& socket) {
    for (int i = 0; i < kReceivesPerTurn; ++i) {
        const ssize_t n = ::recv(fdOf(socket), input_.data(), input_.size(), 0);
        if (n > 0) {
            const auto size = static_cast<std::size_t>(n);
            static_cast<ReceiveOp*>(Access::stream(socket))->onReceived({input_.data(), size});
            if (size < input_.size() || Access::stream(socket) == nullptr ||
                Access::has(socket, kReleasing | kPaused)) {
                return;
            }
            continue;
        }
        if (n == 0) {
            endReceive(socket, 0);
            return;
        }
        if (errno == EAGAIN) {
            return;
        }
        if (errno != EINTR) {
            endReceive(socket, errno);
            return;
        }
    }
}

/// What the system still reports about the socket is dropped when it does so: most are released at once.
void EpollBackend::endReceive(Socket& socket, int error) {
    static_cast<ReceiveOp*>(std::exchange(Access::stream(socket), nullptr))->onReceiveEnd(error);
}

void EpollBackend::writeSome(Socket& socket) {
    WriteOp& op = *Access::write(socket);
    const bool warm = Access::has(socket, kWarm);
    Access::unset(socket, kWarm);
    const SendProgress progress =
        sendChain(fdOf(socket), Access::chain(op),
                  {.warm = warm, .askMemory = coldFiles_.isUseful(), .corked = &Access::corked(op)});
    const std::uint64_t sent = std::exchange(Access::unreported(op), 0) + progress.sent;
    if (sent > 0) {
        op.onWriteProgress(sent);
        if (Access::has(socket, kReleasing)) {
            return; // the end of the write is told with the release
        }
    }
    switch (progress.stop) {
    case SendProgress::Stop::finished:
    case SendProgress::Stop::broken:
        Access::write(socket) = nullptr;
        spares_.giveBack(Access::chain(op));
        op.onWritten(progress.error);
        break;
    case SendProgress::Stop::cold:
        load(socket);
        break;
    case SendProgress::Stop::full:
    case SendProgress::Stop::budget:
        break;
    }
    if (!Access::has(socket, kReleasing)) {
        ask(socket);
    }
}

void EpollBackend::load(Socket& socket) {
    Access::set(socket, kLoading);
    ++Access::pending(socket);
    coldFiles_.load(socket);
}

void EpollBackend::onWarm(Socket& socket) {
    --Access::pending(socket);
    Access::unset(socket, kLoading);
    if (Access::has(socket, kReleasing)) {
        released_.push_back(&socket);
        return;
    }
    Access::set(socket, kWarm);
    writeSome(socket);
}

void EpollBackend::finishConnect(Socket& socket) {
    int error = 0;
    socklen_t length = sizeof error;
    if (::getsockopt(fdOf(socket), SOL_SOCKET, SO_ERROR, &error, &length) != 0) {
        error = errno;
    }
    Access::unset(socket, kConnecting);
    auto& op = *static_cast<ConnectOp*>(std::exchange(Access::stream(socket), nullptr));
    op.onConnected(error);
    if (!Access::has(socket, kReleasing)) {
        ask(socket);
    }
}

void EpollBackend::deliverReleased() {
    // Those released meanwhile wait for the next turn: the queue may still point to them.
    delivering_.swap(released_);
    for (Socket* socket : delivering_) {
        endOperations(*socket, spares_);
        --context_.socketCount;
        Access::released(*socket);
    }
    delivering_.clear();
}

void EpollBackend::wake() {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t n = ::write(wakeup_, &one, sizeof one);
}

} // namespace

Result<std::unique_ptr<Backend>> makeEpollBackend(const BackendContext& context) {
    const int epoll = ::epoll_create1(EPOLL_CLOEXEC);
    if (epoll < 0) {
        return systemError(errno, "creating an epoll instance");
    }
    const int wakeup = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    epoll_event event{};
    event.events = EPOLLIN;
    if (wakeup < 0 || ::epoll_ctl(epoll, EPOLL_CTL_ADD, wakeup, &event) != 0) {
        const int error = errno;
        ::close(epoll);
        if (wakeup >= 0) {
            ::close(wakeup);
        }
        return systemError(error, "creating the event loop's wake-up handle");
    }
    return std::unique_ptr<Backend>(std::make_unique<EpollBackend>(context, epoll, wakeup));
}

} // namespace saker::loop
