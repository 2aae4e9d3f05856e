// The proof in a WebSocket's opening handshake that the server has understood it (RFC 6455, section 4).
#pragma once

#include <string>
#include <string_view>

namespace saker::http {

/// A fresh value of Sec-WebSocket-Key.
std::string makeWebSocketKey();
/// The value of Sec-WebSocket-Accept that belongs to a key.
std::string webSocketAccept(std::string_view key);

} // namespace saker::http
