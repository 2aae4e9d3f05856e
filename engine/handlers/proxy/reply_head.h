// The head of an HTTP/1 response from an upstream (RFC 9112, sections 4-6), judged: status, framing, whether
// the connection lasts. Knows no socket.
//
// Refused, because an upstream and we could disagree about where the answer ends, or because it answers
// something that was not asked: Content-Length beside Transfer-Encoding, lengths that differ or are no
// numbers, codings other than "chunked", Transfer-Encoding in HTTP/1.0, 101 without Upgrade.
#pragma once

#include "http/h1/head_collector.h"
#include "http/request.h"
#include "upstream/upstream_protocol.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace saker::proxy {

struct ReplyFraming {
    enum class Kind : std::uint8_t { none, length, chunked, untilClose };
    Kind kind = Kind::none;
    std::uint64_t length = 0;
};

/// What was asked.
struct Asked {
    http::Method method = http::Method::get;
    bool isUpgrade = false;
};

struct ParsedReply {
    upstream::ReplyHead reply; ///< hop-by-hop fields are gone
    ReplyFraming framing;
    bool keepAlive = true;
};

/// `text`: status line and fields, without the empty line. Returns what is wrong, or "".
std::string parseReplyHead(std::string_view text, const Asked& asked, const http::ReplyLimits& limits,
                           ParsedReply& out);

} // namespace saker::proxy
