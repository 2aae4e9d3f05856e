// What is read of a client's first message before OpenSSL acts on it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace saker::tls {

/// The host name of a server_name extension's body (RFC 6066, section 3), as sent: a view of the body. Empty
/// when there is none or the body is malformed, which OpenSSL refuses on its own.
std::string_view serverNameOf(std::span<const unsigned char> body);

} // namespace saker::tls
