// Media types by file name extension (RFC 9110, section 8.3.1). One table, the only place with media types of
// files.
#pragma once

#include <string_view>

namespace saker::http {

inline constexpr std::string_view kDefaultMediaType = "application/octet-stream";

/// `extension`: without the dot, case ignored. Text types carry "; charset=utf-8". Unknown: empty, with
/// data() == nullptr; see kDefaultMediaType. The text lives as long as the program.
std::string_view findMediaType(std::string_view extension);
/// findMediaType() or kDefaultMediaType.
std::string_view mediaType(std::string_view extension);

/// Whether bodies of that type (parameters are ignored) usually shrink: text, scripts, JSON, XML, SVG,
/// WebAssembly, uncompressed fonts and images; not what is compressed by itself.
bool isCompressible(std::string_view mediaType);

} // namespace saker::http
