#include "http/mime.h"

#include <gtest/gtest.h>

#include <string>

namespace saker::http {
namespace {

TEST(Mime, FindsTypesByExtension) {
    const std::pair<std::string_view, std::string_view> cases[] = {
        {"html", "text/html; charset=utf-8"},
        {"HTML", "text/html; charset=utf-8"},
        {"js", "text/javascript; charset=utf-8"},
        {"mjs", "text/javascript; charset=utf-8"},
        {"css", "text/css; charset=utf-8"},
        {"txt", "text/plain; charset=utf-8"},
        {"json", "application/json"},
        {"wasm", "application/wasm"},
        {"svg", "image/svg+xml"},
        {"png", "image/png"},
        {"jpg", "image/jpeg"},
        {"ico", "image/vnd.microsoft.icon"},
        {"webp", "image/webp"},
        {"avif", "image/avif"},
        {"woff2", "font/woff2"},
        {"mp4", "video/mp4"},
        {"pdf", "application/pdf"},
        {"3gp", "video/3gpp"},
        {"z", "application/x-compress"},
        {"zst", "application/zstd"},
    };
    for (const auto& [extension, type] : cases) {
        EXPECT_EQ(findMediaType(extension), type) << extension;
    }
    EXPECT_EQ(findMediaType("").data(), nullptr);
    EXPECT_EQ(findMediaType("unheard-of").data(), nullptr);
    EXPECT_EQ(findMediaType(std::string(1000, 'a')).data(), nullptr);
    EXPECT_EQ(mediaType("unheard-of"), kDefaultMediaType);
    EXPECT_EQ(mediaType("GIF"), "image/gif");
}

TEST(Mime, KnowsWhatShrinks) {
    for (std::string_view type :
         {"text/html; charset=utf-8", "TEXT/plain", "text/x-anything", "application/json",
          "application/ld+json", "application/json ; charset=utf-8", "image/svg+xml", "application/xhtml+xml",
          "application/wasm", "font/ttf", "image/bmp", "application/javascript"}) {
        EXPECT_TRUE(isCompressible(type)) << type;
    }
    for (std::string_view type :
         {"", "image/png", "font/woff2", "application/zip", "video/mp4", "text/event-stream",
          "application/octet-stream", "+json", "application/jsonx"}) {
        EXPECT_FALSE(isCompressible(type)) << type;
    }
}

} // namespace
} // namespace saker::http
