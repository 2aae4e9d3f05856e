// A user of this system, as another program is started for. Any thread that may block: the account data may
// come from a network.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace saker::os {

struct Account {
    std::string name;
    std::uint32_t user = 0;
    std::uint32_t group = 0;
    std::vector<std::uint32_t> groups; ///< all that the user is in, `group` included
    std::string home;

    bool operator==(const Account&) const = default;
};

/// An error of kind notFound when there is no such user or group. An empty group means the user's own.
Result<Account> findAccount(const std::string& user, const std::string& group = {});

} // namespace saker::os
