#include "base/hash.h"

#include <random>

namespace saker {

std::uint64_t processHashKey() {
    static const std::uint64_t key = [] {
        std::random_device device;
        return (static_cast<std::uint64_t>(device()) << 32) | device();
    }();
    return key;
}

namespace {

/// Lower-cases the ASCII letters in eight bytes at once.
std::uint64_t fold64(std::uint64_t v) {
    constexpr std::uint64_t kOnes = 0x0101010101010101;
    std::uint64_t heptets = v & (0x7f * kOnes);
    std::uint64_t pastZ = heptets + (0x7f - 'Z') * kOnes;
    std::uint64_t fromA = heptets + (0x80 - 'A') * kOnes;
    std::uint64_t upper = (fromA ^ pastZ) & ~v & (0x80 * kOnes);
    return v | (upper >> 2);
}

} // namespace

std::uint64_t hashFolded(std::string_view bytes, std::uint64_t key) {
    using namespace detail;
    const char* p = bytes.data();
    std::size_t n = bytes.size();
    std::uint64_t h = mix(key ^ kMixA, n ^ kMixB);
    for (; n >= 8; p += 8, n -= 8) {
        h = mix(h ^ fold64(load64(p)), kMixA ^ key);
    }
    h = mix(h ^ fold64(loadTail(p, n, p != bytes.data())), kMixB ^ key);
    return h ^ (h >> 29);
}

} // namespace saker
