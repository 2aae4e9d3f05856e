#include "observe/append_file.h"

#include "unit/observe/temporary_folder.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace saker::observe {
namespace {

TEST(AppendFile, MakesTheFileAndAppends) {
    TemporaryFolder folder;
    {
        auto file = AppendFile::open(folder.file("log"));
        ASSERT_TRUE(file.ok()) << file.error().text();
        EXPECT_EQ(file->size(), 0u);
        EXPECT_TRUE(file->isRegular());
        EXPECT_EQ(file->write("one\n").bytes, 4u);
    }
    auto file = AppendFile::open(folder.file("log"));
    ASSERT_TRUE(file.ok());
    EXPECT_EQ(file->size(), 4u);
    file->write("two\n");
    EXPECT_EQ(file->size(), 8u);
    EXPECT_EQ(folder.read("log"), "one\ntwo\n");
}

TEST(AppendFile, SaysWhyItCannotBeOpened) {
    TemporaryFolder folder;
    auto file = AppendFile::open(folder.file("."));
    ASSERT_FALSE(file.ok());
    EXPECT_EQ(file.error().where, folder.file("."));
    EXPECT_FALSE(AppendFile::open(folder.file("missing/log")).ok()) << "a folder is not made";
}

TEST(AppendFile, ReportsAFullDisk) {
    auto file = AppendFile::open("/dev/full");
    ASSERT_TRUE(file.ok());
    EXPECT_FALSE(file->isRegular());
    AppendFile::Written written = file->write("x");
    EXPECT_EQ(written.bytes, 0u);
    EXPECT_EQ(written.error, ENOSPC);
}

TEST(AppendFile, LinksAreNotRegular) {
    TemporaryFolder folder;
    std::filesystem::create_symlink(folder.file("target"), folder.file("link"));
    auto file = AppendFile::open(folder.file("link"));
    ASSERT_TRUE(file.ok());
    EXPECT_FALSE(file->isRegular());
}

} // namespace
} // namespace saker::observe
