// The head of a CGI program's answer (RFC 3875, section 6) as the head of a response.
#pragma once

#include "http/h1/head_collector.h"
#include "upstream/upstream_protocol.h"

#include <string_view>

namespace saker::fastcgi {

/// `lines`: the head without its empty line. Understands Status, Location of both kinds, Content-Length;
/// fields that belong to the connection are dropped, lines that are no fields too. Returns what is wrong, or
/// "".
std::string_view parseCgiHead(std::string_view lines, const http::ReplyLimits& limits,
                              upstream::ReplyHead& out);

} // namespace saker::fastcgi
