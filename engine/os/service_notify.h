// Talking to the service manager (systemd's sd_notify protocol, written out: a datagram of NAME=value lines
// to the socket named in the environment). Without a service manager every call does nothing.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace saker::os {

class ServiceNotifier {
public:
    /// Inactive.
    ServiceNotifier() = default;
    /// A path, or "@name" for an abstract socket; empty: inactive.
    explicit ServiceNotifier(std::string socket) : socket_(std::move(socket)) {}
    /// From NOTIFY_SOCKET and WATCHDOG_USEC / WATCHDOG_PID, which are removed from the environment: they are
    /// not for the programs that the engine starts. At start, before other threads.
    static ServiceNotifier fromEnvironment();

    bool isActive() const { return !socket_.empty(); }

    /// The functions below can be called from any thread. False: nobody was told (inactive, or the socket is
    /// gone).
    bool ready(std::string_view status = {}) const;
    /// A reload begins; ready() ends it. Carries the monotonic time, as Type=notify-reload demands.
    bool reloading() const;
    bool stopping(std::string_view status = {}) const;
    /// One line for `systemctl status`.
    bool status(std::string_view text) const;
    bool watchdog() const;
    bool mainProcess(std::uint64_t pid) const;

    /// How often watchdog() must be called: half of what the service manager allows; nothing when it does not
    /// watch.
    std::optional<std::chrono::microseconds> watchdogInterval() const { return watchdogInterval_; }

private:
    bool send(const std::string& message) const;

    std::string socket_;
    std::optional<std::chrono::microseconds> watchdogInterval_;
};

/// A socket that the service manager opened for us.
struct InheritedSocket {
    std::uintptr_t native = 0;
    std::string name; ///< its FileDescriptorName=, "unknown" by default
};

/// What LISTEN_PID, LISTEN_FDS and LISTEN_FDNAMES say, for the process of that id. Descriptors are numbered
/// from 3.
std::vector<InheritedSocket> parseInheritedSockets(std::string_view listenPid, std::string_view listenFds,
                                                   std::string_view names, std::uint64_t pid);
/// The same from the environment, whose entries are removed; the sockets are closed in programs started
/// later. They must never be closed while the engine may reload: keep them for a configuration that names
/// their address again.
std::vector<InheritedSocket> takeInheritedSockets();

} // namespace saker::os
