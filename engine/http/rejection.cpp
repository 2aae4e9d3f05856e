#include "http/rejection.h"

#include <array>

namespace saker::http {

namespace {

constexpr std::array<RejectionInfo, static_cast<std::size_t>(Rejection::count_)> kTable = {{
    {200, "The request is fine."},
    {400,
     "The request line is malformed; expected a method, a target and HTTP/1.1, with one space between them."},
    {505, "This version of HTTP is not spoken here; use HTTP/1.1."},
    {400, "The target of the request is malformed; expected a path such as /index.html."},
    {400, "A header field is malformed; expected \"name: value\" on one line without control characters."},
    {400, "The Host field is missing, repeated or not a host name."},
    {400, "Content-Length is malformed or repeated; expected one decimal number."},
    {400, "Transfer-Encoding is malformed; expected \"chunked\", once and last, in HTTP/1.1."},
    {501, "The transfer coding is not supported; use \"chunked\"."},
    {400, "The request has both Content-Length and Transfer-Encoding; its end would be ambiguous."},
    {400, "A chunk of the request's body is malformed."},
    {417, "The expectation cannot be met; only \"100-continue\" is known."},
    {414, "The request line is longer than this server accepts."},
    {431, "The header fields are longer than this server accepts."},
    {431, "The request has more header fields than this server accepts."},
    {413, "The body of the request is larger than this server accepts."},
    {408, "The request did not arrive in time."},
    {400, "These bytes are not an HTTP request; TLS clients need a TLS port (https://)."},
}};

} // namespace

const RejectionInfo& rejectionInfo(Rejection rejection) {
    return kTable[static_cast<std::size_t>(rejection)];
}

} // namespace saker::http
