// Names of hosts to addresses, by the system. Blocks: for start-up and the worker pool.
#pragma once

#include "base/result.h"
#include "loop/socket_address.h"

#include <cstdint>
#include <string>
#include <vector>

namespace saker::net {

/// At least one address, in the system's order of preference; a literal address is taken as it is.
Result<std::vector<loop::SocketAddress>> resolveHost(const std::string& host, std::uint16_t port);

} // namespace saker::net
