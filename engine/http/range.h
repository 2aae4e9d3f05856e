// Byte ranges (RFC 9110, section 14): from a Range field to the parts of a representation, and what frames
// them in answers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace saker::http {

/// Both ends are inside.
struct ByteRange {
    std::uint64_t first = 0;
    std::uint64_t last = 0;

    std::uint64_t size() const { return last - first + 1; }
    friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

struct RangeSet {
    enum class Kind : std::uint8_t {
        whole,        ///< no range that counts: answer 200 as if there were no such field
        partial,      ///< 206 with ranges()
        unsatisfiable ///< 416 with unsatisfiedRange()
    };
    static constexpr std::size_t kMaxRanges = 16;

    Kind kind = Kind::whole;

    std::span<const ByteRange> ranges() const { return {parts_.data(), count_}; }

private:
    friend RangeSet parseRange(std::string_view field, std::uint64_t size);
    std::uint8_t count_ = 0;
    std::array<ByteRange, kMaxRanges> parts_{};
};

/// `field`: the value of a Range field ("" when absent); `size`: of the representation. Ends beyond it are
/// clamped, ranges beyond it dropped. Another unit and malformed sets are ignored (whole). Against abuse
/// (section 17.15): more than kMaxRanges ranges are ignored; ranges that overlap or lie so close that a
/// part's head would be longer than the gap are joined, which puts the set in ascending order; otherwise the
/// client's order is kept. A set that ends up as the whole representation stays partial: the client asked for
/// a 206.
RangeSet parseRange(std::string_view field, std::uint64_t size);

/// "bytes 0-499/1234"
std::string contentRange(const ByteRange& range, std::uint64_t size);
/// "bytes */1234", for 416
std::string unsatisfiedRange(std::uint64_t size);

/// The frames of a multipart/byteranges body (section 14.6): for each range head(i), then its bytes; last
/// tail().
class MultipartRanges {
public:
    /// `mediaType`: of the representation, may be empty. `seed` makes the boundary: any number that a client
    /// cannot guess and that does not repeat soon.
    MultipartRanges(std::span<const ByteRange> ranges, std::uint64_t size, std::string_view mediaType,
                    std::uint64_t seed);

    /// For the response's Content-Type: "multipart/byteranges; boundary=..."
    std::string contentType() const;
    std::string head(std::size_t i) const;
    std::string tail() const;
    /// Of the whole body: all heads, ranges and the tail.
    std::uint64_t contentLength() const;

private:
    std::array<ByteRange, RangeSet::kMaxRanges> ranges_{};
    std::size_t count_;
    std::uint64_t size_;
    std::string mediaType_;
    std::string boundary_;
};

} // namespace saker::http
