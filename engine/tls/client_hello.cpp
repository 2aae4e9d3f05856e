#include "tls/client_hello.h"

#include <cstddef>

namespace saker::tls {

std::string_view serverNameOf(std::span<const unsigned char> body) {
    constexpr unsigned char kHostName = 0;
    auto number = [&body](std::size_t at) { return static_cast<std::size_t>(body[at] << 8 | body[at + 1]); };
    // A list with its size, of entries with type and size; a client sends one, a host name.
    if (body.size() < 5 || number(0) != body.size() - 2 || body[2] != kHostName) {
        return {};
    }
    const std::size_t size = number(3);
    if (size > body.size() - 5) {
        return {};
    }
    return {reinterpret_cast<const char*>(body.data()) + 5, size};
}

} // namespace saker::tls
