// One PHP that is kept running: processes of one program behind one Unix socket that a FastCGI client
// connects to. The socket is ours and is there as long as the pool, so connections made while PHP starts, is
// replaced or comes back after a crash wait in the socket's queue; only while state() is `failed` nobody will
// answer them, and they are closed.
//
// The functions of the first part may be called by any thread and never block. The others belong to PhpPools
// and run on the ChildThread.
#pragma once

#include "observe/log.h"
#include "os/child_thread.h"
#include "os/local_listener.h"
#include "php/kept_program.h"
#include "php/php_finder.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace saker::php {

enum class PhpState : std::uint8_t {
    waiting,  ///< not started: nobody has connected yet
    starting, ///< about to answer
    ready,
    failed,  ///< does not start or does not stay; tried again after a pause
    stopped, ///< for good
};
std::string_view stateName(PhpState state);

/// For the console and the desktop app.
struct PhpStatus {
    std::string version;
    std::string binary;
    PhpKind kind = PhpKind::fpm;
    PhpState state = PhpState::waiting;
    std::string endpoint;
    std::uint32_t children = 0;           ///< requests at once
    std::vector<std::uint64_t> processes; ///< php-fpm's master, or each php-cgi
    std::uint64_t restarts = 0;           ///< after crashes
    std::string lastError;                ///< why it last ended or did not start; "": never
};

/// What a pool runs with; another value of it means to replace the processes.
struct PhpPoolSettings {
    PhpBinary binary;
    std::uint32_t children = 1;
    std::uint32_t maxRequests = 0; ///< 0: no limit
    std::chrono::milliseconds requestTimeout{0};
    std::optional<os::Account> account; ///< who PHP runs as; nothing: as we do
    std::vector<std::pair<std::string, std::string>> ini;

    bool operator==(const PhpPoolSettings&) const = default;
};

/// Where the lines go that PHP and its masters say. Called on the ChildThread.
using PhpLog = std::function<void(log::Level level, std::string_view version, std::string_view line)>;

class PhpPool {
public:
    virtual ~PhpPool() = default;
    PhpPool(const PhpPool&) = delete;
    PhpPool& operator=(const PhpPool&) = delete;

    /// The path of the Unix socket.
    const std::string& endpoint() const { return listener_.path(); }
    /// How many requests it answers at once; a client with more connections than this only makes some wait.
    std::uint32_t children() const { return children_.load(std::memory_order_relaxed); }
    PhpState state() const { return state_.load(std::memory_order_relaxed); }
    /// Rises when new processes have taken over from old ones (change()): a connection from before leads to
    /// an old one, which ends only when that is closed.
    std::uint64_t generation() const { return generation_.load(std::memory_order_relaxed); }
    PhpStatus status() const;

    /// Starts PHP when the first client connects.
    void startWhenAsked();
    void startNow();
    /// Other settings: new processes take over from the old ones, which finish what they are at. The old ones
    /// stay when the new ones do not start.
    void change(PhpPoolSettings settings);
    /// Ends PHP for good: within `grace` the requests under way may finish. `done` is called when nothing
    /// runs any more. May be called again, with less grace.
    void stop(std::chrono::milliseconds grace, std::function<void()> done = {});

protected:
    PhpPool(os::ChildThread& thread, os::LocalListener listener, PhpPoolSettings settings, PhpLog log);

    /// How many programs make up this pool, how they live, and what each start of one takes.
    virtual std::size_t slots() const = 0;
    virtual KeptProgram::Manner manner() const = 0;
    virtual Result<os::ChildSetup> setup() = 0;
    /// A line that a program has said: to be logged. True when it says that the program is ready.
    virtual bool onLine(std::string_view line) = 0;

    const PhpPoolSettings& settings() const { return settings_; }
    const os::LocalListener& listener() const { return listener_; }
    /// Into the log; complaints are remembered for the message about the program's end.
    void say(log::Level level, std::string_view line);

private:
    void addPrograms();
    void onTrouble(const std::string& what);
    void onChange();
    PhpState combinedState() const;

    os::ChildThread& thread_;
    const os::LocalListener listener_;
    const PhpLog log_;
    std::atomic<PhpState> state_{PhpState::waiting};
    std::atomic<std::uint32_t> children_;
    std::atomic<std::uint64_t> generation_{0};

    // The thread's own.
    PhpPoolSettings settings_;
    std::vector<std::unique_ptr<KeptProgram>> programs_;
    std::vector<std::unique_ptr<KeptProgram>> retired_; ///< of a time with more children
    std::string complaint_;                             ///< the last one since the last trouble
    std::vector<std::function<void()>> whenStopped_;
    bool stopping_ = false;

    mutable std::mutex mutex_;
    PhpStatus status_; // guarded by mutex_
};

/// What a program of PHP's finds in its environment: what it needs of ours, and nothing else.
std::vector<std::string> phpEnvironment(const PhpPoolSettings& settings);

} // namespace saker::php
