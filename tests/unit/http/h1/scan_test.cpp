#include "http/h1/scan.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace saker::http::scan {
namespace {

/// Every byte value at every place of texts of many sizes, in memory of exactly their size.
template <class Fast, class Plain>
void compare(Fast fast, Plain plain) {
    for (std::size_t size : {0, 1, 7, 15, 16, 17, 31, 32, 33, 50}) {
        for (std::size_t at = 0; at < size; ++at) {
            for (int byte = 0; byte < 256; ++byte) {
                std::vector<char> text(size, 'a');
                text[at] = static_cast<char>(byte);
                const char* begin = text.data();
                const char* end = begin + size;
                for (std::size_t from : {std::size_t{0}, at / 2, at}) {
                    ASSERT_EQ(fast(begin, begin + from, end) - begin, plain(begin + from, end) - begin)
                        << "size " << size << " at " << at << " byte " << byte << " from " << from;
                }
            }
        }
    }
}

TEST(Scan, FindsTheSameAsThePlainLoops) {
    compare(findValueEnd,
            [](const char* p, const char* end) { return portable::findClass(p, end, chars::kValueStop); });
    compare(findTargetEnd,
            [](const char* p, const char* end) { return portable::findClass(p, end, chars::kTargetStop); });
    compare(findPathEnd, portable::findPathEnd);
    compare(findNameEnd, portable::findNameEnd);
}

} // namespace
} // namespace saker::http::scan
