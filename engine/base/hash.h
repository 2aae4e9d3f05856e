// A keyed 64-bit hash for tables whose keys come from strangers: without the key, collisions cannot be
// prepared.
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
/// The last bytes of a text whose whole words before them are taken: fewer than eight are left. Loads overlap
/// what was taken already rather than going byte by byte; the length is in the hash, so no two texts become
/// the same.
inline std::uint64_t loadTail(const char* p, std::size_t left, bool hasWords) {
    if (left == 0) {
        return 0;
    }
    if (hasWords) {
        return load64(p + left - 8);
    }
    if (left >= 4) {
        std::uint32_t first;
        std::uint32_t last;
        std::memcpy(&first, p, 4);
        std::memcpy(&last, p + left - 4, 4);
        return static_cast<std::uint64_t>(first) << 32 | last;
    }
    auto byte = [p](std::size_t i) { return static_cast<std::uint64_t>(static_cast<unsigned char>(p[i])); };
    return byte(0) << 16 | byte(left / 2) << 8 | byte(left - 1);
}
inline constexpr std::uint64_t kMixA = 0x9e3779b97f4a7c15;
inline constexpr std::uint64_t kMixB = 0xd6e8feb86659fd93;

} // namespace detail

/// Multiply-and-fold over 8-byte words, seeded by the key. Not for storage or the wire: it differs per
/// process.
inline std::uint64_t hashBytes(std::string_view bytes, std::uint64_t key) {
    using namespace detail;
    const char* p = bytes.data();
    std::size_t n = bytes.size();
    std::uint64_t h = mix(key ^ kMixA, n ^ kMixB);
    for (; n >= 8; p += 8, n -= 8) {
        h = mix(h ^ load64(p), kMixA ^ key);
    }
    h = mix(h ^ loadTail(p, n, p != bytes.data()), kMixB ^ key);
    return h ^ (h >> 29);
}

/// The same of the ASCII-lowercased bytes, without making a copy of them.
std::uint64_t hashFolded(std::string_view bytes, std::uint64_t key);

} // namespace saker
