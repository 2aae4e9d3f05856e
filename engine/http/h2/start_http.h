// The version of HTTP for a connection.
#pragma once

#include "http/loop_context.h"
#include "net/transport.h"

#include <string_view>

namespace saker::http {

/// Starts HTTP on a new transport: `protocol` is what ALPN chose (RFC 7301), empty without. Without TLS a
/// client may also begin with HTTP/2's preface, where the context speaks it.
void startHttp(net::Transport& transport, LoopContext& context, std::string_view protocol);

} // namespace saker::http
