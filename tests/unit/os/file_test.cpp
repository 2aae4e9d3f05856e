#include "os/file.h"

#include "os/file_posix.h"
#include "support/temp_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace saker::os {
namespace {

namespace fs = std::filesystem;
using test::TempFolder;
using testing::HasSubstr;

TEST(File, ReadsWhatIsThere) {
    TempFolder folder;
    folder.write("a", "0123456789");
    auto file = openForRead(folder.at("a"));
    ASSERT_TRUE(file.ok());
    auto facts = file->status();
    ASSERT_TRUE(facts.ok());
    EXPECT_EQ(facts->size, 10u);
    EXPECT_EQ(facts->inode, [&] {
        struct stat s {};
        ::stat(folder.at("a").c_str(), &s);
        return static_cast<std::uint64_t>(s.st_ino);
    }());
    EXPECT_GT(facts->modified, 1'600'000'000'000'000'000);
    char buffer[4];
    EXPECT_EQ(*file->readAt(8, buffer, 4), 2u);
    EXPECT_EQ(std::string_view(buffer, 2), "89");
    EXPECT_EQ(*file->readAt(20, buffer, 4), 0u);
    EXPECT_EQ(*file->readAll(100), "0123456789");
    EXPECT_EQ(*readFile(folder.at("a"), 10), "0123456789");
}

TEST(File, ReadsFilesThatDoNotKnowTheirSize) {
    auto content = readFile("/proc/self/status", 1 << 20);
    ASSERT_TRUE(content.ok());
    EXPECT_THAT(*content, HasSubstr("Name:"));
}

TEST(File, RefusesMoreThanTheLimit) {
    TempFolder folder;
    folder.write("a", "0123456789");
    auto content = readFile(folder.at("a"), 9);
    ASSERT_FALSE(content.ok());
    EXPECT_EQ(content.error().kind, ErrorKind::limit);
    EXPECT_EQ(content.error().where, folder.at("a"));
}

TEST(File, NeverHangsOnAndNeverReadsWhatIsNotAFile) {
    TempFolder folder;
    ASSERT_EQ(::mkfifo(folder.at("fifo").c_str(), 0644), 0);
    EXPECT_EQ(openForRead(folder.at("fifo")).error().kind, ErrorKind::permission);
    EXPECT_EQ(openForRead(folder.at("")).error().kind, ErrorKind::permission);
    EXPECT_EQ(openForRead("/dev/null").error().kind, ErrorKind::permission);
    EXPECT_EQ(openForRead(folder.at("missing")).error().kind, ErrorKind::notFound);
}

TEST(File, IsClosedWithItsLastOwner) {
    TempFolder folder;
    folder.write("a");
    auto isOpen = [](std::intptr_t native) { return ::fcntl(static_cast<int>(native), F_GETFD) != -1; };
    std::intptr_t native = -1;
    Ref<FileHandle> shared;
    {
        auto file = openForRead(folder.at("a"));
        native = file->native();
        EXPECT_EQ(::fcntl(static_cast<int>(native), F_GETFD), FD_CLOEXEC);
        File moved = std::move(*file);
        EXPECT_EQ(moved.native(), native);
        shared = std::move(moved).share();
        EXPECT_FALSE(moved.isOpen());
    }
    EXPECT_EQ(shared->native(), native);
    EXPECT_TRUE(isOpen(native));
    shared = {};
    EXPECT_FALSE(isOpen(native));
    {
        auto file = openForRead(folder.at("a"));
        native = file->native();
    }
    EXPECT_FALSE(isOpen(native));
}

TEST(WriteAtomically, MakesAndReplacesAndLeavesNothingBeside) {
    TempFolder folder;
    ASSERT_TRUE(writeAtomically(folder.at("a"), "one", 0600).ok());
    EXPECT_EQ(*readFile(folder.at("a"), 100), "one");
    struct stat facts {};
    ::stat(folder.at("a").c_str(), &facts);
    EXPECT_EQ(facts.st_mode & 0777, 0600u);
    ::chmod(folder.at("a").c_str(), 0640);
    ASSERT_TRUE(writeAtomically(folder.at("a"), "two", 0600).ok());
    EXPECT_EQ(*readFile(folder.at("a"), 100), "two");
    ::stat(folder.at("a").c_str(), &facts);
    EXPECT_EQ(facts.st_mode & 0777, 0640u); // as it was
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

TEST(WriteAtomically, KeepsALinkAndReplacesItsTarget) {
    TempFolder folder;
    folder.write("real/config", "old");
    folder.link("config", "real/config");
    ASSERT_TRUE(writeAtomically(folder.at("config"), "new").ok());
    EXPECT_TRUE(fs::is_symlink(folder.at("config")));
    EXPECT_EQ(*readFile(folder.at("real/config"), 100), "new");
}

TEST(WriteAtomically, SaysWhatWentWrongAndTouchesNothing) {
    TempFolder folder;
    folder.makeFolder("d");
    EXPECT_EQ(writeAtomically(folder.at("d"), "x").error().kind, ErrorKind::permission);
    auto missing = writeAtomically(folder.at("no/such/file"), "x");
    ASSERT_FALSE(missing.ok());
    EXPECT_EQ(missing.error().kind, ErrorKind::notFound);
    EXPECT_THAT(missing.error().where, HasSubstr("no/such/file"));
}

TEST(CreateDirectories, MakesThoseAboveToo) {
    TempFolder folder;
    ASSERT_TRUE(createDirectories(folder.at("a/b/c")).ok());
    EXPECT_TRUE(fs::is_directory(folder.at("a/b/c")));
    EXPECT_TRUE(createDirectories(folder.at("a/b/c")).ok());
    EXPECT_TRUE(createDirectories(folder.at("a/b/c/")).ok());
    EXPECT_TRUE(createDirectories("/").ok());
    folder.write("file");
    EXPECT_FALSE(createDirectories(folder.at("file")).ok());
    EXPECT_FALSE(createDirectories(folder.at("file/below")).ok());
}

/// A folder with links of every kind, opened with each policy.
class FolderTest : public testing::Test {
protected:
    FolderTest() {
        outside.write("secret", "secret");
        extra.write("photo", "photo");
        extra.link("escape", outside.at("secret"));
        folder.write("root/a/file", "file");
        folder.write("rooty/file", "next door");
        folder.link("root/relative", "a/file");
        folder.link("root/absolute", folder.at("root/a/file"));
        folder.link("root/dir", "a");
        folder.link("root/a/back", "../a/../a/file");
        folder.link("root/out", outside.at("secret"));
        folder.link("root/outdir", outside.at(""));
        folder.link("root/up", "../rooty/file");
        folder.link("root/rooty", folder.at("rooty"));
        folder.link("root/extra", extra.at(""));
        folder.link("root/loop", "loop");
        folder.link("root/proc", "/proc/self/exe");
        EXPECT_EQ(::mkfifo(folder.at("root/fifo").c_str(), 0644), 0);
    }

    /// The content, or the kind of the error.
    static std::string open(const Folder& root, std::string_view path) {
        auto file = root.openBeneath(path);
        if (file.ok()) {
            return *file->readAll(100);
        }
        return file.error().kind == ErrorKind::notFound     ? "not found"
               : file.error().kind == ErrorKind::permission ? "refused"
                                                            : "failed";
    }

    TempFolder outside, extra, folder;
};

TEST_F(FolderTest, ObeysThePolicy) {
    const std::string root = folder.at("root");
    const std::vector<std::string> also{extra.at(""), folder.at("missing")};
    auto never = Folder::open(root, LinkPolicy::never);
    auto inside = Folder::open(root, LinkPolicy::inside);
    auto withExtra = Folder::open(root, LinkPolicy::inside, also);
    auto follow = Folder::open(root, LinkPolicy::follow);
    ASSERT_TRUE(never.ok() && inside.ok() && withExtra.ok() && follow.ok());
    struct Case {
        std::string_view path;
        const char *never, *inside, *withExtra, *follow;
    };
    for (const Case& c : {
             Case{"a/file", "file", "file", "file", "file"},
             Case{"a//file", "file", "file", "file", "file"},
             Case{"a/./file", "file", "file", "file", "file"},
             Case{"relative", "refused", "file", "file", "file"},
             Case{"absolute", "refused", "file", "file", "file"},
             Case{"dir/file", "refused", "file", "file", "file"},
             Case{"a/back", "refused", "file", "file", "file"},
             Case{"out", "refused", "refused", "refused", "secret"},
             Case{"outdir/secret", "refused", "refused", "refused", "secret"},
             Case{"up", "refused", "refused", "refused", "next door"},
             Case{"rooty/file", "refused", "refused", "refused", "next door"},
             Case{"extra/photo", "refused", "refused", "photo", "photo"},
             Case{"extra/escape", "refused", "refused", "refused", "secret"},
             Case{"loop", "refused", "refused", "refused", "refused"},
             Case{"fifo", "refused", "refused", "refused", "refused"},
             Case{"a", "refused", "refused", "refused", "refused"},
             Case{"missing", "not found", "not found", "not found", "not found"},
             Case{"a/file/below", "not found", "not found", "not found", "not found"},
             Case{"../root/a/file", "refused", "refused", "refused", "refused"},
             Case{"a/../a/file", "refused", "refused", "refused", "refused"},
             Case{"a/..", "refused", "refused", "refused", "refused"},
             Case{"/etc/passwd", "refused", "refused", "refused", "refused"},
             Case{"", "refused", "refused", "refused", "refused"},
             Case{std::string_view("a/file\0x", 8), "refused", "refused", "refused", "refused"},
         }) {
        EXPECT_EQ(open(*never, c.path), c.never) << c.path;
        EXPECT_EQ(open(*inside, c.path), c.inside) << c.path;
        EXPECT_EQ(open(*withExtra, c.path), c.withExtra) << c.path;
        EXPECT_EQ(open(*follow, c.path), c.follow) << c.path;
    }
    EXPECT_EQ(open(*inside, "proc"), "refused");
    const std::string endless(5000, 'x');
    EXPECT_EQ(open(*inside, endless), "not found");
}

TEST_F(FolderTest, MayItselfBeReachedThroughALink) {
    folder.link("current", "root");
    auto root = Folder::open(folder.at("current"), LinkPolicy::never);
    ASSERT_TRUE(root.ok());
    EXPECT_EQ(open(*root, "a/file"), "file");
    auto inside = Folder::open(folder.at("current"), LinkPolicy::inside);
    ASSERT_TRUE(inside.ok());
    EXPECT_EQ(open(*inside, "absolute"), "file");
    EXPECT_EQ(open(*inside, "out"), "refused");
}

TEST_F(FolderTest, StaysWithTheFolderItOpened) {
    auto root = Folder::open(folder.at("root"), LinkPolicy::never);
    ASSERT_TRUE(root.ok());
    folder.rename("root", "moved");
    EXPECT_EQ(open(*root, "a/file"), "file");
    EXPECT_FALSE(Folder::open(folder.at("root"), LinkPolicy::never).ok());
    EXPECT_FALSE(Folder::open(folder.at("moved/a/file"), LinkPolicy::never).ok());
}

TEST_F(FolderTest, IsWalkedByNamesWhereTheKernelKnowsNoBetterWay) {
    const File root(::open(folder.at("root").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    for (auto [path, expected] :
         {std::pair{"a/file", 0}, std::pair{"a//file", 0}, std::pair{"./a/./file", 0},
          std::pair{"relative", ELOOP}, std::pair{"absolute", ELOOP}, std::pair{"loop", ELOOP},
          std::pair{"dir/file", ENOTDIR}, std::pair{"outdir/secret", ENOTDIR},
          std::pair{"a/file/below", ENOTDIR}, std::pair{"missing", ENOENT}, std::pair{"missing/file", ENOENT},
          std::pair{"a/", ENOENT}}) {
        const int handle = openByNames(static_cast<int>(root.native()), path);
        const File opened(handle < 0 ? -1 : handle);
        EXPECT_EQ(handle < 0 ? -handle : 0, expected) << path;
    }
}

} // namespace
} // namespace saker::os
