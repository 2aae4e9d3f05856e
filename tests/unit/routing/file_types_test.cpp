#include "routing/file_types.h"

#include <gtest/gtest.h>

namespace saker::routing {
namespace {

using Table = std::vector<std::pair<std::string, std::vector<std::string>>>;

TEST(FileTypes, KnowsTheUsualOnes) {
    FileTypes types(Table{}, {});
    EXPECT_EQ(types.find("html").contentType, "text/html; charset=utf-8");
    EXPECT_TRUE(types.find("html").isCompressible);
    EXPECT_EQ(types.find("png").contentType, "image/png");
    EXPECT_FALSE(types.find("png").isCompressible);
    EXPECT_EQ(types.find("unheard-of").contentType, "application/octet-stream");
    EXPECT_EQ(types.find("").contentType, "application/octet-stream");
    EXPECT_FALSE(types.find("html").isDownload);
    EXPECT_TRUE(types.find("html").fields.empty());
}

TEST(FileTypes, TheConfigurationComesFirst) {
    FileTypes types({{" .HTM , x-y", {"content-type : text/plain", "Cache-Control: max-age=1:2", "no colon"}},
                     {"png", {"X-A: b"}},
                     {"htm", {"X-B: c"}}},
                    {"Zip", ".png"});
    for (const char* extension : {"htm", "x-y"}) {
        FileType type = types.find(extension);
        EXPECT_EQ(type.contentType, "text/plain") << extension;
        EXPECT_TRUE(type.isCompressible) << extension;
        ASSERT_FALSE(type.fields.empty());
        EXPECT_EQ(type.fields[0].name, "Cache-Control");
        EXPECT_EQ(type.fields[0].value, "max-age=1:2");
    }
    EXPECT_EQ(types.find("htm").fields.size(), 2u) << "two entries add up";
    EXPECT_EQ(types.find("x-y").fields.size(), 1u);
    EXPECT_EQ(types.find("png").contentType, "image/png") << "what is not said stays";
    EXPECT_TRUE(types.find("png").isDownload);
    EXPECT_TRUE(types.find("zip").isDownload);
    EXPECT_EQ(types.find("zip").contentType, "application/zip");
}

TEST(FileTypes, ATypeDecidesWhetherCompressingPays) {
    FileTypes types(
        {{"a", {"Content-Type: application/json; charset=utf-8"}}, {"html", {"Content-Type: image/png"}}},
        {});
    EXPECT_TRUE(types.find("a").isCompressible);
    EXPECT_FALSE(types.find("html").isCompressible);
}

} // namespace
} // namespace saker::routing
