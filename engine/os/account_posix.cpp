#include "os/account.h"

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

namespace saker::os {

namespace {

constexpr std::size_t kEntrySize = 16 * 1024;
constexpr std::size_t kGroupEntrySize = 64 * 1024; // holds all members

std::vector<std::uint32_t> groupsOf(const std::string& user, gid_t own) {
    std::vector<gid_t> groups(64);
    int count = static_cast<int>(groups.size());
    if (::getgrouplist(user.c_str(), own, groups.data(), &count) < 0) {
        groups.resize(static_cast<std::size_t>(count)); // now it is known how many they are
        ::getgrouplist(user.c_str(), own, groups.data(), &count);
    }
    groups.resize(static_cast<std::size_t>(count));
    return {groups.begin(), groups.end()};
}

} // namespace

Result<Account> findAccount(const std::string& user, const std::string& group) {
    std::vector<char> buffer(kEntrySize);
    struct passwd entry {};
    struct passwd* found = nullptr;
    ::getpwnam_r(user.c_str(), &entry, buffer.data(), buffer.size(), &found);
    if (found == nullptr) {
        return Error{ErrorKind::notFound, "there is no user \"" + user + "\" on this system", {}};
    }
    Account account{user, found->pw_uid, found->pw_gid, {}, found->pw_dir};
    if (!group.empty()) {
        std::vector<char> groupBuffer(kGroupEntrySize);
        struct group groupEntry {};
        struct group* foundGroup = nullptr;
        ::getgrnam_r(group.c_str(), &groupEntry, groupBuffer.data(), groupBuffer.size(), &foundGroup);
        if (foundGroup == nullptr) {
            return Error{ErrorKind::notFound, "there is no group \"" + group + "\" on this system", {}};
        }
        account.group = foundGroup->gr_gid;
    }
    account.groups = groupsOf(user, account.group);
    return account;
}

} // namespace saker::os
