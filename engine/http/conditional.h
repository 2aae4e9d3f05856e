// Entity tags and conditional requests (RFC 9110, sections 8.8.3 and 13). For whoever answers with a
// representation.
#pragma once

#include "http/request.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace saker::http {

struct EntityTag {
    std::string_view opaque; ///< with its quotes
    bool weak = false;
};

/// `"xyz"` or `W/"xyz"`, exactly.
std::optional<EntityTag> parseEntityTag(std::string_view text);
/// Equal and both strong (If-Match, If-Range).
constexpr bool strongMatch(const EntityTag& a, const EntityTag& b) {
    return !a.weak && !b.weak && a.opaque == b.opaque;
}
/// Equal, weak or not (If-None-Match).
constexpr bool weakMatch(const EntityTag& a, const EntityTag& b) {
    return a.opaque == b.opaque;
}

/// What is known about the representation that would be sent.
struct Validators {
    std::string_view etag = {};               ///< as in the ETag field; empty when there is none
    std::optional<std::int64_t> lastModified; ///< seconds since 1970
    bool exists = true;                       ///< "*" matches any representation that exists
};

enum class Precondition : std::uint8_t {
    proceed,
    notModified, ///< 304 with ETag, Vary, Cache-Control and the like, no body
    failed,      ///< 412
};

/// In the order of RFC 9110, section 13.2.2: If-Match, else If-Unmodified-Since; then If-None-Match, else
/// (GET, HEAD) If-Modified-Since. Lists may be spread over several fields. A malformed date is ignored; a
/// malformed list of tags matches what it held before the mistake. CONNECT, OPTIONS and TRACE always proceed.
/// `now`: see parseHttpDate().
Precondition evaluatePreconditions(const RequestHead& head, const Validators& validators, std::int64_t now);

/// Whether a Range field may be answered by a part: no If-Range, or one with the same strong tag or the same
/// date. REQUIRES: evaluatePreconditions() said proceed.
bool isRangeFresh(const RequestHead& head, const Validators& validators, std::int64_t now);

} // namespace saker::http
