// Responses as bytes of HTTP/1 (RFC 9112, sections 4, 6 and 7): the head, and the frames of a chunked body.
// Knows no socket. A head can neither be split nor end early: whatever a field's value holds, no CR, LF or
// NUL of it reaches the wire.
#pragma once

#include "base/buffer_chain.h"
#include "http/request.h"
#include "http/response.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace saker::http {

/// How the body of a response is delimited (RFC 9112, section 6.3).
struct ResponseFraming {
    enum class Kind : std::uint8_t {
        none,      ///< no body and no field about it: 1xx, 204, 304, and 2xx to CONNECT
        length,    ///< Content-Length; also for answers to HEAD, which say it and send nothing
        chunked,   ///< Transfer-Encoding: chunked
        untilClose ///< for HTTP/1.0 clients when the length is unknown
    };
    Kind kind = Kind::length;
    std::uint64_t length = 0;
};

/// The framing that fits the answer: `length` is what the handler knows, nothing when the body ends whenever
/// it ends.
ResponseFraming chooseFraming(Method method, std::uint8_t minorVersion, int status,
                              std::optional<std::uint64_t> length);

/// What the connection adds to a head.
struct HeadContext {
    ResponseFraming framing;
    bool keepAlive = true;         ///< false: "Connection: close"
    std::uint8_t minorVersion = 1; ///< of the request; 0 with keepAlive: "Connection: keep-alive"
    std::string_view date = {};    ///< an IMF-fixdate, left out when empty
};

/// Appends status line, fields and empty line. Fields that the context decides (Content-Length,
/// Transfer-Encoding, Connection, Keep-Alive, and Date when the context has one) are dropped from the head,
/// whoever set them; a head with an Upgrade field gets the Connection option that belongs to it. A field
/// whose name is not a token is left out. REQUIRES: isStatus(head.status).
void renderHead(const ResponseHead& head, const HeadContext& context, std::string& out);

// ---- pieces, for heads that are rendered once and sent often ----

/// "HTTP/1.1 200 OK\r\n"; the version is always ours (RFC 9110, section 6.2).
void appendStatusLine(int status, std::string& out);
/// "name: value\r\n", with CR, LF, NUL and other control characters but tab turned into spaces. Appends
/// nothing and returns false when the name is not a token.
bool appendField(std::string_view name, std::string_view value, std::string& out);
/// "Content-Length: N\r\n", "Transfer-Encoding: chunked\r\n" or nothing.
void appendFraming(const ResponseFraming& framing, std::string& out);
/// "Connection: close\r\n", "Connection: keep-alive\r\n" or nothing.
void appendConnection(bool keepAlive, std::uint8_t minorVersion, std::string& out);

// ---- a chunked body: head, data, kChunkEnd; head, data, kChunkEnd; ... last chunk ----

inline constexpr std::size_t kChunkHeadSize = 18; ///< the most that writeChunkHead() writes
inline constexpr std::string_view kChunkEnd = "\r\n";
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

/// The line in front of `size` bytes of data. Returns its length. REQUIRES: size > 0, since 0 ends the body.
std::size_t writeChunkHead(std::uint64_t size, char (&out)[kChunkHeadSize]);
/// The data as a chunk; nothing for none.
void appendChunk(BufferChain&& data, BufferChain& out);
/// The last chunk with trailer fields. Those that must not be in a trailer (framing, routing, authentication,
/// RFC 9110, section 6.5.1) are left out.
void appendLastChunk(const std::vector<ResponseHead::Field>& trailers, std::string& out);

} // namespace saker::http
