#include "http/h1/response_encoder.h"

#include "base/text.h"
#include "http/chars.h"
#include "http/h1/scan.h"
#include "http/status.h"

#include <array>
#include <cassert>
#include <charconv>

namespace saker::http {

namespace {

void appendNumber(std::uint64_t number, std::string& out) {
    char digits[20];
    out.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

bool isDecidedByConnection(std::string_view name, const HeadContext& context) {
    switch (fieldNameId(name)) {
    case FieldName::connection:
    case FieldName::contentLength:
    case FieldName::keepAlive:
    case FieldName::transferEncoding:
        return true;
    default:
        return !context.date.empty() && equalsIgnoreCase(name, "date");
    }
}

/// RFC 9110, section 6.5.1: a recipient must know these before the body, or may not believe them after it.
bool isBarredFromTrailers(std::string_view name) {
    static constexpr std::array<std::string_view, 26> kBarred = {"age",
                                                                 "authorization",
                                                                 "cache-control",
                                                                 "connection",
                                                                 "content-encoding",
                                                                 "content-length",
                                                                 "content-range",
                                                                 "content-type",
                                                                 "date",
                                                                 "etag",
                                                                 "expires",
                                                                 "host",
                                                                 "keep-alive",
                                                                 "last-modified",
                                                                 "location",
                                                                 "pragma",
                                                                 "proxy-authenticate",
                                                                 "proxy-authorization",
                                                                 "retry-after",
                                                                 "set-cookie",
                                                                 "te",
                                                                 "trailer",
                                                                 "transfer-encoding",
                                                                 "upgrade",
                                                                 "vary",
                                                                 "www-authenticate"};
    for (std::string_view barred : kBarred) {
        if (equalsIgnoreCase(name, barred)) {
            return true;
        }
    }
    return false;
}

} // namespace

ResponseFraming chooseFraming(Method method, std::uint8_t minorVersion, int status,
                              std::optional<std::uint64_t> length) {
    using Kind = ResponseFraming::Kind;
    if (isBodiless(status) || (method == Method::connect && isSuccessful(status))) {
        return {Kind::none, 0};
    }
    if (status == 205) {
        return {Kind::length, 0}; // RFC 9110, section 15.3.6
    }
    if (length) {
        return {Kind::length, *length};
    }
    if (method == Method::head) {
        return {Kind::none, 0}; // nothing follows, and nothing is known about it
    }
    return {minorVersion >= 1 ? Kind::chunked : Kind::untilClose, 0};
}

void renderHead(const ResponseHead& head, const HeadContext& context, std::string& out) {
    appendStatusLine(head.status, out);
    if (!context.date.empty()) {
        appendField("Date", context.date, out);
    }
    for (const ResponseHead::Field& field : head.fields) {
        if (!isDecidedByConnection(field.name, context)) {
            appendField(field.name, field.value, out);
        }
    }
    appendFraming(context.framing, out);
    bool isUpgrade =
        head.has("Upgrade"); // in 101 and 426, which must name it in Connection (RFC 9110, section 7.8)
    if (isUpgrade) {
        out += context.keepAlive || head.status == 101 ? "Connection: upgrade\r\n"
                                                       : "Connection: upgrade, close\r\n";
    } else {
        appendConnection(context.keepAlive, context.minorVersion, out);
    }
    out += "\r\n";
}

void appendStatusLine(int status, std::string& out) {
    assert(isStatus(status));
    out += "HTTP/1.1 ";
    appendNumber(static_cast<std::uint64_t>(status), out);
    out += ' ';
    out += reasonPhrase(status);
    out += "\r\n";
}

bool appendField(std::string_view name, std::string_view value, std::string& out) {
    if (!isToken(name)) {
        return false;
    }
    out += name;
    out += ": ";
    const char* p = value.data();
    const char* const end = p + value.size();
    while (p != end) {
        const char* stop = scan::findValueEnd(value.data(), p, end);
        out.append(p, stop);
        if (stop == end) {
            break;
        }
        out += ' ';
        p = stop + 1;
    }
    out += "\r\n";
    return true;
}

void appendFraming(const ResponseFraming& framing, std::string& out) {
    if (framing.kind == ResponseFraming::Kind::length) {
        out += "Content-Length: ";
        appendNumber(framing.length, out);
        out += "\r\n";
    } else if (framing.kind == ResponseFraming::Kind::chunked) {
        out += "Transfer-Encoding: chunked\r\n";
    }
}

void appendConnection(bool keepAlive, std::uint8_t minorVersion, std::string& out) {
    if (!keepAlive) {
        out += "Connection: close\r\n";
    } else if (minorVersion == 0) {
        out += "Connection: keep-alive\r\n";
    }
}

std::size_t writeChunkHead(std::uint64_t size, char (&out)[kChunkHeadSize]) {
    assert(size > 0);
    char* end = std::to_chars(out, out + kChunkHeadSize - 2, size, 16).ptr;
    *end++ = '\r';
    *end++ = '\n';
    return static_cast<std::size_t>(end - out);
}

void appendChunk(BufferChain&& data, BufferChain& out) {
    if (data.empty()) {
        return;
    }
    char head[kChunkHeadSize];
    out.append(std::string(head, writeChunkHead(data.size(), head)));
    out.append(std::move(data));
    out.appendStatic(kChunkEnd);
}

void appendLastChunk(const std::vector<ResponseHead::Field>& trailers, std::string& out) {
    out += "0\r\n";
    for (const ResponseHead::Field& field : trailers) {
        if (!isBarredFromTrailers(field.name)) {
            appendField(field.name, field.value, out);
        }
    }
    out += "\r\n";
}

} // namespace saker::http
