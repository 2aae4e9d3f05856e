// The head of an HTTP/1 request (RFC 9112, sections 2-5): bytes in, a RequestHead out. Knows no socket.
//
// What it refuses, beyond malformed grammar, because two implementations could read it differently:
// - line ends other than CRLF, controls in values (tab excepted), folded lines, blanks before a colon;
// - Content-Length that is repeated, a list, signed or over 2^63-1, or beside Transfer-Encoding;
// - Transfer-Encoding that is repeated, in HTTP/1.0, or anything but "chunked";
// - a Host that is repeated, malformed, or absent from HTTP/1.1 (an empty one is valid: RFC 9112,
// section 3.2);
// - user information in a target, a fragment, an absolute form of another scheme than http and https.
// A target may hold bytes over 0x7f and characters such as '|' or '"' as some clients send them; what a path
// means is for normalisePath() (http/url.h) to judge. HTTP/1.2 and later are read as 1.1, other major
// versions get 505.
#pragma once

#include "http/rejection.h"
#include "http/request.h"

#include <cstddef>
#include <string_view>

namespace saker::http {

struct RequestLimits {
    std::uint32_t maxLine = 16384; ///< request line, bytes; 414 beyond
    std::uint32_t maxHead = 65536; ///< whole head, bytes; 431 beyond
    std::uint8_t maxFields = 100;  ///< 431 beyond; at most RequestHead::kMaxFields
};

class RequestParser {
public:
    enum class State : std::uint8_t { complete, incomplete, rejected };

    explicit RequestParser(const RequestLimits& limits) : limits_(&limits) {}

    /// Call with all bytes of the head received so far, always from its first byte (which may move in memory
    /// between calls). Work done in earlier calls is not repeated: a head fed byte by byte costs as much as
    /// in one piece. Limits are enforced at once; a mistake behind the first piece may be noticed only when
    /// the head ends.
    /// complete: `head` is filled, head.size() bytes are used, anything behind is the body or the next
    /// request. Empty lines before the request line are skipped (RFC 9112, section 2.2): they count into
    /// head.size().
    State parse(std::string_view bytes, RequestHead& head);
    Rejection rejection() const { return rejection_; }
    /// For the next request of the connection.
    void reset() {
        scanned_ = 0;
        emptyLines_ = 0;
        lineSeen_ = false;
        rejection_ = Rejection::none;
    }

private:
    class Run;

    bool mayBeDecided(std::string_view bytes);

    const RequestLimits* limits_;
    std::uint32_t scanned_ = 0; // bytes known to hold neither the end of the head nor a mistake in line ends
    std::uint8_t emptyLines_ = 0; // bytes of them, in front of the request line
    bool lineSeen_ = false;       // the request line lies within them
    Rejection rejection_ = Rejection::none;
};

} // namespace saker::http
