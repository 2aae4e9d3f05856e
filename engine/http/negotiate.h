// Which content coding or media type a client gets (RFC 9110, section 12.5): q-values, wildcards, then our
// preference.
#pragma once

#include "http/request.h"

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace saker::http {

/// Content codings that the server can send, in ascending order of preference among equal q-values.
enum class Coding : std::uint8_t { identity, gzip, zstd, br, count_ };

/// As in Content-Encoding; "identity" is never sent.
std::string_view codingName(Coding coding);
/// What a precompressed sibling's name ends in: ".gz", ".zst", ".br"; "" for identity.
std::string_view codingSuffix(Coding coding);

class CodingSet {
public:
    constexpr CodingSet() = default;
    constexpr CodingSet(std::initializer_list<Coding> codings) {
        for (Coding coding : codings) {
            add(coding);
        }
    }
    constexpr void add(Coding coding) { bits_ |= bit(coding); }
    constexpr void remove(Coding coding) { bits_ &= static_cast<std::uint8_t>(~bit(coding)); }
    constexpr bool has(Coding coding) const { return (bits_ & bit(coding)) != 0; }
    constexpr bool empty() const { return bits_ == 0; }
    friend constexpr bool operator==(CodingSet, CodingSet) = default;

private:
    static constexpr std::uint8_t bit(Coding coding) {
        return static_cast<std::uint8_t>(1U << static_cast<unsigned>(coding));
    }
    std::uint8_t bits_ = 0;
};

/// What a request says in Accept-Encoding. Without such a field, and with an empty one, only identity is
/// acceptable: clients that say nothing often cannot decode anything.
class AcceptEncoding {
public:
    AcceptEncoding() = default;
    explicit AcceptEncoding(const RequestHead& head);
    /// One field's value; several add up. A malformed member is skipped, members after the 32nd are not read.
    void add(std::string_view value);

    /// 0 (not acceptable) to 1000. Identity is acceptable, least of all, unless it is excluded by name or by
    /// "*;q=0".
    std::uint16_t quality(Coding coding) const;
    /// The best of those available by q-value, then by our preference. Nothing: none is acceptable (406, or
    /// identity all the same).
    std::optional<Coding> choose(CodingSet available) const;

private:
    static constexpr std::uint16_t kUnset = 0xffff;

    std::array<std::uint16_t, static_cast<std::size_t>(Coding::count_)> quality_{kUnset, kUnset, kUnset,
                                                                                 kUnset};
    std::uint16_t any_ = kUnset; // of "*"
};

/// How much an Accept field wants a media type such as "text/html": 0 to 1000, the most specific range
/// decides; 1000 for an empty field. For choosing between pages and JSON.
std::uint16_t acceptQuality(std::string_view accept, std::string_view mediaType);

} // namespace saker::http
