// What this process may do, and how to do with less. At start, before other threads exist.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace saker::os {

/// Whether the rights at hand suffice to bind this TCP port (it may still be in use).
bool mayBindPort(std::uint16_t port);
/// What a person can do when they do not: sentences to be put behind "cannot listen on port 80: permission
/// denied. ".
std::string lowPortHint();

bool isAdministrator();

/// Whether the system knows a user of this name.
bool isKnownUser(const std::string& user);

/// Whether a user may write to a file or make files in a folder that exists. "" is the present user, for whom
/// the system itself answers; for others it is worked out from owners and modes all the way down.
bool mayWrite(const std::string& path, const std::string& user = {});
/// The present user's name, or its number where it has none.
std::string userName();

/// Becomes another user for good: groups, then the user's own id. The right to bind low ports is kept where
/// the system can (Linux: CAP_NET_BIND_SERVICE), so that a reload may add port 443. REQUIRES: no other thread
/// yet. An empty group means the user's own.
Result<void> dropPrivileges(const std::string& user, const std::string& group = {});

/// The set of rights in /proc/self/status's line `CapEff:`; 0 when there is none.
std::uint64_t parseEffectiveCapabilities(std::string_view status);

} // namespace saker::os
