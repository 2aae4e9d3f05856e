// Names that no public authority vouches for and that mean a developer's own machines: what the local
// authority may issue certificates for. The list is in the authority's name constraints, so that nothing else
// is believed even when its key is stolen. Pure functions; any thread.
#pragma once

#include "loop/socket_address.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace saker::tls {

/// Top-level names reserved for such use (RFC 6761, RFC 6762, RFC 8375, ICANN's "internal"): each with all
/// below.
std::span<const std::string_view> developmentDomains();
/// Loopback, private and link-local networks (RFC 1918, RFC 3927, RFC 4193, RFC 4291), as name constraints
/// are written: "10.0.0.0/255.0.0.0".
std::span<const std::string_view> developmentNetworks();

/// `hostName` as a name to be permitted besides, and nothing below it: there may be a top-level domain of
/// that name, which itself nobody answers for. "" when it has several labels or is among the domains above.
std::string machineDomain(std::string_view hostName);

/// Whether a name (lower case, A-labels) is one of the domains or below one of them. A wildcard counts as
/// what it stands for.
bool isBelow(std::string_view name, std::span<const std::string> domains);

bool isDevelopmentAddress(const loop::SocketAddress& address);

} // namespace saker::tls
