// The answer to a plain HTTP request on a TLS port: a page that leads to the https:// address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace saker::tls {

/// Could a plain request begin with this byte? No TLS client's first message does.
constexpr bool beginsPlainHttp(char first) {
    return (first >= 'A' && first <= 'Z') || (first >= 'a' && first <= 'z');
}

/// More of a head is not waited for.
inline constexpr std::size_t kMaxPlainHead = 8 * 1024;

/// Is the head all there?
bool isPlainHeadComplete(std::string_view head);

/// A whole answer with status 400. `head`: what there is of the request. `port`: the one it came to. `now`:
/// seconds since 1970.
std::string plainHttpAnswer(std::string_view head, std::uint16_t port, std::int64_t now);

} // namespace saker::tls
