#include "handlers/static_files/compressor.h"

#include "unit/handlers/static_files/decode.h"

#include <random>
#include <string>

namespace saker::static_files {
namespace {

constexpr http::Coding kCodings[] = {http::Coding::gzip, http::Coding::br, http::Coding::zstd};
constexpr CompressionLevel kLevels[] = {CompressionLevel::fastest, CompressionLevel::optimal,
                                        CompressionLevel::smallestSize};

std::string page(std::size_t size) {
    std::mt19937 random(7);
    const char* words[] = {"<p>", "falcon ", "server ", "</p>\n", "class=\"x\" ", "the ", "of ", "and "};
    std::string text;
    while (text.size() < size) {
        text += words[random() % 8];
        text += static_cast<char>('a' + random() % 26);
    }
    text.resize(size);
    return text;
}

TEST(Compressor, EveryCodingComesBackAtEveryLevel) {
    for (std::size_t size : {kMinCompressible, std::size_t{1000}, std::size_t{70000}}) {
        std::string body = page(size);
        for (http::Coding coding : kCodings) {
            for (CompressionLevel level : kLevels) {
                auto coded = compress(body, coding, level);
                ASSERT_TRUE(coded) << size;
                EXPECT_LE(coded->size(), size - size / 16);
                EXPECT_EQ(decode(coding, *coded, size), body);
                EXPECT_EQ(compress(body, coding, level), coded) << "not the same bytes again";
            }
        }
    }
}

TEST(Compressor, SmallestIsNotLargerThanFastest) {
    std::string body = page(40000);
    for (http::Coding coding : kCodings) {
        EXPECT_LT(compress(body, coding, CompressionLevel::smallestSize)->size(),
                  compress(body, coding, CompressionLevel::fastest)->size());
    }
}

TEST(Compressor, GzipCarriesNoTimeAndNoName) {
    std::string coded = *compress(page(1000), http::Coding::gzip, CompressionLevel::optimal);
    EXPECT_EQ(coded.substr(0, 4), std::string("\x1f\x8b\x08\x00", 4)); // no flags: no name, no comment
    EXPECT_EQ(coded.substr(4, 4), std::string(4, '\0'));
}

TEST(Compressor, ZstdWindowStaysWithinWhatClientsAccept) {
    std::string body(9 << 20, 'x');
    auto coded = compress(body, http::Coding::zstd, CompressionLevel::smallestSize);
    ASSERT_TRUE(coded);
    // Frame header descriptor, then the window descriptor (RFC 8878, section 3.1.1.1): exponent in the high
    // five bits.
    ASSERT_EQ(static_cast<unsigned char>((*coded)[4]) & 0x20, 0)
        << "a single segment: the window is the whole body";
    int exponent = static_cast<unsigned char>((*coded)[5]) >> 3;
    EXPECT_LE(exponent + 10, 23);
}

TEST(Compressor, WhatDoesNotPayIsNotCompressed) {
    std::mt19937 random(3);
    std::string noise(20000, '\0');
    for (char& c : noise) {
        c = static_cast<char>(random());
    }
    for (http::Coding coding : kCodings) {
        EXPECT_FALSE(compress(noise, coding, CompressionLevel::optimal));
        EXPECT_FALSE(compress("", coding, CompressionLevel::optimal));
        EXPECT_FALSE(compress(page(kMinCompressible - 1), coding, CompressionLevel::optimal));
        EXPECT_FALSE(compress(page(1000), coding, CompressionLevel::noCompression));
    }
    EXPECT_FALSE(compress(page(1000), http::Coding::identity, CompressionLevel::optimal));
    EXPECT_FALSE(
        compress(std::string(kMaxCompressible + 1, 'a'), http::Coding::gzip, CompressionLevel::optimal));
}

} // namespace
} // namespace saker::static_files
