#include "routing/file_index.h"

#include "support/temp_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace saker::routing {
namespace {

using test::TempFolder;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using Links = IndexOptions::Links;

/// "file example.com/a.html", "file a + /rest", "directory x", "none"; " ~" when folded.
std::string describe(const FileIndex& index, const Found& found) {
    std::string text;
    switch (found.kind) {
    case Found::Kind::none:
        return "none";
    case Found::Kind::directory:
        text = "directory " + std::string(index.pathOf(*found.directory));
        break;
    case Found::Kind::file:
        text = "file " + std::string(index.pathOf(*found.directory));
        text += (index.pathOf(*found.directory).empty() ? "" : "/") + std::string(found.file.name);
        break;
    }
    if (!found.rest.empty()) {
        text += " + " + std::string(found.rest);
    }
    return text + (found.folded ? " ~" : "");
}

std::vector<std::string> filesOf(const FileIndex& index, std::string_view prefix = {}) {
    std::vector<std::string> files;
    index.forEach(prefix,
                  [&](std::string_view full) { files.emplace_back(full.substr(index.root().size() + 1)); });
    std::sort(files.begin(), files.end());
    return files;
}

class FileIndexTest : public testing::Test {
protected:
    std::string find(std::string_view path, CaseMode mode = CaseMode::fold) {
        return describe(index, index.find(path, mode));
    }

