// How many loops make sense here, and on which core a thread runs.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string_view>

namespace saker::os {

/// The cores that this process may use at once: its affinity mask, cut by the CPU quota of its control groups
/// (rounded up). At least 1.
unsigned defaultWorkerCount();

/// Cores in the affinity mask of the calling thread.
unsigned allowedCores();

/// The quota in cores that a control group's `cpu.max` states ("200000 100000" is 2); nothing for "max" and
/// nonsense.
std::optional<double> parseCpuMax(std::string_view text);
/// The same of version 1's two files, cpu.cfs_quota_us (-1: none) and cpu.cfs_period_us.
std::optional<double> parseCfsQuota(std::string_view quota, std::string_view period);
/// The smallest quota on the way from this process's control group to the root. `membership` is the text of
/// /proc/self/cgroup, `root` the folder where control groups are mounted.
std::optional<double> cgroupQuota(std::string_view membership, const std::filesystem::path& root);

/// Keeps the calling thread on the n-th allowed core (modulo their number). False when the system refuses.
bool pinCurrentThread(std::size_t n);

} // namespace saker::os
