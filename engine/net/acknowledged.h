// What a peer has taken of what was sent to it.
#pragma once

#include "loop/op.h"

#include <cstdint>
#include <optional>

namespace saker::net {

/// Bytes that the peer's system has acknowledged since the connection began; nothing where that cannot be
/// known (no TCP, an old kernel). The system's own buffers hold megabytes, so only this tells a slow peer
/// from a fast one.
std::optional<std::uint64_t> acknowledgedBytes(loop::NativeSocket socket);

} // namespace saker::net