    TempFolder folder;
    FileIndex index{IndexOptions{.root = folder.at("")}};
    Quiescence::Reader reader{index.quiescence()};
};

TEST_F(FileIndexTest, IsEmptyBeforeTheFirstScan) {
    folder.write("a.html");
    EXPECT_EQ(find("a.html"), "none");
    EXPECT_EQ(find(""), "directory ");
    EXPECT_EQ(index.fileCount(), 0u);
}

TEST_F(FileIndexTest, FindsFilesDirectoriesAndTheRestOfThePath) {
    folder.write("top.txt");
    folder.write("example.com/index.php");
    folder.write("example.com/Docs/Guide.html");
    folder.write("example.com/docs/lower.html");
    folder.write("example.com/docs/both.html");
    folder.write("example.com/Docs/both.html");
    folder.write("example.com/.htaccess");
    folder.makeFolder("example.com/empty");
    ASSERT_TRUE(index.scan().ok());
    struct Case {
        const char* path;
        CaseMode mode;
        const char* expected;
    };
    constexpr CaseMode exact = CaseMode::exact;
    constexpr CaseMode fold = CaseMode::fold;
    for (const Case& c : {
             Case{"top.txt", exact, "file top.txt"},
             Case{"example.com", exact, "directory example.com"},
             Case{"EXAMPLE.com", fold, "directory example.com ~"},
             Case{"EXAMPLE.com", exact, "none"},
             Case{"example.com/index.php", exact, "file example.com/index.php"},
             Case{"example.com/INDEX.PHP", fold, "file example.com/index.php ~"},
             Case{"example.com/index.php/a", exact, "file example.com/index.php + /a"},
             Case{"example.com/index.php/a/b", fold, "file example.com/index.php + /a/b"},
             Case{"example.com/INDEX.php/A/B", fold, "file example.com/index.php + /A/B ~"},
             Case{"example.com/index.php/", fold, "file example.com/index.php + /"},
             Case{"top.txt/x", exact, "file top.txt + /x"},
             Case{"example.com/.htaccess", exact, "file example.com/.htaccess"},
             Case{"example.com/empty", exact, "directory example.com/empty"},
             Case{"example.com/empty/x", fold, "none"},
             Case{"example.com/no/such/file", fold, "none"},
             // Directories that differ only in case: the exact one, then the others in byte order.
             Case{"example.com/docs/guide.html", fold, "file example.com/Docs/Guide.html ~"},
             Case{"example.com/Docs/lower.html", fold, "file example.com/docs/lower.html ~"},
             Case{"example.com/docs/both.html", fold, "file example.com/docs/both.html"},
             Case{"example.com/DOCS/both.html", fold, "file example.com/Docs/both.html ~"},
             Case{"example.com/docs/guide.html", exact, "none"},
             Case{"example.com/Docs/Guide.html/info", exact, "file example.com/Docs/Guide.html + /info"},
             Case{"example.com/docs/guide.html/info", fold, "file example.com/Docs/Guide.html + /info ~"},
             // Nothing but a whole name in every place counts.
             Case{"example.co", fold, "none"},
             Case{"example.com/index.ph", fold, "none"},
             Case{"example.com/index.phpx", fold, "none"},
             Case{"example.comindex.php", fold, "none"},
             Case{"/", fold, "none"},
             Case{"/example.com", fold, "none"},
             Case{"example.com//index.php", fold, "none"},
             Case{"../etc", fold, "none"},
         }) {
        EXPECT_EQ(find(c.path, c.mode), c.expected) << c.path;
    }
}

TEST_F(FileIndexTest, KnowsSizeTimeAndExtension) {
    folder.write("a/File.HTML", "12345");
    struct timespec times[2] = {{1, 0}, {1'700'000'000, 123'456'789}};
    ASSERT_EQ(::utimensat(AT_FDCWD, folder.at("a/File.HTML").c_str(), times, 0), 0);
    ASSERT_TRUE(index.scan().ok());
    const Found found = index.find("a/File.HTML", CaseMode::exact);
    ASSERT_EQ(found.kind, Found::Kind::file);
    EXPECT_EQ(found.file.size, 5u);
    EXPECT_EQ(found.file.modified, 1'700'000'000'123'456'789);
    EXPECT_EQ(index.extensionText(found.file.extension), "html");
    EXPECT_EQ(index.extensionId("Html"), found.file.extension);
}

TEST_F(FileIndexTest, FindsAndListsInADirectory) {
    folder.write("d/b.html");
    folder.write("d/Index.html");
    folder.write("d/z/x");
    folder.write("d/Y/x");
    ASSERT_TRUE(index.scan().ok());
    const IndexDirectory& directory = *index.find("d", CaseMode::exact).directory;
    FileFacts facts;
    EXPECT_TRUE(index.findIn(directory, "index.html", CaseMode::fold, facts));
    EXPECT_EQ(facts.name, "Index.html");
    EXPECT_FALSE(index.findIn(directory, "index.html", CaseMode::exact, facts));
    EXPECT_FALSE(index.findIn(directory, "z", CaseMode::exact, facts));
    EXPECT_TRUE(index.hasDirectory(directory, "z", CaseMode::exact));
    EXPECT_TRUE(index.hasDirectory(directory, "y", CaseMode::fold));
    EXPECT_FALSE(index.hasDirectory(directory, "b.html", CaseMode::fold));
    std::vector<std::string> names;
    index.list(
        directory, [&](const FileFacts& file) { names.emplace_back(file.name); },
        [&](std::string_view sub) { names.push_back(std::string(sub) + "/"); });
    EXPECT_THAT(names, ElementsAre("Index.html", "b.html", "Y/", "z/"));
}

TEST_F(FileIndexTest, VisitsEveryFileBelowAPrefix) {
    folder.write("a/1");
    folder.write("a/b/2");
    folder.write("ab/3");
    ASSERT_TRUE(index.scan().ok());
    EXPECT_THAT(filesOf(index), ElementsAre("a/1", "a/b/2", "ab/3"));
    EXPECT_THAT(filesOf(index, "a"), ElementsAre("a/1", "a/b/2"));
    EXPECT_THAT(filesOf(index, "a/b/2"), ElementsAre("a/b/2"));
    EXPECT_THAT(filesOf(index, "a/b/2/3"), IsEmpty());
    EXPECT_THAT(filesOf(index, "b"), IsEmpty());
}

TEST_F(FileIndexTest, IndexesNamesAsBytesAndOnlyRegularFiles) {
    folder.write("d/\xff\xfe.txt");
    folder.write("d/line\nbreak");
    ASSERT_EQ(::mkfifo(folder.at("d/fifo").c_str(), 0644), 0);
    ASSERT_TRUE(index.scan().ok());
    EXPECT_THAT(filesOf(index), ElementsAre("d/line\nbreak", "d/\xff\xfe.txt"));
    index.refresh("d/fifo");
    EXPECT_EQ(find("d/fifo"), "none");
}

TEST_F(FileIndexTest, CountsWhileItScans) {
    folder.write("a/1");
    folder.write("a/2");
    folder.write("b/3");
    std::vector<std::uint64_t> seen;
    auto result = index.scan({}, [&](const FileIndex::Progress& p) { seen.push_back(p.files); });
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result->files, 3u);
    EXPECT_EQ(result->directories, 3u);
    EXPECT_EQ(result->skipped, 0u);
    EXPECT_EQ(seen.size(), 3u);
    EXPECT_EQ(seen.back(), 3u);
    EXPECT_EQ(index.fileCount(), 3u);
    EXPECT_EQ(index.scan("a")->files, 2u);
}

TEST_F(FileIndexTest, AScanThatFindsNoChangePublishesNothing) {
    folder.write("a/b/1");
    ASSERT_TRUE(index.scan().ok());
    const std::uint64_t generation = index.generation();
    EXPECT_GT(generation, 0u);
    ASSERT_TRUE(index.scan().ok());
    index.refresh("a/b/1");
    ASSERT_TRUE(index.scanOneLevel("a").ok());
    EXPECT_EQ(index.generation(), generation);
    folder.write("a/b/1", "longer content");
    index.refresh("a/b/1");
    EXPECT_GT(index.generation(), generation);
}

TEST_F(FileIndexTest, RefreshFollowsEveryKindOfChange) {
    folder.write("s/foo/1");
    folder.write("s/foo/deep/2");
    folder.write("s/foobar/3");
    folder.write("s/foo.txt");
    ASSERT_TRUE(index.scan().ok());

    folder.remove("s/foo"); // takes neither foobar nor foo.txt along
    index.refresh("s/foo");
    EXPECT_THAT(filesOf(index), ElementsAre("s/foo.txt", "s/foobar/3"));
    EXPECT_EQ(find("s/foo"), "none");
    EXPECT_EQ(find("s/foo/deep/2"), "none");

    folder.write("s/new/a/b/4"); // a whole tree, by its top
    index.refresh("s/new");
    EXPECT_EQ(find("s/new/a/b/4"), "file s/new/a/b/4");

    folder.write("t/u/v/5"); // by its deepest name only
    index.refresh("t/u/v/5");
    EXPECT_EQ(find("t/u/v/5"), "file t/u/v/5");

    folder.rename("s/new", "s/renamed");
    index.refresh(std::vector<std::string>{"s/new", "s/renamed"});
    EXPECT_EQ(find("s/renamed/a/b/4"), "file s/renamed/a/b/4");
    EXPECT_EQ(find("s/new/a/b/4"), "none");

    folder.remove("s/foobar"); // a directory becomes a file and back
    folder.write("s/foobar", "file now");
    index.refresh("s/foobar");
    EXPECT_EQ(find("s/foobar"), "file s/foobar");
    EXPECT_EQ(find("s/foobar/3"), "file s/foobar + /3");
    folder.remove("s/foobar");
    folder.write("s/foobar/6");
    index.refresh("s/foobar");
    EXPECT_EQ(find("s/foobar/6"), "file s/foobar/6");

    EXPECT_EQ(index.fileCount(), filesOf(index).size());
}

TEST_F(FileIndexTest, RefreshTakesManyNamesInAnyOrder) {
    for (int i = 0; i < 20; ++i) {
        folder.write("d/file" + std::to_string(i));
    }
    ASSERT_TRUE(index.scan().ok());
    const std::uint64_t generation = index.generation();
    std::vector<std::string> changed{"d/e/f", "d/e", "d/file3", "x/y", "d/file3", "no/such"};
    folder.remove("d/file3");
    folder.write("d/e/f");
    folder.write("x/y");
    for (int i = 10; i < 20; ++i) {
        folder.remove("d/file" + std::to_string(i));
        changed.push_back("d/file" + std::to_string(i));
    }
    index.refresh(changed);
    EXPECT_EQ(index.generation(), generation + 1);
    EXPECT_EQ(index.fileCount(), 11u);
    EXPECT_EQ(find("d/e/f"), "file d/e/f");
    EXPECT_EQ(find("x/y"), "file x/y");
    EXPECT_EQ(find("d/file3"), "none");
}

TEST_F(FileIndexTest, RefreshIgnoresWhatIsNoProperPath) {
    folder.write("in/a");
    ASSERT_TRUE(index.scan("in").ok());
    const std::uint64_t generation = index.generation();
    for (const char* path : {"..", "in/../in/a", "in//a", "/in", "in/", "./in", "in/."}) {
        index.refresh(path);
    }
    EXPECT_EQ(index.generation(), generation);
}

TEST_F(FileIndexTest, OneLevelReadsNewDirectoriesButNotKnownOnes) {
    folder.write("d/known/1");
    folder.write("d/gone/1");
    ASSERT_TRUE(index.scan().ok());
    folder.write("d/known/2");
    folder.write("d/new/3");
    folder.write("d/4");
    folder.remove("d/gone");
    ASSERT_TRUE(index.scanOneLevel("d").ok());
    EXPECT_THAT(filesOf(index), ElementsAre("d/4", "d/known/1", "d/new/3"));
    ASSERT_TRUE(index.scan("d/known").ok());
    EXPECT_THAT(filesOf(index), ElementsAre("d/4", "d/known/1", "d/known/2", "d/new/3"));
    folder.write("e/5");
    ASSERT_TRUE(index.scanOneLevel("e").ok());
    EXPECT_EQ(find("e/5"), "file e/5");
}

TEST_F(FileIndexTest, WhatIsNotThereIsAnErrorAndLeavesTheIndex) {
    folder.write("d/1");
    folder.write("e/2");
    ASSERT_TRUE(index.scan().ok());
    folder.remove("d");
    auto scanned = index.scan("d");
    ASSERT_FALSE(scanned.ok());
    EXPECT_EQ(scanned.error().kind, ErrorKind::notFound);
    EXPECT_EQ(find("d/1"), "none");
    folder.remove("e");
    EXPECT_FALSE(index.scanOneLevel("e").ok());
    EXPECT_EQ(index.fileCount(), 0u);
    folder.write("f/3");
    ASSERT_TRUE(index.scan().ok());
    folder.remove("");
    EXPECT_FALSE(index.scan().ok());
    EXPECT_EQ(index.fileCount(), 0u);
    EXPECT_EQ(find("f/3"), "none");
    EXPECT_EQ(find(""), "directory ");
}

TEST(FileIndex, LeavesOutWhatIsTooDeep) {
    TempFolder folder;
    folder.write("a/b/c/deep");
    folder.write("a/b/just");
    FileIndex index(IndexOptions{.root = folder.at(""), .maxDepth = 2});
    Quiescence::Reader reader(index.quiescence());
    auto result = index.scan();
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result->skipped, 1u);
    EXPECT_THAT(filesOf(index), ElementsAre("a/b/just"));
    index.refresh("a/b/c/deep");
    EXPECT_THAT(filesOf(index), ElementsAre("a/b/just"));
}

TEST(FileIndex, LinksFollowThePolicy) {
    TempFolder outside;
    outside.write("secret/passwd");
    TempFolder extra;
    extra.write("shared/photo.jpg");
    TempFolder folder;
    folder.write("site/real/page.html");
    folder.link("site/inside", "real");
    folder.link("site/inside.html", folder.at("site/real/page.html"));
    folder.link("site/up", "../site/real");
    folder.link("site/out", outside.at("secret"));
    folder.link("site/out.txt", outside.at("secret/passwd"));
    folder.link("site/extra", extra.at("shared"));
    folder.link("site/nowhere", "missing");
    folder.link("site/self", "self");
    // A link below a permitted one, leading out again.
    extra.link("shared/escape", outside.at("secret"));

    struct Case {
        const char* name;
        Links links;
        std::vector<std::string> extraRoots;
        std::vector<std::string> files;
    };
    const std::vector<std::string> real{"site/real/page.html"};
    const std::vector<std::string> inside{"site/inside.html", "site/inside/page.html", "site/real/page.html",
                                          "site/up/page.html"};
    std::vector<std::string> withExtra = inside;
    withExtra.insert(withExtra.begin(), "site/extra/photo.jpg");
    const std::vector<std::string> all{"site/extra/escape/passwd", "site/extra/photo.jpg", "site/inside.html",
                                       "site/inside/page.html",    "site/out.txt",         "site/out/passwd",
                                       "site/real/page.html",      "site/up/page.html"};
    for (const Case& c :
         {Case{"never", Links::never, {}, real}, Case{"inside", Links::inside, {}, inside},
          Case{"extra", Links::inside, {extra.at("")}, withExtra}, Case{"follow", Links::follow, {}, all}}) {
        FileIndex index(IndexOptions{.root = folder.at(""), .links = c.links, .extraRoots = c.extraRoots});
        Quiescence::Reader reader(index.quiescence());
        ASSERT_TRUE(index.scan().ok()) << c.name;
        EXPECT_EQ(filesOf(index), c.files) << c.name;
        for (const char* name :
             {"site/out", "site/out.txt", "site/extra", "site/inside", "site/nowhere", "site/self"}) {
            index.refresh(name); // judges by the same rules
        }
        EXPECT_EQ(filesOf(index), c.files) << c.name;
    }
}

TEST(FileIndex, LinkedFoldersNextToTheRootAreOutside) {
    TempFolder folder;
    folder.write("root/a");
    folder.write("root2/b");
    folder.link("root/c", folder.at("root2"));
    FileIndex index(IndexOptions{.root = folder.at("root")});
    Quiescence::Reader reader(index.quiescence());
    auto result = index.scan();
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result->skipped, 1u);
    EXPECT_THAT(filesOf(index), ElementsAre("a"));
}

