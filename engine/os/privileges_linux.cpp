#include "os/privileges.h"

#include "base/text.h"
#include "os/account.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <grp.h>
#include <iterator>
#include <linux/capability.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace saker::os {

namespace {

std::string readText(const char* path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// The first port that needs no right.
std::uint64_t firstFreePort() {
    return parseDecimal(trimLines(readText("/proc/sys/net/ipv4/ip_unprivileged_port_start"))).value_or(1024);
}

/// Whether the mode of what is at the path grants all of the bits (4 read, 2 write, 1 execute).
bool grants(const std::string& path, const Account& account, unsigned bits) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) {
        return false;
    }
    unsigned shift = 0;
    if (status.st_uid == account.user) {
        shift = 6;
    } else if (std::find(account.groups.begin(), account.groups.end(), status.st_gid) !=
               account.groups.end()) {
        shift = 3;
    }
    return (status.st_mode >> shift & bits) == bits;
}

/// Reduces this process's rights to the one of binding low ports. Called as a user that has kept its
/// permitted set.
bool keepOnlyBinding() {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    std::array<__user_cap_data_struct, 2> sets{};
    sets[0].permitted = sets[0].effective = 1u << CAP_NET_BIND_SERVICE;
    return ::syscall(SYS_capset, &header, sets.data()) == 0;
}

} // namespace

std::uint64_t parseEffectiveCapabilities(std::string_view status) {
    constexpr std::string_view kName = "CapEff:";
    for (std::string_view line : split(status, '\n')) {
        if (line.substr(0, kName.size()) != kName) {
            continue;
        }
        std::uint64_t set = 0;
        for (char c : trim(line.substr(kName.size()))) {
            int digit = hexValue(c);
            if (digit < 0) {
                return 0;
            }
            set = set << 4 | static_cast<std::uint64_t>(digit);
        }
        return set;
    }
    return 0;
}

bool mayBindPort(std::uint16_t port) {
    if (port == 0 || port >= firstFreePort()) {
        return true;
    }
    return (parseEffectiveCapabilities(readText("/proc/self/status")) >> CAP_NET_BIND_SERVICE & 1) != 0;
}

std::string lowPortHint() {
    std::error_code unreadable;
    std::string program = std::filesystem::read_symlink("/proc/self/exe", unreadable).string();
    return fmt::format(
        "Ports below {} need a right that this user lacks. Grant it to the program: sudo setcap "
        "cap_net_bind_service=+ep '{}'; or start it as the system's service, or use ports from {} on.",
        firstFreePort(), unreadable ? "sakerd" : program, firstFreePort());
}

bool isAdministrator() {
    return ::geteuid() == 0;
}

bool isKnownUser(const std::string& user) {
    return findAccount(user).ok();
}

std::string userName() {
    std::vector<char> buffer(16384);
    struct passwd entry {};
    struct passwd* found = nullptr;
    ::getpwuid_r(::geteuid(), &entry, buffer.data(), buffer.size(), &found);
    return found ? std::string(found->pw_name) : fmt::format("{}", ::geteuid());
}

bool mayWrite(const std::string& path, const std::string& user) {
    struct stat status {};
    const bool isFolder = ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
    if (user.empty()) {
        return ::faccessat(AT_FDCWD, path.c_str(), isFolder ? W_OK | X_OK : W_OK, AT_EACCESS) == 0;
    }
    const auto account = findAccount(user);
    if (!account) {
        return false;
    }
    if (account->user == 0) {
        return true;
    }
    const std::filesystem::path whole(path);
    for (std::filesystem::path way = whole.parent_path(); !way.empty(); way = way.parent_path()) {
        if (!grants(way.string(), *account, 1)) {
            return false;
        }
        if (way == way.root_path()) {
            break;
        }
    }
    return grants(path, *account, isFolder ? 3 : 2);
}

Result<void> dropPrivileges(const std::string& user, const std::string& group) {
    auto account = findAccount(user, group);
    if (!account) {
        return account.error();
    }
    std::string doing = "becoming the user \"" + user + "\"";
    bool keep = mayBindPort(1) && ::prctl(PR_SET_KEEPCAPS, 1L, 0L, 0L, 0L) == 0;
    // Groups first: with the user's id the right to change them is gone.
    if (::initgroups(user.c_str(), account->group) != 0 ||
        ::setresgid(account->group, account->group, account->group) != 0 ||
        ::setresuid(account->user, account->user, account->user) != 0) {
        return systemError(errno, doing);
    }
    if (account->user != 0 && ::setuid(0) == 0) {
        return Error{ErrorKind::failure, doing + ": the old user's rights could be taken back", {}};
    }
    if (keep && account->user != 0 && !keepOnlyBinding()) {
        return systemError(errno, doing + ", keeping the right to bind low ports");
    }
    return {};
}

} // namespace saker::os
