#include "http/negotiate.h"

#include "unit/http/head_of.h"

#include <gtest/gtest.h>

namespace saker::http {
namespace {

constexpr CodingSet kEverything = {Coding::identity, Coding::gzip, Coding::zstd, Coding::br};

struct Case {
    std::string_view value;
    CodingSet available;
    std::optional<Coding> chosen;
};

TEST(Negotiate, ChoosesCodings) {
    const Case cases[] = {
        {"", kEverything, Coding::identity},
        {"gzip", kEverything, Coding::gzip},
        {"GZIP", kEverything, Coding::gzip},
        {"x-gzip", kEverything, Coding::gzip},
        {"gzip, deflate, br, zstd", kEverything, Coding::br},
        {"gzip, deflate, zstd", kEverything, Coding::zstd},
        {"gzip, deflate, br", {Coding::identity, Coding::gzip}, Coding::gzip},
        {"br;q=0.5, gzip;q=0.8", kEverything, Coding::gzip},
        {"br;q=0.5 , gzip ; q=0.5", kEverything, Coding::br},
        {"gzip;q=0.001", kEverything, Coding::gzip},
        {"gzip;q=0", kEverything, Coding::identity},
        {"gzip;q=0.000, br;q=0", kEverything, Coding::identity},
        {"*", kEverything, Coding::br},
        {"*;q=0.5, gzip", kEverything, Coding::gzip},
        {"*, br;q=0", kEverything, Coding::zstd},
        {"deflate", kEverything, Coding::identity},
        {"identity", kEverything, Coding::identity},
        {"identity, gzip;q=0.5", kEverything, Coding::identity},
        {"identity;q=0.5, gzip;q=0.5", kEverything, Coding::gzip},
        {"gzip, identity;q=0", {Coding::identity}, std::nullopt},
        {"identity;q=0", kEverything, std::nullopt},
        {"*;q=0", kEverything, std::nullopt},
        {"*;q=0, identity", kEverything, Coding::identity},
        {"*;q=0, gzip", kEverything, Coding::gzip},
        {"identity;q=0, *", kEverything, Coding::br},
        {"br", {Coding::identity}, Coding::identity},
        {"br", {}, std::nullopt},
        // malformed members are skipped
        {"br;q=2, gzip", kEverything, Coding::gzip},
        {"br;q=1.001, gzip", kEverything, Coding::gzip},
        {"br;q=-1, gzip", kEverything, Coding::gzip},
        {"br;q=0.1234, gzip;q=0.1", kEverything, Coding::gzip},
        {"br;q=.5, gzip;q=0.1", kEverything, Coding::gzip},
        {"br;q=, gzip;q=0.1", kEverything, Coding::gzip},
        {"br;q=1., gzip;q=1.000", kEverything, Coding::br},
        {"br;Q=0.1, gzip;q=0.5", kEverything, Coding::gzip},
        {",, ;q=1, gzip,,", kEverything, Coding::gzip},
        {"brotli, gzipped", kEverything, Coding::identity},
    };
    for (const Case& c : cases) {
        AcceptEncoding accept;
        accept.add(c.value);
        EXPECT_EQ(accept.choose(c.available), c.chosen) << c.value;
    }
}

TEST(Negotiate, ReadsTheFieldsOfARequest) {
    EXPECT_EQ(AcceptEncoding(headOf("")->head).choose(kEverything), Coding::identity);
    EXPECT_EQ(
        AcceptEncoding(headOf("Accept-Encoding: gzip\r\nAccept-Encoding: br\r\n")->head).choose(kEverything),
        Coding::br);
}

TEST(Negotiate, ReadsABoundedNumberOfMembers) {
    std::string value;
    for (int i = 0; i < 32; ++i) {
        value += "x,";
    }
    AcceptEncoding accept;
    accept.add(value + "gzip");
    EXPECT_EQ(accept.choose(kEverything), Coding::identity);
}

TEST(Negotiate, NamesCodings) {
    EXPECT_EQ(codingName(Coding::br), "br");
    EXPECT_EQ(codingSuffix(Coding::zstd), ".zst");
    EXPECT_EQ(codingSuffix(Coding::identity), "");
}

TEST(Negotiate, WeighsMediaTypes) {
    struct Weight {
        std::string_view accept, type;
        std::uint16_t quality;
    };
    const Weight cases[] = {
        {"", "text/html", 1000},
        {"*/*", "text/html", 1000},
        {"text/*;q=0.3, text/html;q=0.7, */*;q=0.5", "text/html", 700},
        {"text/*;q=0.3, text/html;q=0.7, */*;q=0.5", "text/plain", 300},
        {"text/*;q=0.3, text/html;q=0.7, */*;q=0.5", "image/png", 500},
        {"application/json", "text/html", 0},
        {"text/html;level=1;q=0.4", "text/html", 400},
        {"TEXT/HTML", "text/html", 1000},
        {"text/htm*", "text/html", 0},
        {"*/html", "text/html", 0},
        {"text/html;q=x, */*;q=0.1", "text/html", 100},
    };
    for (const Weight& c : cases) {
        EXPECT_EQ(acceptQuality(c.accept, c.type), c.quality) << c.accept << " for " << c.type;
    }
}

} // namespace
} // namespace saker::http