TEST(FileIndex, TheRootItselfMayBeALink) {
    TempFolder folder;
    folder.write("releases/1/site/a");
    folder.write("releases/2/site/b");
    folder.link("current", "releases/1");
    FileIndex index(IndexOptions{.root = folder.at("current") + "/"});
    EXPECT_EQ(index.root(), folder.at("current"));
    Quiescence::Reader reader(index.quiescence());
    ASSERT_TRUE(index.scan().ok());
    EXPECT_THAT(filesOf(index), ElementsAre("site/a"));
    folder.remove("current");
    folder.link("current", "releases/2");
    ASSERT_TRUE(index.scan().ok());
    EXPECT_THAT(filesOf(index), ElementsAre("site/b"));
}

TEST(FileIndex, LoopsOfLinksEnd) {
    TempFolder folder;
    folder.write("a/1");
    folder.write("b/2");
    folder.link("a/up", "..");
    folder.link("a/toB", "../b");
    folder.link("b/toA", "../a");
    for (Links links : {Links::inside, Links::follow}) {
        FileIndex index(IndexOptions{.root = folder.at(""), .links = links});
        Quiescence::Reader reader(index.quiescence());
        ASSERT_TRUE(index.scan().ok());
        EXPECT_THAT(filesOf(index), ElementsAre("a/1", "a/toB/2", "b/2", "b/toA/1"));
        index.refresh("a/toB/toA"); // the ancestors are known here too
        index.refresh("a/up");
        EXPECT_THAT(filesOf(index), ElementsAre("a/1", "a/toB/2", "b/2", "b/toA/1"));
    }
}

