#include "os/affinity.h"

#include "base/text.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <sched.h>
#include <string>
#include <vector>

namespace saker::os {

namespace {

/// The calling thread's mask as core numbers; empty when it cannot be read.
std::vector<std::size_t> allowedCoreNumbers() {
    // The system refuses a set that is smaller than its own: machines have more cores than one cpu_set_t
    // holds.
    for (std::size_t sets = 1; sets <= 64; sets *= 2) {
        std::vector<cpu_set_t> mask(sets);
        std::size_t bytes = sets * sizeof(cpu_set_t);
        if (::sched_getaffinity(0, bytes, mask.data()) != 0) {
            continue;
        }
        std::vector<std::size_t> cores;
        for (std::size_t core = 0; core < bytes * 8; ++core) {
            if (CPU_ISSET_S(core, bytes, mask.data())) {
                cores.push_back(core);
            }
        }
        return cores;
    }
    return {};
}

std::string readText(const std::filesystem::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::optional<double> quotaIn(const std::filesystem::path& folder) {
    if (auto quota = parseCpuMax(readText(folder / "cpu.max"))) {
        return quota;
    }
    return parseCfsQuota(readText(folder / "cpu.cfs_quota_us"), readText(folder / "cpu.cfs_period_us"));
}

/// The least of the quotas of the group and all groups above it, up to the root.
std::optional<double> leastQuota(const std::filesystem::path& root, std::string_view group) {
    std::optional<double> least;
    for (;;) {
        while (!group.empty() && group.back() == '/') {
            group.remove_suffix(1);
        }
        std::filesystem::path folder = root;
        if (!group.empty()) {
            folder /= std::filesystem::path(group.substr(1));
        }
        if (auto quota = quotaIn(folder); quota && (!least || *quota < *least)) {
            least = quota;
        }
        if (group.empty()) {
            return least;
        }
        group = group.substr(0, group.rfind('/'));
    }
}

} // namespace

std::optional<double> parseCpuMax(std::string_view text) {
    text = trimLines(text);
    std::size_t space = text.find(' ');
    if (space == std::string_view::npos) {
        return std::nullopt;
    }
    return parseCfsQuota(text.substr(0, space), text.substr(space + 1));
}

std::optional<double> parseCfsQuota(std::string_view quota, std::string_view period) {
    auto time = parseDecimal(trimLines(quota)); // "max" and -1 are no such numbers
    auto of = parseDecimal(trimLines(period));
    if (!time || !of || *time == 0 || *of == 0) {
        return std::nullopt;
    }
    return static_cast<double>(*time) / static_cast<double>(*of);
}

std::optional<double> cgroupQuota(std::string_view membership, const std::filesystem::path& root) {
    std::optional<double> least;
    for (std::string_view line : split(membership, '\n')) {
        // "id:controllers:/path"; version 2 has id 0 and no controllers.
        std::size_t first = line.find(':');
        std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
        if (second == std::string_view::npos || line.substr(second + 1, 1) != "/") {
            continue;
        }
        std::string_view controllers = line.substr(first + 1, second - first - 1);
        std::filesystem::path mount = root;
        if (!controllers.empty()) {
            std::vector<std::string_view> names = split(controllers, ',');
            if (std::find(names.begin(), names.end(), "cpu") == names.end()) {
                continue;
            }
            mount /= std::filesystem::path(controllers); // "cpu,cpuacct"; many systems also link "cpu" to it
            if (std::error_code missing; !std::filesystem::exists(mount, missing)) {
                mount = root / "cpu";
            }
        }
        // In a container the path may be the host's, which is not visible; then only the root is found, which
        // is right.
        if (auto quota = leastQuota(mount, line.substr(second + 1)); quota && (!least || *quota < *least)) {
            least = quota;
        }
    }
    return least;
}

unsigned allowedCores() {
    return std::max<unsigned>(1, static_cast<unsigned>(allowedCoreNumbers().size()));
}

unsigned defaultWorkerCount() {
    unsigned cores = allowedCores();
    if (auto quota = cgroupQuota(readText("/proc/self/cgroup"), "/sys/fs/cgroup")) {
        double wanted = std::ceil(*quota);
        if (wanted < cores) {
            cores = std::max(1u, static_cast<unsigned>(wanted));
        }
    }
    return cores;
}

bool pinCurrentThread(std::size_t n) {
    std::vector<std::size_t> cores = allowedCoreNumbers();
    if (cores.empty()) {
        return false;
    }
    std::size_t core = cores[n % cores.size()];
    std::vector<cpu_set_t> mask(core / CPU_SETSIZE + 1);
    std::size_t bytes = mask.size() * sizeof(cpu_set_t);
    CPU_ZERO_S(bytes, mask.data());
    CPU_SET_S(core, bytes, mask.data());
    return ::sched_setaffinity(0, bytes, mask.data()) == 0;
}

} // namespace saker::os
