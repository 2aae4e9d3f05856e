#include "os/process.h"

#include "base/text.h"
#include "os/proc_text.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <string_view>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

namespace saker::os {

namespace {

std::uint64_t clockMicros(clockid_t clock) {
    struct timespec time {};
    ::clock_gettime(clock, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000 +
           static_cast<std::uint64_t>(time.tv_nsec) / 1000;
}

std::string readAll(const std::string& path) {
    std::string text;
    int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return text;
    }
    std::array<char, 16384> block;
    for (ssize_t n; (n = ::read(fd, block.data(), block.size())) > 0;) {
        text.append(block.data(), static_cast<std::size_t>(n));
    }
    ::close(fd);
    return text;
}

std::uint64_t ticksSinceBoot() { // of the start of this process
    static const std::uint64_t ticks = parseProcessStat(readAll("/proc/self/stat")).startTicks;
    return ticks;
}

struct CloseDirectory {
    void operator()(DIR* directory) const { ::closedir(directory); }
};
using Directory = std::unique_ptr<DIR, CloseDirectory>;

/// Whether one of the descriptors in /proc/<pid>/fd is one of the sockets.
bool holdsOneOf(const std::vector<std::uint64_t>& inodes, const std::string& descriptors) {
    Directory directory(::opendir(descriptors.c_str()));
    if (!directory) {
        return false; // ended, or another user's
    }
    while (const dirent* entry = ::readdir(directory.get())) {
        std::array<char, 64> target;
        ssize_t n = ::readlinkat(::dirfd(directory.get()), entry->d_name, target.data(), target.size());
        if (n <= 0) {
            continue;
        }
        std::string_view link(target.data(), static_cast<std::size_t>(n));
        if (link.substr(0, 8) != "socket:[" || link.back() != ']') {
            continue;
        }
        auto inode = parseDecimal(link.substr(8, link.size() - 9));
        if (inode && std::find(inodes.begin(), inodes.end(), *inode) != inodes.end()) {
            return true;
        }
    }
    return false;
}

} // namespace

ProcessUsage processUsage() {
    ProcessStat stat = parseProcessStat(readAll("/proc/self/stat"));
    ProcessUsage usage;
    usage.residentBytes = stat.residentPages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    usage.threads = stat.threads;
    usage.cpuMicros = clockMicros(CLOCK_PROCESS_CPUTIME_ID);
    usage.takenMicros = clockMicros(CLOCK_MONOTONIC);
    return usage;
}

std::string hostName() {
    std::array<char, HOST_NAME_MAX + 1> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : std::string();
}

std::uint64_t processId() {
    return static_cast<std::uint64_t>(::getpid());
}

std::uint64_t uptimeSeconds() {
    std::uint64_t started = ticksSinceBoot() / static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
    std::uint64_t now = clockMicros(CLOCK_BOOTTIME) / 1'000'000; // the clock that start times are stated in
    return now > started ? now - started : 0;
}

std::int64_t processStartTime() {
    return static_cast<std::int64_t>(clockMicros(CLOCK_REALTIME) / 1'000'000 - uptimeSeconds());
}

Result<DescriptorLimit> raiseDescriptorLimit() {
    struct rlimit limit {};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return systemError(errno, "reading the limit of open files");
    }
    DescriptorLimit result{limit.rlim_cur, limit.rlim_max};
    if (limit.rlim_cur != limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) {
            return systemError(errno, fmt::format("raising the limit of open files from {} to {}",
                                                  result.before, result.now));
        }
    }
    return result;
}

std::string portHolder(std::uint16_t port) {
    std::vector<std::uint64_t> inodes = listeningInodes(readAll("/proc/net/tcp"), port);
    for (std::uint64_t inode : listeningInodes(readAll("/proc/net/tcp6"), port)) {
        inodes.push_back(inode);
    }
    if (inodes.empty()) {
        return {};
    }
    Directory processes(::opendir("/proc"));
    while (const dirent* entry = processes ? ::readdir(processes.get()) : nullptr) {
        if (!parseDecimal(entry->d_name)) {
            continue;
        }
        std::string folder = std::string("/proc/") + entry->d_name;
        if (holdsOneOf(inodes, folder + "/fd")) {
            std::string name(trimLines(readAll(folder + "/comm")));
            return fmt::format("{} (pid {})", name.empty() ? "a process" : name, entry->d_name);
        }
    }
    return "a process of another user";
}

std::size_t killListenersBelow(const std::string& folder) {
    const std::vector<std::uint64_t> inodes = localListenerInodes(readAll("/proc/net/unix"), folder);
    if (inodes.empty()) {
        return 0;
    }
    std::size_t killed = 0;
    Directory processes(::opendir("/proc"));
    while (const dirent* entry = processes ? ::readdir(processes.get()) : nullptr) {
        const auto id = parseDecimal(entry->d_name);
        if (id && *id != processId() && holdsOneOf(inodes, std::string("/proc/") + entry->d_name + "/fd") &&
            ::kill(static_cast<pid_t>(*id), SIGKILL) == 0) {
            ++killed;
        }
    }
    return killed;
}

} // namespace saker::os
