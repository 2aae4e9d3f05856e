#include "handlers/static_files/entity_tag.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace saker::static_files {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

TEST(EntityTag, NamesVersionCodingAndLevel) {
    FileStamp stamp{0x5a3, 0x17f0c2d1e4b80000};
    EXPECT_EQ(entityTag(stamp, http::Coding::identity), "\"5a3-17f0c2d1e4b80000\"");
    EXPECT_EQ(entityTag(stamp, http::Coding::br), "\"5a3-17f0c2d1e4b80000-br\"");
    EXPECT_EQ(entityTag(stamp, http::Coding::gzip, CompressionLevel::smallestSize),
              "\"5a3-17f0c2d1e4b80000-gzip3\"");
    EXPECT_EQ(entityTag(stamp, http::Coding::identity, std::nullopt, false), "W/\"5a3-17f0c2d1e4b80000\"");
}

TEST(EntityTag, DiffersWhereBytesMayDiffer) {
    std::set<std::string> tags;
    for (FileStamp stamp :
         {FileStamp{1, 2}, FileStamp{1, 3}, FileStamp{2, 2}, FileStamp{0x12, 0}, FileStamp{1, -2}}) {
        for (http::Coding coding :
             {http::Coding::identity, http::Coding::gzip, http::Coding::zstd, http::Coding::br}) {
            tags.insert(entityTag(stamp, coding));
        }
        tags.insert(entityTag(stamp, http::Coding::br, CompressionLevel::optimal));
        tags.insert(entityTag(stamp, http::Coding::br, CompressionLevel::fastest));
    }
    EXPECT_EQ(tags.size(), 5u * 6u);
}

TEST(EntityTag, AFileIsSettledOnceItsClockHasMovedOn) {
    FileStamp fine{1, 1000 * kSecond + 1};
    EXPECT_FALSE(isSettled(fine, fine.modified));
    EXPECT_FALSE(isSettled(fine, fine.modified + kSecond / 100));
    EXPECT_TRUE(isSettled(fine, fine.modified + kSecond / 50));
    FileStamp coarse{1, 1000 * kSecond}; // a file system that counts seconds
    EXPECT_FALSE(isSettled(coarse, coarse.modified + kSecond));
    EXPECT_TRUE(isSettled(coarse, coarse.modified + 2 * kSecond));
    FileStamp future{1, 5000 * kSecond}; // set by hand: no clock is near it
    EXPECT_TRUE(isSettled(future, 1000 * kSecond));
}

} // namespace
} // namespace saker::static_files
