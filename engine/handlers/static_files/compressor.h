// Compresses whole bodies that are kept and sent many times: the static handler's variants of files. One call
// takes the body and gives the coded bytes; there is no state. Runs for milliseconds to seconds: on the
// worker pool, not on a loop.
#pragma once

#include "http/compression_level.h"
#include "http/negotiate.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace saker::static_files {

using http::CompressionLevel;

/// A body shorter than this is not worth a Content-Encoding field.
inline constexpr std::size_t kMinCompressible = 128;
/// A longer body is not compressed: it would hold a worker thread for too long and twice its size in memory.
inline constexpr std::size_t kMaxCompressible = 32 << 20;

/// The coded body; nothing for `identity`, `noCompression`, a body out of bounds, and where less than a
/// sixteenth would be saved. The same input always gives the same bytes, whatever the machine and the time:
/// they carry a strong ETag.
std::optional<std::string> compress(std::string_view body, http::Coding coding, CompressionLevel level);

} // namespace saker::static_files
