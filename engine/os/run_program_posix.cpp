#include "os/run_program.h"

#include "base/text.h"
#include "os/child_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <optional>

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

namespace saker::os {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostOutput = 64 * 1024;
/// Where the system does not tell the end of a program, it is looked at this often.
constexpr std::chrono::milliseconds kLookEvery{5};

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
        if (size < 0 && (errno == EINTR || errno == EAGAIN)) {
            continue;
        }
        if (size <= 0) {
            return true;
        }
        output.append(buffer.data(), std::min(static_cast<std::size_t>(size), kMostOutput - output.size()));
    }
}

/// Its exit code, or nothing when it still runs at the end of the time.
std::optional<int> waitFor(const ChildProcess& child, Clock::time_point until) {
    for (;;) {
        if (const std::optional<int> code = child.ended()) {
            return code;
        }
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
        if (left.count() <= 0) {
            return std::nullopt;
        }
        const bool tells = child.endHandle() >= 0;
        pollfd waiting{static_cast<int>(child.endHandle()), POLLIN, 0};
        ::poll(&waiting, 1, static_cast<int>((tells ? left : std::min(left, kLookEvery)).count()));
    }
}

} // namespace

Result<ProgramOutcome> runProgram(const std::vector<std::string>& argv, std::chrono::milliseconds limit) {
    ChildSetup setup;
    setup.argv = argv;
    Result<ChildProcess> child = ChildProcess::start(setup);
    if (!child) {
        return child.error();
    }
    ProgramOutcome outcome;
    const Clock::time_point until = Clock::now() + limit;
    const bool closed = collect(static_cast<int>(child->outputHandle()), until, outcome.output);
    const std::optional<int> code = closed ? waitFor(*child, until) : std::nullopt;
    if (!code) { // what is left of it is killed with the object
        return Error{ErrorKind::temporary,
                     fmt::format("it did not end within {} ms and was stopped", limit.count()), argv.front()};
    }
    outcome.exitCode = *code;
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
