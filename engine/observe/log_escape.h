// Bytes of strangers made safe inside a line of a log. Each function writes to `out` and returns the end of
// what it wrote; the factors say how much longer than the input it may get. Runs of harmless bytes are copied
// eight at a time.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace saker::observe {

/// As the field's log readers expect it: `"` and `\` behind a backslash; control characters and all that is
/// not ASCII as \xHH.
inline constexpr std::size_t kLineEscapeFactor = 4;
char* escapeForLine(std::string_view text, char* out);

/// The inside of a JSON string (RFC 8259, section 7): always valid UTF-8, what is none becomes U+FFFD;
/// control characters, also those of U+0080 to U+009F that terminals obey, as \u00XX.
inline constexpr std::size_t kJsonEscapeFactor = 6;
char* escapeForJson(std::string_view text, char* out);

/// For messages that people read: control characters and invalid UTF-8 as \xHH (line feeds as \n), all else
/// as it is.
std::string escapeMessage(std::string_view text);

} // namespace saker::observe
