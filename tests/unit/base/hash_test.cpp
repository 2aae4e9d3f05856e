#include "base/hash.h"

#include "base/text.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace saker {
namespace {

TEST(HashTest, DependsOnEveryByteOfEveryLength) {
    for (std::size_t length = 0; length < 40; ++length) {
        std::string text(length, 'm');
        std::set<std::uint64_t> seen{hashBytes(text, 1)};
        for (std::size_t i = 0; i < length; ++i) {
            std::string other = text;
            other[i] = 'n';
            EXPECT_TRUE(seen.insert(hashBytes(other, 1)).second) << length << " bytes, byte " << i;
        }
    }
}

TEST(HashTest, TellsLengthsApart) {
    std::set<std::uint64_t> seen;
    for (std::size_t length = 0; length < 100; ++length) {
        EXPECT_TRUE(seen.insert(hashBytes(std::string(length, '\0'), 1)).second) << length;
    }
}

TEST(HashTest, DependsOnTheKey) {
    EXPECT_NE(hashBytes("example.com", 1), hashBytes("example.com", 2));
}

TEST(HashTest, FoldsAsciiLettersAndNothingElse) {
    std::string all;
    for (int c = 0; c < 256; ++c) {
        all += static_cast<char>(c);
    }
    for (std::size_t from = 0; from < 256; from += 7) {
        for (std::size_t length : {1U, 3U, 4U, 7U, 8U, 9U, 15U, 31U}) {
            std::string text = all.substr(from, length);
            EXPECT_EQ(hashFolded(text, 3), hashBytes(toLowerAscii(text), 3)) << from << " " << length;
        }
    }
    EXPECT_NE(hashFolded("[", 3), hashFolded("{", 3));
    EXPECT_NE(hashFolded("@", 3), hashFolded("`", 3));
}

TEST(HashTest, TakesAnEmptyViewOfNothing) {
    EXPECT_EQ(hashBytes({}, 5), hashBytes("", 5));
}

} // namespace
} // namespace saker
