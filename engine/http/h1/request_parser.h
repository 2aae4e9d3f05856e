// The head of an HTTP/1 request (RFC 9112, sections 2-5): bytes in, a RequestHead out. Knows no socket.
#pragma once

#include "http/rejection.h"
#include "http/request.h"

#include <cstddef>
#include <string_view>

namespace saker::http {

struct RequestLimits {
    std::uint32_t maxLine = 16384;  ///< request line, bytes; 414 beyond
    std::uint32_t maxHead = 65536;  ///< whole head, bytes; 431 beyond
    std::uint8_t maxFields = 100;   ///< 431 beyond; at most RequestHead::kMaxFields
};

class RequestParser {
public:
    enum class State : std::uint8_t { complete, incomplete, rejected };

    explicit RequestParser(const RequestLimits& limits) : limits_(&limits) {}

    /// Call with all bytes of the head received so far, always from its first byte (which may move in memory between
    /// calls). Work done in earlier calls is not repeated: a head fed byte by byte costs as much as in one piece.
    /// complete: `head` is filled, head.size() bytes are used, anything behind is the body or the next request.
    /// Empty lines before the request line are skipped (RFC 9112, section 2.2): they count into head.size().
    State parse(std::string_view bytes, RequestHead& head);
    Rejection rejection() const { return rejection_; }
    /// For the next request of the connection.
    void reset() {
        scanned_ = 0;
        rejection_ = Rejection::none;
    }

private:
    const RequestLimits* limits_;
    std::uint32_t scanned_ = 0; // no end of head before this offset
    Rejection rejection_ = Rejection::none;
};

} // namespace saker::http
