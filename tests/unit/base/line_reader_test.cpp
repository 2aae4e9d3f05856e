#include "base/line_reader.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace saker {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> readAll(const std::vector<std::string_view>& portions, std::size_t limit = 16) {
    std::vector<std::string> lines;
    LineReader reader(
        limit, [&](std::string_view line) { lines.emplace_back(line); },
        [&] { lines.emplace_back("(too long)"); });
    for (std::string_view portion : portions) {
        reader.feed(portion);
    }
    reader.finish();
    return lines;
}

TEST(LineReader, takesLinesApart) {
    EXPECT_THAT(readAll({}), IsEmpty());
    EXPECT_THAT(readAll({"one\ntwo\r\n\nthree"}), ElementsAre("one", "two", "", "three"));
    EXPECT_THAT(readAll({std::string_view("a\0b\n", 4)}), ElementsAre(std::string("a\0b", 3)));
}

TEST(LineReader, portionsDoNotMatter) {
    std::string_view text = "one\r\na line beyond the limit\n\nthree\r\nrest";
    auto whole = readAll({text});
    EXPECT_THAT(whole, ElementsAre("one", "(too long)", "", "three", "rest"));
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
        EXPECT_EQ(readAll({text.substr(0, cut), text.substr(cut)}), whole) << "cut at " << cut;
    }
}

TEST(LineReader, dropsALongLineOnceAndGoesOn) {
    std::string garbage(100000, 'x');
    EXPECT_THAT(readAll({garbage, garbage, "y\nstats\n"}), ElementsAre("(too long)", "stats"));
    EXPECT_THAT(readAll({garbage}), ElementsAre("(too long)"));
    EXPECT_THAT(readAll({"1234567890123456\n"}), ElementsAre("1234567890123456"));
}

} // namespace
} // namespace saker
