// What the system knows about this process, and who holds a port. Any thread.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>

namespace saker::os {

struct ProcessUsage {
    std::uint64_t residentBytes = 0;
    std::uint64_t cpuMicros = 0; ///< user and system time of all threads since the start
    unsigned threads = 0;
    std::uint64_t takenMicros = 0; ///< monotonic time of this sample
};
ProcessUsage processUsage();

/// The share of CPU time between two samples in percent, summed over cores; 0 when no time has passed.
double cpuPercent(const ProcessUsage& before, const ProcessUsage& after);

std::uint64_t processId();
/// What the system calls this machine; "" when it does not say.
std::string hostName();
/// When this process started: seconds since 1970.
std::int64_t processStartTime();
/// Whole seconds since then, on a clock that is not set back.
std::uint64_t uptimeSeconds();

struct DescriptorLimit {
    std::uint64_t before = 0;
    std::uint64_t now = 0;
};
/// Raises the limit of open descriptors as far as this user may.
Result<DescriptorLimit> raiseDescriptorLimit();

/// Who listens on a TCP port: "nginx (pid 1234)"; "a process of another user" when its name is not ours to
/// read; empty when nobody does. Reads /proc of all processes: for error messages only.
std::string portHolder(std::uint16_t port);

/// Kills the processes, ourselves excepted, that hold a listening Unix socket whose name is below the folder:
/// what a server that died there has left running. Returns how many they were. Reads /proc of all processes;
/// another user's are out of reach unless we are root.
std::size_t killListenersBelow(const std::string& folder);

} // namespace saker::os
