#include "os/temporary_file.h"

#include "support/temp_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <unistd.h>

namespace saker::os {
namespace {

TEST(TemporaryFileTest, KeepsBytesWithoutAName) {
    test::TempFolder folder;
    auto file = TemporaryFile::create(folder.at(""));
    ASSERT_TRUE(file) << file.error().text();
    ASSERT_TRUE(file->append("hello "));
    ASSERT_TRUE(file->append("world"));
    EXPECT_EQ(file->size(), 11U);
    char bytes[16];
    EXPECT_EQ(::pread(static_cast<int>(file->handle()->native()), bytes, sizeof bytes, 0), 11);
    EXPECT_EQ(std::string(bytes, 11), "hello world");
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(TemporaryFileTest, SaysWhereItCannotBeMade) {
    const auto file = TemporaryFile::create("/nowhere/at/all");
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().where, "/nowhere/at/all");
}

} // namespace
} // namespace saker::os
