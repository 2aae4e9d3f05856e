#include "loop/event_loop.h"

#include "loop/backend.h"

#include <algorithm>
#include <cassert>
#include <chrono>

namespace saker::loop {

namespace {

thread_local EventLoop* currentLoop = nullptr;

std::uint64_t monotonicMs() {
    const auto sinceStart = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(sinceStart).count());
}

// An occasional needless turn is cheap; a timeout beyond the int range is not.
constexpr std::uint64_t kLongestSleepMs = 3'600'000;

} // namespace

EventLoop::EventLoop(Key) : now_(monotonicMs()) {
    timers_.advance(now_);
}

EventLoop::~EventLoop() {
    assert(sockets_ == 0 && "a socket outlives its loop");
}

Result<std::unique_ptr<EventLoop>> EventLoop::create(const LoopOptions& options) {
    auto loop = std::make_unique<EventLoop>(Key{});
    auto backend = makeBackend(options, BackendContext{*loop, loop->sockets_, options.workers});
    if (!backend) {
        return backend.error();
    }
    loop->backend_ = std::move(*backend);
    return Result<std::unique_ptr<EventLoop>>(std::move(loop));
}

void EventLoop::run() {
    EventLoop* const outer = std::exchange(currentLoop, this);
    backend_->enter();
    while (!stopping_.load(std::memory_order_acquire)) {
        const int timeoutMs = timeout();
        if (timeoutMs != 0 && sleepHook_) {
            sleepHook_(true);
            backend_->wait(timeoutMs);
            sleepHook_(false);
        } else {
            backend_->wait(timeoutMs);
        }
        now_ = monotonicMs();
        backend_->dispatch();
        timers_.advance(now_);
        runPosted();
        if (turnHook_) {
            turnHook_();
        }
    }
    backend_->leave();
    stopping_.store(false, std::memory_order_relaxed);
    currentLoop = outer;
}

int EventLoop::timeout() {
    if (backend_->hasWork() || awake_.load(std::memory_order_relaxed)) {
        return 0;
    }
    const std::uint64_t next = timers_.nextDeadline();
    if (next == TimerWheel::kNever) {
        return -1;
    }
    return next <= now_ ? 0 : static_cast<int>(std::min(next - now_, kLongestSleepMs));
}

void EventLoop::stop() {
    stopping_.store(true, std::memory_order_release);
    wake();
}

void EventLoop::post(std::function<void()> function) {
    {
        const std::lock_guard lock(mutex_);
        posted_.push_back(std::move(function));
    }
    wake();
}

void EventLoop::wake() {
    // One system call for a burst of posts: the flag falls when the loop looks into the mailbox, and while it
    // stands the loop does not sleep.
    if (!awake_.exchange(true, std::memory_order_acq_rel) && currentLoop != this) {
        backend_->wake();
    }
}

void EventLoop::runPosted() {
    if (!awake_.load(std::memory_order_relaxed)) {
        return;
    }
    awake_.store(false, std::memory_order_seq_cst);
    {
        const std::lock_guard lock(mutex_);
        running_.swap(posted_);
    }
    for (std::function<void()>& function : running_) {
        function();
        function = nullptr;
    }
    running_.clear();
}

void EventLoop::adopt(Socket& socket, NativeSocket native) {
    assert(!socket.isOpen() && native != kNoSocket);
    SocketAccess::native(socket) = native;
    SocketAccess::state(socket) = 0;
    ++sockets_;
    backend_->adopt(socket);
}

Submitted EventLoop::accept(Socket& listener, AcceptOp& op) {
    return backend_->accept(listener, op);
}
bool EventLoop::receive(Socket& socket, ReceiveOp& op) {
    return backend_->receive(socket, op);
}
void EventLoop::pauseReceive(Socket& socket) {
    backend_->pauseReceive(socket);
}
void EventLoop::resumeReceive(Socket& socket) {
    backend_->resumeReceive(socket);
}
Submitted EventLoop::connect(Socket& socket, ConnectOp& op, const SocketAddress& address) {
    return backend_->connect(socket, op, address);
}
void EventLoop::shutdownWrite(Socket& socket) {
    backend_->shutdownWrite(socket);
}
void EventLoop::release(Socket& socket, bool reset) {
    backend_->release(socket, reset);
}
void EventLoop::cancelAccept(Socket& listener) {
    backend_->cancelAccept(listener);
}

Submitted EventLoop::write(Socket& socket, WriteOp& op, BufferChain& chain) {
    assert(SocketAccess::write(socket) == nullptr);
    if (chain.empty()) {
        return Submitted::done;
    }
    return backend_->write(socket, op, chain);
}

NativeSocket EventLoop::disown(Socket& socket) {
    backend_->disown(socket);
    return std::exchange(SocketAccess::native(socket), kNoSocket);
}

BackendKind EventLoop::backendKind() const {
    return backend_->kind();
}

const char* EventLoop::backendName(BackendKind kind) {
    switch (kind) {
    case BackendKind::automatic:
        return "auto";
    case BackendKind::epoll:
        return "epoll";
    case BackendKind::ioUring:
        return "io_uring";
    case BackendKind::iocp:
        return "iocp";
    case BackendKind::fault:
        return "fault";
    }
    return "unknown";
}

EventLoop* EventLoop::current() {
    return currentLoop;
}

} // namespace saker::loop
