#include "host/first_site.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace saker::host {
namespace {

namespace fs = std::filesystem;

class FirstSiteTest : public testing::Test {
protected:
    FirstSiteTest() {
        std::string pattern = (fs::temp_directory_path() / "saker-first-XXXXXX").string();
        folder_ = ::mkdtemp(pattern.data());
    }
    ~FirstSiteTest() override { fs::remove_all(folder_); }

    fs::path folder_;
};

TEST_F(FirstSiteTest, FillsAFolderThatDoesNotExist) {
    auto made = makeFirstSite((folder_ / "www").string());
    ASSERT_TRUE(made.ok()) << made.error().text();
    EXPECT_TRUE(*made);
    EXPECT_GT(fs::file_size(folder_ / "www/localhost/index.html"), 100U);
}

TEST_F(FirstSiteTest, LeavesAFolderThatExistsAlone) {
    fs::create_directory(folder_ / "www");
    auto made = makeFirstSite((folder_ / "www").string());
    ASSERT_TRUE(made.ok());
    EXPECT_FALSE(*made);
    EXPECT_TRUE(fs::is_empty(folder_ / "www"));
}

TEST_F(FirstSiteTest, SaysWhyItCannot) {
    std::ofstream(folder_ / "file") << "not a folder";
    auto made = makeFirstSite((folder_ / "file" / "www").string());
    // What lies below a file neither exists nor can be made.
    if (made.ok()) {
        EXPECT_FALSE(*made);
    } else {
        EXPECT_FALSE(made.error().message.empty());
    }
}

} // namespace
} // namespace saker::host
