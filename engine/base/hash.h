// A keyed 64-bit hash for tables whose keys come from strangers: without the key, collisions cannot be prepared.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace saker {

/// A random key of this process, the same for its whole life.
std::uint64_t processHashKey();

namespace detail {

inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    auto product = static_cast<unsigned __int128>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}
inline std::uint64_t load64(const char* p) {
    std::uint64_t v;
    std::memcpy(&v, p, 8);
    return v;
}
inline std::uint64_t loadTail(const char* p, std::size_t n) { // n < 8
    std::uint64_t v = 0;
    std::memcpy(&v, p, n);
    return v;
}
inline constexpr std::uint64_t kMixA = 0x9e3779b97f4a7c15;
inline constexpr std::uint64_t kMixB = 0xd6e8feb86659fd93;

} // namespace detail

/// Multiply-and-fold over 8-byte words, seeded by the key. Not for storage or the wire: it differs per process.
inline std::uint64_t hashBytes(std::string_view bytes, std::uint64_t key) {
    using namespace detail;
    const char* p = bytes.data();
    std::size_t n = bytes.size();
    std::uint64_t h = mix(key ^ kMixA, n ^ kMixB);
    for (; n >= 8; p += 8, n -= 8) {
        h = mix(h ^ load64(p), kMixA ^ key);
    }
    h = mix(h ^ loadTail(p, n), kMixB ^ key);
    return h ^ (h >> 29);
}

/// The same of the ASCII-lowercased bytes, without making a copy of them.
std::uint64_t hashFolded(std::string_view bytes, std::uint64_t key);

} // namespace saker
