#include "os/run_program.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <optional>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace saker::os {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostOutput = 64 * 1024;
/// A program that has closed its output is about to end; it is looked at this often.
constexpr std::chrono::milliseconds kLookEvery{5};

/// One end of a pipe.
class Handle {
public:
    explicit Handle(int handle) : handle_(handle) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    ~Handle() { reset(); }
    int get() const { return handle_; }
    void reset() {
        if (handle_ >= 0) {
            ::close(handle_);
        }
        handle_ = -1;
    }

private:
    int handle_;
};

/// What the child gets: output into the pipe, nothing to read, ordinary signals.
class SpawnPlan {
public:
    explicit SpawnPlan(int output) {
        ::posix_spawn_file_actions_init(&actions_);
        ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        ::posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
        ::posix_spawn_file_actions_adddup2(&actions_, output, STDERR_FILENO);
        ::posix_spawnattr_init(&attributes_);
        sigset_t none;
        sigset_t usual;
        ::sigemptyset(&none);
        ::sigemptyset(&usual);
        for (int signal : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
            ::sigaddset(&usual, signal);
        }
        ::posix_spawnattr_setsigmask(&attributes_, &none);
        ::posix_spawnattr_setsigdefault(&attributes_, &usual);
        ::posix_spawnattr_setpgroup(&attributes_, 0); // so that what it starts can be ended with it
        ::posix_spawnattr_setflags(&attributes_,
                                   POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    }
    SpawnPlan(const SpawnPlan&) = delete;
    SpawnPlan& operator=(const SpawnPlan&) = delete;
    ~SpawnPlan() {
        ::posix_spawn_file_actions_destroy(&actions_);
        ::posix_spawnattr_destroy(&attributes_);
    }
    const posix_spawn_file_actions_t* actions() const { return &actions_; }
    const posix_spawnattr_t* attributes() const { return &attributes_; }

private:
    posix_spawn_file_actions_t actions_;
    posix_spawnattr_t attributes_;
};

/// Reads until the end, or until the time is over: false.
bool collect(int handle, Clock::time_point until, std::string& output) {
    std::array<char, 4096> buffer;
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
        pollfd waiting{handle, POLLIN, 0};
        const int ready = left > 0 ? ::poll(&waiting, 1, static_cast<int>(left)) : 0;
        if (ready < 0 && errno == EINTR) {
            continue;
        }
        if (ready == 0) {
            return false;
        }
        const ssize_t size = ::read(handle, buffer.data(), buffer.size());
        if (size < 0 && errno == EINTR) {
            continue;
        }
        if (size <= 0) {
            return true;
        }
        output.append(buffer.data(), std::min(static_cast<std::size_t>(size), kMostOutput - output.size()));
    }
}

/// Its status, or nothing when it still runs at the end of the time.
std::optional<int> waitFor(pid_t child, Clock::time_point until) {
    for (;;) {
        int status = 0;
        const pid_t ended = ::waitpid(child, &status, WNOHANG);
        if (ended == child) {
            return status;
        }
        if (ended < 0 && errno != EINTR) {
            return 0; // somebody else has collected it
        }
        if (Clock::now() >= until) {
            return std::nullopt;
        }
        ::poll(nullptr, 0, static_cast<int>(kLookEvery.count()));
    }
}

} // namespace

Result<ProgramOutcome> runProgram(const std::vector<std::string>& argv, std::chrono::milliseconds limit) {
    std::array<int, 2> ends{-1, -1};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        return systemError(errno, "cannot make a pipe for the output of", argv.front());
    }
    Handle reading(ends[0]);
    Handle writing(ends[1]);
    std::vector<char*> arguments;
    for (const std::string& argument : argv) {
        arguments.push_back(
            const_cast<char*>(argument.c_str())); // the call's old signature; nothing is written
    }
    arguments.push_back(nullptr);
    pid_t child = 0;
    {
        SpawnPlan plan(writing.get());
        if (const int error = ::posix_spawn(&child, argv.front().c_str(), plan.actions(), plan.attributes(),
                                            arguments.data(), environ);
            error != 0) {
            return systemError(error, "cannot start the program", argv.front());
        }
    }
    writing.reset();
    ProgramOutcome outcome;
    const Clock::time_point until = Clock::now() + limit;
    const bool closed = collect(reading.get(), until, outcome.output);
    std::optional<int> status = closed ? waitFor(child, until) : std::nullopt;
    if (!status) {
        ::kill(-child, SIGKILL);
        while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
        }
        return Error{ErrorKind::temporary,
                     fmt::format("it did not end within {} ms and was stopped", limit.count()), argv.front()};
    }
    outcome.exitCode = WIFSIGNALED(*status) ? 128 + WTERMSIG(*status) : WEXITSTATUS(*status);
    return outcome;
}

std::string findProgram(std::string_view name) {
    const char* path = std::getenv("PATH");
    std::string folders = path ? path : "";
    folders += ":/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    for (std::string_view folder : split(folders, ':')) {
        std::string candidate = fmt::format("{}/{}", folder, name);
        if (folder.starts_with('/') && ::access(candidate.c_str(), X_OK) == 0) {
            return candidate;
        }
    }
    return {};
}

} // namespace saker::os