TEST(FileIndex, DirectoriesThatAllLinkToEachOtherDoNotExplode) {
    TempFolder folder;
    constexpr int kFolders = 6;
    for (int i = 0; i < kFolders; ++i) {
        folder.write("d" + std::to_string(i) + "/file");
        for (int j = 0; j < kFolders; ++j) {
            folder.link("d" + std::to_string(i) + "/to" + std::to_string(j), "../d" + std::to_string(j));
        }
    }
    FileIndex index(IndexOptions{.root = folder.at("")});
    auto result = index.scan();
    ASSERT_TRUE(result.ok());
    EXPECT_LT(result->files, 2'000u); // all paths without a circle: 6! and more, were links not limited
}

/// The superuser can read everything: tests that run as such become nobody for a while.
class Unprivileged {
public:
    Unprivileged() { EXPECT_EQ(was_ == 0 ? ::seteuid(65534) : 0, 0); }
    ~Unprivileged() { EXPECT_EQ(was_ == 0 ? ::seteuid(0) : 0, 0); }

private:
    uid_t was_ = ::geteuid();
};

TEST(FileIndex, LeavesOutWhatCannotBeRead) {
    TempFolder folder;
    folder.write("d/open");
    folder.write("d/closed");
    folder.write("locked/file");
    ::chmod(folder.at("d/closed").c_str(), 0);
    ::chmod(folder.at("locked").c_str(), 0);
    FileIndex index(IndexOptions{.root = folder.at("")});
    Quiescence::Reader reader(index.quiescence());
    auto nobody = std::make_optional<Unprivileged>();
    auto result = index.scan();
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result->skipped, 2u);
    EXPECT_THAT(filesOf(index), ElementsAre("d/open"));
    EXPECT_EQ(describe(index, index.find("locked", CaseMode::exact)), "directory locked");
    nobody.reset();
    ::chmod(folder.at("d/closed").c_str(), 0644);
    ::chmod(folder.at("locked").c_str(), 0755);
    index.refresh("d/closed");
    index.refresh("locked");
    EXPECT_THAT(filesOf(index), ElementsAre("d/closed", "d/open", "locked/file"));
}

