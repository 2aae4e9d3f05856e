#include "handlers/static_files/sample_site.h"

#include "base/text.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace saker::static_files {
namespace {

std::set<std::string> paths() {
    std::set<std::string> all;
    for (const routing::EmbeddedFile& file : sampleSite()) {
        all.emplace(file.path);
    }
    return all;
}

TEST(SampleSite, HoldsAllItsFiles) {
    EXPECT_EQ(paths(), (std::set<std::string>{"index.html", "style.css", "error404.html", "saker.svg"}));
    for (const routing::EmbeddedFile& file : sampleSite()) {
        EXPECT_FALSE(file.text.empty()) << file.path;
        EXPECT_TRUE(isUtf8(file.text)) << file.path;
        EXPECT_EQ(file.text.back(), '\n') << file.path;
    }
}

TEST(SampleSite, LinksOnlyToItself) {
    std::set<std::string> known = paths();
    known.insert({"", "nowhere"}); // the start page, and one that shows the error page
    for (const routing::EmbeddedFile& file : sampleSite()) {
        for (std::string_view attribute : {"href=\"", "src=\""}) {
            for (std::size_t at = 0; (at = file.text.find(attribute, at)) != file.text.npos;) {
                at += attribute.size();
                std::string_view link = file.text.substr(at, file.text.find('"', at) - at);
                link.remove_prefix(link.starts_with('/') ? 1 : 0);
                EXPECT_EQ(known.count(std::string(link)), 1u) << file.path << ": " << link;
            }
        }
        EXPECT_EQ(file.text.find("https:"), file.text.npos) << file.path;
        EXPECT_EQ(file.text.find("@import"), file.text.npos) << file.path;
    }
}

} // namespace
} // namespace saker::static_files
