#include "os/service_notify.h"

#include "base/text.h"

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace saker::os {

namespace {

constexpr std::uintptr_t kFirstInherited = 3;
/// More than any unit passes; a wrong number must not make us claim descriptors by the million.
constexpr std::uint64_t kMaxInherited = 4096;

std::string takeVariable(const char* name) {
    const char* value = std::getenv(name);
    std::string text = value ? value : "";
    ::unsetenv(name);
    return text;
}

/// One NAME=value line: a line feed in the value would begin another assignment.
std::string oneLine(std::string_view text) {
    return std::string(text.substr(0, text.find('\n')));
}

} // namespace

ServiceNotifier ServiceNotifier::fromEnvironment() {
    ServiceNotifier notifier(takeVariable("NOTIFY_SOCKET"));
    auto interval = parseDecimal(takeVariable("WATCHDOG_USEC"));
    auto pid = parseDecimal(takeVariable("WATCHDOG_PID"));
    if (notifier.isActive() && interval && *interval > 0 &&
        (!pid || *pid == static_cast<std::uint64_t>(::getpid()))) {
        notifier.watchdogInterval_ = std::chrono::microseconds(*interval / 2);
    }
    return notifier;
}

bool ServiceNotifier::send(const std::string& message) const {
    sockaddr_un address{};
    if (socket_.empty() || (socket_[0] != '/' && socket_[0] != '@') ||
        socket_.size() >= sizeof(address.sun_path)) {
        return false;
    }
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, socket_.data(), socket_.size());
    std::size_t size = offsetof(sockaddr_un, sun_path) + socket_.size();
    if (socket_[0] == '@') {
        address.sun_path[0] = '\0'; // Linux: a name without a file; its length counts, not an end mark
    } else {
        ++size;
    }
    int fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return false;
    }
    ssize_t sent = 0;
    do {
        sent = ::sendto(fd, message.data(), message.size(), MSG_NOSIGNAL,
                        reinterpret_cast<const sockaddr*>(&address), static_cast<socklen_t>(size));
    } while (sent < 0 && errno == EINTR);
    ::close(fd);
    return sent == static_cast<ssize_t>(message.size());
}

bool ServiceNotifier::ready(std::string_view status) const {
    return send(status.empty() ? "READY=1" : "READY=1\nSTATUS=" + oneLine(status));
}

bool ServiceNotifier::reloading() const {
    struct timespec now {};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return send(fmt::format("RELOADING=1\nMONOTONIC_USEC={}",
                            static_cast<std::int64_t>(now.tv_sec) * 1'000'000 + now.tv_nsec / 1000));
}

bool ServiceNotifier::stopping(std::string_view status) const {
    return send(status.empty() ? "STOPPING=1" : "STOPPING=1\nSTATUS=" + oneLine(status));
}

bool ServiceNotifier::status(std::string_view text) const {
    return send("STATUS=" + oneLine(text));
}

bool ServiceNotifier::watchdog() const {
    return send("WATCHDOG=1");
}

bool ServiceNotifier::mainProcess(std::uint64_t pid) const {
    return send(fmt::format("MAINPID={}", pid));
}

std::vector<InheritedSocket> parseInheritedSockets(std::string_view listenPid, std::string_view listenFds,
                                                   std::string_view names, std::uint64_t pid) {
    auto count = parseDecimal(listenFds);
    // A parent's environment that was passed on by mistake names another process.
    if (parseDecimal(listenPid) != pid || !count || *count > kMaxInherited) {
        return {};
    }
    std::vector<std::string_view> each = split(names, ':');
    std::vector<InheritedSocket> sockets;
    for (std::uint64_t i = 0; i < *count; ++i) {
        bool named = i < each.size() && !each[i].empty();
        sockets.push_back({kFirstInherited + i, named ? std::string(each[i]) : "unknown"});
    }
    return sockets;
}

std::vector<InheritedSocket> takeInheritedSockets() {
    std::string pid = takeVariable("LISTEN_PID");
    std::string fds = takeVariable("LISTEN_FDS");
    std::string names = takeVariable("LISTEN_FDNAMES");
    auto sockets = parseInheritedSockets(pid, fds, names, static_cast<std::uint64_t>(::getpid()));
    for (const InheritedSocket& socket : sockets) {
        ::fcntl(static_cast<int>(socket.native), F_SETFD, FD_CLOEXEC);
    }
    return sockets;
}

} // namespace saker::os
