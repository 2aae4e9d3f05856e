// One event loop: one thread, one backend, everything accepted on it. All functions are for the loop's own
// thread, except post() and stop(), which any thread may call.
#pragma once

#include "base/result.h"
#include "loop/op.h"
#include "loop/timer_wheel.h"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace saker::loop {

class Backend;
class WorkerPool;

/// Which backend to use: "auto" probes io_uring and falls back to epoll. `fault` wraps epoll and shuffles,
/// shortens and delays completions; it is there for tests.
enum class BackendKind : std::uint8_t { automatic, epoll, ioUring, iocp, fault };

struct LoopOptions {
    BackendKind backend = BackendKind::automatic;
    std::uint64_t faultSeed = 1; ///< of the fault backend's choices
    /// Reads parts of files that are not in memory yet, so that the loop does not wait for a disk; without it
    /// the loop reads them itself. Must outlive the loop's last run().
    WorkerPool* workers = nullptr;
};

class EventLoop {
    struct Key {};

public:
    /// Fails when the wanted backend is not available; the message says why. On POSIX systems SIGPIPE is
    /// ignored from then on, unless the process handles it: programs that it starts should get the default
    /// back.
    static Result<std::unique_ptr<EventLoop>> create(const LoopOptions& options);
    /// REQUIRES: every socket has been released or disowned.
    ~EventLoop();
    EventLoop(const EventLoop&) = delete;
    EventLoop& operator=(const EventLoop&) = delete;

    /// Runs until stop(). Turns: submit what was queued, wait, deliver completions, timers, posted functions.
    /// May be called again, always on the same thread; before the first run() the creating thread may submit.
    void run();
    /// Lets run() return after the current turn, or at once when it is called next. Any thread.
    void stop();
    /// Runs the function on the loop's thread, in order. Any thread. Functions that no run() reaches are
    /// dropped.
    void post(std::function<void()> function);

    /// Makes a native socket the loop's. It must be non-blocking.
    void adopt(Socket& socket, NativeSocket native);
    Submitted accept(Socket& listener, AcceptOp& op);
    /// Starts the stream; false when the socket is broken already.
    bool receive(Socket& socket, ReceiveOp& op);
    /// No onReceived until resumed; bytes stay in the system, so the peer is slowed down.
    void pauseReceive(Socket& socket);
    void resumeReceive(Socket& socket);
    /// Sends all of the chain, which is empty afterwards. REQUIRES: no write pending on this socket.
    /// `done`: all of it left within the call (usual with epoll). Pieces are kept alive until they have left.
    Submitted write(Socket& socket, WriteOp& op, BufferChain& chain);
    /// `failed`: the system's last error says why (errno; nothing else was called meanwhile).
    Submitted connect(Socket& socket, ConnectOp& op, const SocketAddress& address);
    /// Half-closes: the peer reads an end after what was written. REQUIRES: no write pending.
    void shutdownWrite(Socket& socket);
    /// Cancels everything pending, closes, and calls onReleased() from a later turn. `reset` sends RST.
    void release(Socket& socket, bool reset = false);
    /// Ends an accept without losing a connection: see net::Listener::retire.
    void cancelAccept(Socket& listener);
    /// Gives the native socket back without closing it (a listener that is passed on). REQUIRES: nothing
    /// pending.
    NativeSocket disown(Socket& socket);

    /// Timers of this loop; a timer is a member of its owner and cancels itself when destroyed.
    TimerWheel& timers() { return timers_; }
    /// Monotonic milliseconds, read once a turn.
    std::uint64_t now() const { return now_; }
    /// Called at the end of every turn before the loop sleeps (quiescent state, flushing); set once.
    void setTurnHook(std::function<void()> hook) { turnHook_ = std::move(hook); }
    /// Called before sleeping with no work at hand (true) and after waking (false); for quiescent-state
    /// readers.
    void setSleepHook(std::function<void(bool)> hook) { sleepHook_ = std::move(hook); }

    /// Sockets adopted and neither released nor disowned yet.
    std::size_t socketCount() const { return sockets_; }
    BackendKind backendKind() const;
    static const char* backendName(BackendKind kind);
    /// The loop whose thread this is, or null.
    static EventLoop* current();

    explicit EventLoop(Key);

private:
    void wake();
    int timeout();
    void runPosted();

    TimerWheel timers_;
    std::unique_ptr<Backend> backend_; // after timers_, which it uses
    std::uint64_t now_ = 0;
    std::size_t sockets_ = 0;
    std::atomic<bool> stopping_{false};
    std::atomic<bool> awake_{false}; // a wake-up is under way or not needed
    std::mutex mutex_;
    std::vector<std::function<void()>> posted_;  // guarded by mutex_
    std::vector<std::function<void()>> running_; // being called
    std::function<void()> turnHook_;
    std::function<void(bool)> sleepHook_;
};

} // namespace saker::loop
