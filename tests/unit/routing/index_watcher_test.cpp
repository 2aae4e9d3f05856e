#include "routing/index_watcher.h"

#include "support/temp_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

namespace saker::routing {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using test::TempFolder;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

/// "path=size" of every file in the index.
std::vector<std::string> indexed(FileIndex& index) {
    Quiescence::Reader reader(index.quiescence());
    std::vector<std::string> files;
    index.forEach({}, [&](std::string_view full) {
        const std::string_view path = full.substr(index.root().size() + 1);
        const Found found = index.find(path, CaseMode::exact);
        files.push_back(std::string(path) + "=" + std::to_string(found.file.size));
    });
    std::sort(files.begin(), files.end());
    return files;
}

/// The same as the standard library finds it on disk; no links.
std::vector<std::string> onDisk(const fs::path& root) {
    std::vector<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
        if (entry.is_regular_file()) {
            files.push_back(entry.path().lexically_relative(root).string() + "=" +
                            std::to_string(entry.file_size()));
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

class IndexWatcherTest : public testing::Test {
protected:
    void start(WatchOptions options = {}, IndexOptions::Links links = IndexOptions::Links::inside) {
        prepare(options, links);
        watcher->start();
    }
    void prepare(WatchOptions options = {}, IndexOptions::Links links = IndexOptions::Links::inside) {
        index.emplace(IndexOptions{.root = root, .links = links});
        watcher.emplace(*index, options, [this](Severity severity, std::string text) {
            std::lock_guard lock(mutex);
            EXPECT_EQ(severity, Severity::warning);
            messages.push_back(std::move(text));
        });
        (void)index->scan();
    }
    std::vector<std::string> settled() {
        EXPECT_TRUE(watcher->settle(20s));
        return indexed(*index);
    }
    std::vector<std::string> said() {
        std::lock_guard lock(mutex);
        return messages;
    }

    TempFolder folder;
    std::string root = folder.at("");
    std::mutex mutex;
    std::vector<std::string> messages;
    std::optional<FileIndex> index;
    std::optional<IndexWatcher> watcher;
};

TEST_F(IndexWatcherTest, SeesFilesComeChangeAndGo) {
    folder.write("d/a", "1");
    start();
    folder.write("d/b", "22");
    EXPECT_THAT(settled(), ElementsAre("d/a=1", "d/b=2"));
    folder.write("d/a", "4444");
    EXPECT_THAT(settled(), ElementsAre("d/a=4", "d/b=2"));
    folder.rename("d/a", "d/c");
    EXPECT_THAT(settled(), ElementsAre("d/b=2", "d/c=4"));
    folder.remove("d/b");
    EXPECT_THAT(settled(), ElementsAre("d/c=4"));
    folder.write("top", "333");
    EXPECT_THAT(settled(), ElementsAre("d/c=4", "top=3"));
    fs::last_write_time(folder.at("top"), fs::file_time_type::clock::now() - 1h);
    const std::uint64_t before = index->generation();
    settled();
    EXPECT_GE(index->generation(), before);
    EXPECT_THAT(said(), IsEmpty());
}

TEST_F(IndexWatcherTest, SeesAFileReplacedByRename) {
    folder.write("d/page", "old");
    start();
    folder.write("d/.page.tmp", "replaced");
    folder.rename("d/.page.tmp", "d/page");
    EXPECT_THAT(settled(), ElementsAre("d/page=8"));
}

TEST_F(IndexWatcherTest, AppliesABatchWithoutBeingAsked) {
    folder.write("d/page", "old");
    start();
    const std::uint64_t generation = index->generation();
    folder.write("d/tmp", "replaced");
    folder.rename("d/tmp", "d/page");
    while (index->generation() == generation) { // the test's time limit ends this if it never happens
        std::this_thread::yield();
    }
    while (indexed(*index) != std::vector<std::string>{"d/page=8"}) {
        std::this_thread::yield();
    }
    EXPECT_GE(watcher->batches(), 1u);
}

TEST_F(IndexWatcherTest, AppliesWhatChangedBetweenScanAndStart) {
    folder.write("d/a");
    prepare();
    folder.write("d/e/f", "1");
    folder.remove("d/a");
    watcher->start();
    EXPECT_THAT(settled(), ElementsAre("d/e/f=1"));
}

TEST_F(IndexWatcherTest, ManyChangesAreFewBatches) {
    folder.makeFolder("d");
    start();
    for (int i = 0; i < 500; ++i) {
        folder.write("d/" + std::to_string(i), "x");
    }
    EXPECT_EQ(settled().size(), 500u);
    EXPECT_LT(watcher->batches(), 250u);
}

TEST_F(IndexWatcherTest, SeesTreesThatAppearWithFilesInside) {
    start();
    TempFolder elsewhere;
    elsewhere.write("tree/a/b/c/file", "1");
    elsewhere.write("tree/file", "1");
    fs::rename(elsewhere.at("tree"), folder.at("tree")); // at once
    fs::create_directories(folder.at("x/y/z/deep"));     // and one name after the other
    folder.write("x/y/z/deep/file", "1");
    EXPECT_THAT(settled(), ElementsAre("tree/a/b/c/file=1", "tree/file=1", "x/y/z/deep/file=1"));
    folder.write("tree/a/b/c/more", "22"); // the new folders are watched
    folder.write("x/y/more", "22");
    EXPECT_THAT(settled(), ElementsAre("tree/a/b/c/file=1", "tree/a/b/c/more=2", "tree/file=1", "x/y/more=2",
                                       "x/y/z/deep/file=1"));
}

TEST_F(IndexWatcherTest, SeesTreesRenamedExchangedMovedOutAndRemoved) {
    folder.write("foo/sub/1", "1");
    folder.write("foobar/sub/2", "1");
    start();
    folder.rename("foo", "bar");
    EXPECT_THAT(settled(), ElementsAre("bar/sub/1=1", "foobar/sub/2=1"));
    folder.write("bar/sub/3", "1"); // under its new name
    EXPECT_THAT(settled(), ElementsAre("bar/sub/1=1", "bar/sub/3=1", "foobar/sub/2=1"));
    folder.rename("bar", "swap"); // two trees change places
    folder.rename("foobar", "bar");
    folder.rename("swap", "foobar");
    EXPECT_THAT(settled(), ElementsAre("bar/sub/2=1", "foobar/sub/1=1", "foobar/sub/3=1"));
    folder.write("bar/sub/4", "1");
    folder.remove("foobar/sub/1");
    EXPECT_THAT(settled(), ElementsAre("bar/sub/2=1", "bar/sub/4=1", "foobar/sub/3=1"));
    TempFolder elsewhere;
    fs::rename(folder.at("bar"), elsewhere.at("bar"));
    EXPECT_THAT(settled(), ElementsAre("foobar/sub/3=1"));
    elsewhere.write("bar/sub/5", "1"); // no longer ours
    EXPECT_THAT(settled(), ElementsAre("foobar/sub/3=1"));
    folder.remove("foobar");
    EXPECT_THAT(settled(), IsEmpty());
    EXPECT_EQ(watcher->watched(), 1u);
}

TEST_F(IndexWatcherTest, FollowsThePermissionsOfAFolder) {
    folder.write("d/sub/a", "1");
    start();
    ::chmod(folder.at("d").c_str(), 0700);
    folder.write("d/b", "1");
    ::chmod(folder.at("d").c_str(), 0755);
    EXPECT_THAT(settled(), ElementsAre("d/b=1", "d/sub/a=1"));
    EXPECT_EQ(watcher->rescans(), 0u);
}

TEST_F(IndexWatcherTest, WatchesTheTargetsOfLinks) {
    TempFolder outside;
    outside.write("shared/a", "1");
    outside.write("single", "1");
    folder.makeFolder("d");
    folder.link("d/folder", outside.at("shared"));
    folder.link("d/file", outside.at("single"));
    start({}, IndexOptions::Links::follow);
    EXPECT_THAT(settled(), ElementsAre("d/file=1", "d/folder/a=1"));
    outside.write("shared/new/b", "22");
    outside.write("single", "22");
    EXPECT_THAT(settled(), ElementsAre("d/file=2", "d/folder/a=1", "d/folder/new/b=2"));
    outside.write("tmp", "333"); // the target is replaced
    outside.rename("tmp", "single");
    EXPECT_THAT(settled(), ElementsAre("d/file=3", "d/folder/a=1", "d/folder/new/b=2"));
    outside.write("single", "4444");
    EXPECT_THAT(settled(), ElementsAre("d/file=4", "d/folder/a=1", "d/folder/new/b=2"));
    outside.remove("single"); // both targets vanish ...
    outside.rename("shared", "moved");
    EXPECT_THAT(settled(), IsEmpty());
    outside.write("single", "55555"); // ... and come back
    outside.rename("moved", "shared");
    EXPECT_THAT(settled(), ElementsAre("d/file=5", "d/folder/a=1", "d/folder/new/b=2"));
}

TEST_F(IndexWatcherTest, ALinkThatIsTurnedShowsTheNewTree) {
    folder.write("releases/1/site/a", "1");
    folder.write("releases/2/site/b", "1");
    folder.link("current", "releases/1");
    start();
    folder.link("next", "releases/2");
    folder.rename("next", "current");
    EXPECT_THAT(settled(), ElementsAre("current/site/b=1", "releases/1/site/a=1", "releases/2/site/b=1"));
    folder.write("releases/2/site/c", "1"); // one directory under two paths
    EXPECT_THAT(settled(), ElementsAre("current/site/b=1", "current/site/c=1", "releases/1/site/a=1",
                                       "releases/2/site/b=1", "releases/2/site/c=1"));
}

TEST_F(IndexWatcherTest, TheRootMayBeReplacedDeletedAndMadeAnew) {
    folder.write("www/a", "1");
    root = folder.at("www");
    start();
    folder.write("new/b", "1");
    folder.rename("www", "old");
    folder.rename("new", "www");
    EXPECT_THAT(settled(), ElementsAre("b=1"));
    folder.write("www/c", "1");
    EXPECT_THAT(settled(), ElementsAre("b=1", "c=1"));
    EXPECT_GE(watcher->rescans(), 1u);
    folder.remove("www");
    EXPECT_THAT(settled(), IsEmpty());
    EXPECT_THAT(said(), Contains(HasSubstr("www")));
    folder.write("www/site/d", "1");
    EXPECT_THAT(settled(), ElementsAre("site/d=1"));
    folder.write("www/site/e", "1");
    EXPECT_THAT(settled(), ElementsAre("site/d=1", "site/e=1"));
}

TEST_F(IndexWatcherTest, TheFolderAboveTheRootMayBeReplaced) {
    folder.write("srv/www/a", "1");
    folder.write("srv2/www/b", "1");
    root = folder.at("srv/www");
    start();
    folder.rename("srv", "srv1");
    EXPECT_THAT(settled(), IsEmpty());
    folder.rename("srv2", "srv");
    EXPECT_THAT(settled(), ElementsAre("b=1"));
}

TEST_F(IndexWatcherTest, TheRootMayAppearLater) {
    root = folder.at("not/yet/there");
    start();
    EXPECT_THAT(settled(), IsEmpty());
    folder.write("not/yet/there/a", "1");
    EXPECT_THAT(settled(), ElementsAre("a=1"));
}

TEST_F(IndexWatcherTest, ALinkAsRootMayBeTurned) {
    folder.write("releases/1/a", "1");
    folder.write("releases/2/b", "1");
    folder.link("current", "releases/1");
    root = folder.at("current");
    start();
    folder.link("next", "releases/2");
    folder.rename("next", "current");
    EXPECT_THAT(settled(), ElementsAre("b=1"));
    folder.write("releases/2/c", "1");
    EXPECT_THAT(settled(), ElementsAre("b=1", "c=1"));
}

TEST_F(IndexWatcherTest, ScansAgainWhenTheSystemLosesEvents) {
    long queue = 0;
    std::ifstream("/proc/sys/fs/inotify/max_queued_events") >> queue;
    if (queue <= 0 || queue > 100'000) {
        GTEST_SKIP() << "the queue of this system is too long to fill";
    }
    folder.write("d/a", "1");
    prepare();
    for (long i = 0; i <= queue; i += 2) { // nobody fetches them yet
        folder.rename(i % 4 == 0 ? "d/a" : "d/b", i % 4 == 0 ? "d/b" : "d/a");
    }
    folder.write("d/lost/c", "1"); // these events do not fit
    folder.remove("d/a");
    folder.remove("d/b");
    watcher->start();
    EXPECT_THAT(settled(), ElementsAre("d/lost/c=1"));
    EXPECT_EQ(watcher->rescans(), 1u);
    EXPECT_THAT(said(), ElementsAre(HasSubstr("max_queued_events")));
    folder.write("d/lost/d", "1"); // and goes on as before
    EXPECT_THAT(settled(), ElementsAre("d/lost/c=1", "d/lost/d=1"));
    EXPECT_EQ(watcher->rescans(), 1u);
}

TEST_F(IndexWatcherTest, FoldersWithoutAWatchAreLookedAtPeriodically) {
    for (int i = 0; i < 6; ++i) {
        folder.write("d" + std::to_string(i) + "/a", "1");
    }
    start({.rescanEvery = 10ms, .maxWatches = 3});
    EXPECT_EQ(watcher->watched(), 3u);
    EXPECT_EQ(watcher->unwatched(), 4u);
    EXPECT_EQ(said().size(), 1u); // said once
    for (int i = 0; i < 6; ++i) {
        folder.write("d" + std::to_string(i) + "/a", "4444");
        folder.write("d" + std::to_string(i) + "/new/b", "22");
    }
    const std::vector<std::string> expected = onDisk(root);
    EXPECT_EQ(settled(), expected);
    folder.write("d5/a", "333");
    folder.write("d4/a", "333");
    while (indexed(*index) != onDisk(root)) { // without being asked; the test's time limit ends this
        std::this_thread::yield();
    }
    folder.remove("d0"); // gives watches back
    folder.remove("d1");
    folder.remove("d2");
    folder.remove("d3");
    folder.remove("d4");
    EXPECT_EQ(settled(), onDisk(root));
    settled();
    EXPECT_EQ(watcher->unwatched(), 0u);
    EXPECT_EQ(said().size(), 1u);
}

TEST_F(IndexWatcherTest, SettleGivesUpWhenNobodyWorks) {
    prepare();
    EXPECT_FALSE(watcher->settle(1ms));
}

/// Random changes of files and whole trees; afterwards the index holds exactly what is on disk.
TEST_F(IndexWatcherTest, AgreesWithTheDiskAfterRandomChanges) {
    constexpr int kRounds = 60;
    constexpr int kChanges = 25;
    const unsigned seed = std::random_device()();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    auto pick = [&](int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
    auto directory = [&] {
        std::string path;
        for (int depth = pick(4); depth > 0; --depth) {
            path += std::string(1, static_cast<char>('a' + pick(4))) + "/";
        }
        return path;
    };
    auto file = [&] { return directory() + "file" + std::to_string(pick(5)); };
    start({.batch = 1ms}); // changes meet batches as often as can be
    TempFolder spare;
    for (int round = 0; round < kRounds; ++round) {
        for (int change = 0; change < kChanges; ++change) {
            std::error_code ignored; // many changes are impossible, which is as random as the others
            const fs::path at = folder.path();
            switch (pick(9)) {
            case 0:
            case 1:
            case 2: {
                const std::string path = file();
                fs::create_directories((at / path).parent_path(), ignored);
                std::ofstream(at / path) << std::string(static_cast<std::size_t>(pick(100)), 'x');
                break;
            }
            case 3:
                fs::remove(at / file(), ignored);
                break;
            case 4:
                fs::rename(at / file(), at / file(), ignored);
                break;
            case 5:
                fs::rename(at / (directory() + "a"), at / (directory() + "b"), ignored);
                break;
            case 6:
                fs::remove_all(at / (directory() + "c"), ignored);
                break;
            case 7: // a tree out, or another one in
                fs::rename(at / "d", spare.path() / std::to_string(pick(3)), ignored);
                fs::rename(spare.path() / std::to_string(pick(3)), at / (directory() + "d"), ignored);
                break;
            case 8: // a directory becomes a file, or the other way round
                if (pick(2) == 0) {
                    fs::remove_all(at / "a/b", ignored);
                    std::ofstream(at / "a/b") << "file";
                } else if (fs::is_regular_file(at / "a/b")) {
                    fs::remove(at / "a/b", ignored);
                }
                break;
            }
        }
        ASSERT_EQ(settled(), onDisk(root)) << "round " << round;
    }
    EXPECT_EQ(index->fileCount(), onDisk(root).size());
}

TEST_F(IndexWatcherTest, ScansAndReadersRunBesideIt) {
    for (int i = 0; i < 5; ++i) {
        folder.write("stay/" + std::to_string(i), "1");
    }
    start({.batch = 1ms});
    std::atomic<bool> stop{false};
    std::atomic<int> wrong{0};
    std::thread reader([&] {
        Quiescence::Reader online(index->quiescence());
        for (int i = 0; !stop; ++i) {
            wrong += index->find("stay/" + std::to_string(i % 5), CaseMode::fold).kind == Found::Kind::file
                         ? 0
                         : 1;
            online.quiescent();
            std::this_thread::yield();
        }
    });
    std::thread scanner([&] {
        while (!stop) {
            (void)index->scan();
            (void)index->scanOneLevel("tree");
        }
    });
    for (int i = 0; i < 100; ++i) {
        folder.write("tree/" + std::to_string(i % 7) + "/x", "1");
        folder.rename("tree/" + std::to_string(i % 7), "tree/moved" + std::to_string(i));
        if (i % 10 == 9) {
            folder.remove("tree");
        }
    }
    stop = true;
    reader.join();
    scanner.join();
    EXPECT_EQ(wrong.load(), 0);
    EXPECT_EQ(settled(), onDisk(root));
}

} // namespace
} // namespace saker::routing
