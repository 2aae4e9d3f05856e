// How much of what was sent is still on its way.
#pragma once

#include "loop/op.h"

#include <cstdint>

namespace saker::net {

/// Bytes that the system has taken for this socket and the peer has not acknowledged; 0 where that cannot be known.
std::uint64_t unacknowledgedBytes(loop::NativeSocket socket);

} // namespace saker::net
