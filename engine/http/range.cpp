#include "http/range.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

namespace saker::http {

namespace {

// What a part costs besides its data: below that, sending the gap is shorter.
constexpr std::uint64_t kPartCost = 80;

/// Digits only; what is too large to count is past every end anyway.
std::optional<std::uint64_t> parsePosition(std::string_view text) {
    if (text.empty() || !std::all_of(text.begin(), text.end(), isDigit)) {
        return std::nullopt;
    }
    return parseDecimal(text).value_or(std::numeric_limits<std::uint64_t>::max());
}

enum class Verdict : std::uint8_t { malformed, outside, inside };

/// "0-499", "500-" or "-500".
Verdict readRange(std::string_view text, std::uint64_t size, ByteRange& range) {
    std::size_t dash = text.find('-');
    if (dash == std::string_view::npos) {
        return Verdict::malformed;
    }
    std::string_view end = text.substr(dash + 1);
    if (dash == 0) {
        auto length = parsePosition(end);
        if (!length) {
            return Verdict::malformed;
        }
        if (*length == 0 || size == 0) {
            return Verdict::outside;
        }
        range = {size - std::min(*length, size), size - 1};
        return Verdict::inside;
    }
    auto first = parsePosition(text.substr(0, dash));
    auto last = end.empty() ? std::numeric_limits<std::uint64_t>::max() : parsePosition(end);
    if (!first || !last || *last < *first) {
        return Verdict::malformed;
    }
    if (*first >= size) {
        return Verdict::outside;
    }
    range = {*first, std::min(*last, size - 1)};
    return Verdict::inside;
}

/// Sorted neighbours: overlapping, touching or nearly so.
bool isNear(const ByteRange& a, const ByteRange& b) {
    return b.first <= a.last || b.first - a.last <= kPartCost;
}

/// Returns how many are left.
std::size_t join(std::span<ByteRange> ranges) {
    std::array<ByteRange, RangeSet::kMaxRanges> sorted;
    auto end = std::copy(ranges.begin(), ranges.end(), sorted.begin());
    std::sort(sorted.begin(), end, [](const ByteRange& a, const ByteRange& b) { return a.first < b.first; });
    std::size_t count = 0;
    for (auto range = sorted.begin(); range != end; ++range) {
        if (count != 0 && isNear(sorted[count - 1], *range)) {
            sorted[count - 1].last = std::max(sorted[count - 1].last, range->last);
        } else {
            sorted[count++] = *range;
        }
    }
    if (count != ranges.size()) { // else the client's order stays
        std::copy(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(count), ranges.begin());
    }
    return count;
}

} // namespace

RangeSet parseRange(std::string_view field, std::uint64_t size) {
    static constexpr std::string_view kUnit = "bytes=";
    RangeSet set;
    if (!startsWithIgnoreCase(field, kUnit)) {
        return set;
    }
    std::string_view list = field.substr(kUnit.size());
    std::size_t members = 0;
    std::size_t count = 0;
    while (!list.empty()) {
        std::size_t comma = list.find(',');
        std::string_view member = trim(list.substr(0, comma));
        list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
        if (member.empty()) {
            continue;
        }
        ByteRange range;
        Verdict verdict = readRange(member, size, range);
        if (verdict == Verdict::malformed || ++members > RangeSet::kMaxRanges) {
            return set;
        }
        if (verdict == Verdict::inside) {
            set.parts_[count++] = range;
        }
    }
    if (members == 0) {
        return set;
    }
    set.kind = count == 0 ? RangeSet::Kind::unsatisfiable : RangeSet::Kind::partial;
    set.count_ = static_cast<std::uint8_t>(join({set.parts_.data(), count}));
    return set;
}

std::string contentRange(const ByteRange& range, std::uint64_t size) {
    return fmt::format("bytes {}-{}/{}", range.first, range.last, size);
}

std::string unsatisfiedRange(std::uint64_t size) {
    return fmt::format("bytes */{}", size);
}

MultipartRanges::MultipartRanges(std::span<const ByteRange> ranges, std::uint64_t size,
                                 std::string_view mediaType, std::uint64_t seed)
    : count_(std::min(ranges.size(), ranges_.size())), size_(size), mediaType_(mediaType) {
    std::copy_n(ranges.begin(), count_, ranges_.begin());
    seed = (seed ^ (seed >> 31U)) * 0x9e3779b97f4a7c15U; // a counter should not look like one
    boundary_ = fmt::format("saker-part-{:016x}", seed ^ (seed >> 29U));
}

std::string MultipartRanges::contentType() const {
    return "multipart/byteranges; boundary=" + boundary_;
}

std::string MultipartRanges::head(std::size_t i) const {
    std::string type = mediaType_.empty() ? std::string() : "Content-Type: " + mediaType_ + "\r\n";
    return fmt::format("{}--{}\r\n{}Content-Range: {}\r\n\r\n", i == 0 ? "" : "\r\n", boundary_, type,
                       contentRange(ranges_[i], size_));
}

std::string MultipartRanges::tail() const {
    return fmt::format("\r\n--{}--\r\n", boundary_);
}

std::uint64_t MultipartRanges::contentLength() const {
    std::uint64_t length = tail().size();
    for (std::size_t i = 0; i < count_; ++i) {
        length += head(i).size() + ranges_[i].size();
    }
    return length;
}

} // namespace saker::http
