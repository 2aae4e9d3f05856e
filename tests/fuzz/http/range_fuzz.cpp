// Ranges lie inside the representation, do not overlap, and their frames have the length that is announced.
#include "http/range.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

using namespace saker::http;

void check(bool condition) {
    if (!condition) {
        std::abort();
    }
}

void checkRanges(std::string_view field, std::uint64_t size) {
    RangeSet set = parseRange(field, size);
    check((set.kind == RangeSet::Kind::partial) == !set.ranges().empty());
    std::vector<ByteRange> sorted(set.ranges().begin(), set.ranges().end());
    std::sort(sorted.begin(), sorted.end(),
              [](const ByteRange& a, const ByteRange& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        check(sorted[i].first <= sorted[i].last && sorted[i].last < size);
        check(i == 0 || sorted[i].first > sorted[i - 1].last);
    }
    if (set.ranges().size() > 1) {
        MultipartRanges parts(set.ranges(), size, "text/plain", size);
        std::uint64_t length = parts.tail().size();
        for (std::size_t i = 0; i < set.ranges().size(); ++i) {
            length += parts.head(i).size() + set.ranges()[i].size();
        }
        check(length == parts.contentLength());
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::uint64_t length = 1000;
    if (size >= 8) {
        std::memcpy(&length, data, 8);
    }
    std::string_view input(reinterpret_cast<const char*>(data), size);
    checkRanges(input, 1000);
    std::string field = "bytes=" + std::string(input.substr(std::min<std::size_t>(8, size)));
    checkRanges(field, length >> 2U);
    checkRanges(field, length % 5000);
    return 0;
}