/// Readers look up while directories appear, are renamed and vanish. What never changes must be found at all
/// times; of what does change, facts must belong to the name.
TEST(FileIndex, ReadersAreUndisturbedByWriters) {
    TempFolder folder;
    for (int i = 0; i < 10; ++i) {
        folder.write("stay/deep/file" + std::to_string(i));
    }
    folder.write("tree0/sub/changing.txt");
    FileIndex index(IndexOptions{.root = folder.at("")});
    ASSERT_TRUE(index.scan().ok());
    std::atomic<bool> stop{false};
    std::atomic<int> wrong{0};
    std::vector<std::thread> readers;
    for (int r = 0; r < 3; ++r) {
        readers.emplace_back([&] {
            Quiescence::Reader reader(index.quiescence());
            for (int i = 0; !stop.load(std::memory_order_relaxed); ++i) {
                const Found stays = index.find("stay/DEEP/file" + std::to_string(i % 10), CaseMode::fold);
                wrong += stays.kind == Found::Kind::file && stays.folded ? 0 : 1;
                for (const char* path : {"tree0/sub/changing.txt", "tree1/sub/changing.txt"}) {
                    const Found found = index.find(path, CaseMode::exact);
                    wrong += found.kind == Found::Kind::none || found.file.name == "changing.txt" ? 0 : 1;
                    wrong +=
                        found.kind == Found::Kind::none || index.extensionText(found.file.extension) == "txt"
                            ? 0
                            : 1;
                }
                std::size_t count = 0;
                index.forEach("stay", [&](std::string_view) { ++count; });
                wrong += count >= 10 ? 0 : 1;
                reader.quiescent();
                std::this_thread::yield();
            }
        });
    }
    for (int i = 0; i < 300; ++i) {
        folder.rename(i % 2 == 0 ? "tree0" : "tree1", i % 2 == 0 ? "tree1" : "tree0");
        folder.write("stay/deep/new" + std::to_string(i));
        for (int j = 0; j < 2; ++j) {
            folder.write("grow/" + std::to_string(i) + "." + std::to_string(j) + "/x");
        }
        index.refresh(
            std::vector<std::string>{"tree0", "tree1", "stay/deep/new" + std::to_string(i), "grow"});
        if (i % 50 == 49) {
            folder.remove("grow");
            index.refresh("grow");
        }
    }
    stop = true;
    for (std::thread& thread : readers) {
        thread.join();
    }
    EXPECT_EQ(wrong.load(), 0);
    index.quiescence().drain();
}

TEST(FileIndex, CostsFewBytesAFile) {
    TempFolder folder;
    for (int d = 0; d < 40; ++d) {
        for (int f = 0; f < 10; ++f) {
            folder.write("example.com/section-" + std::to_string(d) + "/article-about-" + std::to_string(f) +
                             ".html",
                         "");
        }
    }
    FileIndex index(IndexOptions{.root = folder.at("")});
    ASSERT_TRUE(index.scan().ok());
    EXPECT_LE(index.memoryUse() / index.fileCount(), 300u);
}

} // namespace
} // namespace saker::routing
