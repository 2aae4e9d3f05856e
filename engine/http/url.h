// Paths of request targets: from what a client sends to a name below a site's root, and back into links. The
// result of normalisePath() is the only form in which a path may reach the file index or the file system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace saker::http {

/// Why a path is refused; each is answered by 400.
enum class PathError : std::uint8_t {
    none,
    notAbsolute,      ///< does not begin with '/'
    badEscape,        ///< '%' without two hexadecimal digits
    controlCharacter, ///< NUL, another control character or DEL, plain or encoded
    encodedSlash,     ///< %2F: a name cannot hold a slash
    backslash,        ///< plain or as %5C: a separator on some systems
    aboveRoot,        ///< more ".." than names in front of them
    badUtf8,          ///< only with PathPolicy::requireUtf8
    count_,
};

/// A sentence for the answer and the log.
std::string_view pathErrorText(PathError error);

struct PathPolicy {
    bool requireUtf8 = false; ///< refuse names that are not UTF-8 once decoded
};

struct NormalPath {
    PathError error = PathError::none;
    /// Decoded, without dot segments and empty segments, without a slash in front or behind: "dir/file.ext";
    /// "" is the root. A piece of the input or of `scratch`.
    std::string_view path;
    std::uint32_t segments = 0; ///< names in `path`
    bool trailingSlash = false; ///< asked as a directory: ends in "/", "/." or "/.."; always for the root
    bool changed = false;       ///< not spelled the way it was sent (escapes, dots or repeated slashes)

    bool ok() const { return error == PathError::none; }
};

/// `raw`: the path of a request target, without query. Percent-decoding (once), then dot segments (RFC 3986,
/// section 5.2.4, on decoded segments: "%2e%2e" is ".."), then repeated slashes. A path that is clean already
/// is recognised in one pass and not copied; `scratch` is touched only otherwise and must outlive the result.
NormalPath normalisePath(std::string_view raw, std::string& scratch, PathPolicy policy = {});

/// Encodes a decoded path for Location and for links: keeps '/', letters, digits and what is harmless in a
/// path, in HTML attributes and in front of it. Other bytes become %XX.
void appendEncodedPath(std::string_view path, std::string& out);
std::string encodePath(std::string_view path);

/// Every %XX decoded, whatever it gives, '+' kept; nothing when an escape is malformed. Not for paths of
/// files.
std::optional<std::string> percentDecode(std::string_view text);

} // namespace saker::http
