// Every way a request can be refused by the protocol layer, with one table to status and text.
#pragma once

#include <cstdint>
#include <string_view>

namespace saker::http {

enum class Rejection : std::uint8_t {
    none,
    badRequestLine,      // 400
    badVersion,          // 505
    badTarget,           // 400
    badField,            // 400: name, colon, control character, folded line
    badHost,             // 400: missing, twice, or not a host
    badContentLength,    // 400
    badTransferEncoding, // 400; 501 for a coding that is not chunked
    unknownCoding,       // 501
    conflictingFraming,  // 400: Content-Length with Transfer-Encoding
    badChunk,            // 400
    badExpectation,      // 417
    targetTooLong,       // 414
    headTooLarge,        // 431
    tooManyFields,       // 431
    bodyTooLarge,        // 413
    timeout,             // 408
    notHttp,             // 400: e.g. a TLS handshake on a plain port
    count_,
};

struct RejectionInfo {
    int status;
    std::string_view text; // a sentence for the answer and the log
};

const RejectionInfo& rejectionInfo(Rejection rejection);

} // namespace saker::http
