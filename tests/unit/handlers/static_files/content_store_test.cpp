#include "handlers/static_files/content_store.h"

#include "base/result.h"
#include "os/file.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace saker::static_files {
namespace {

namespace fs = std::filesystem;
using Outcome = Fetched::Outcome;

/// Jobs wait until they are told to run.
struct Jobs {
    std::vector<std::function<void()>> waiting;

    ContentStore::Executor executor() {
        return [this](std::function<void()> job) { waiting.push_back(std::move(job)); };
    }
    void run() {
        std::vector<std::function<void()>> jobs;
        jobs.swap(waiting);
        for (auto& job : jobs) {
            job();
        }
    }
};

void runNow(std::function<void()> job) {
    job();
}

std::string text(std::size_t size) {
    std::string out;
    while (out.size() < size) {
        out += "a line that repeats\n";
    }
    out.resize(size);
    return out;
}

class ContentStoreTest : public ::testing::Test {
protected:
    ContentStoreTest() {
        folder_ = fs::temp_directory_path() / ("saker-content-store-" + std::to_string(::getpid()));
        fs::create_directories(folder_);
    }
    ~ContentStoreTest() override { fs::remove_all(folder_); }

    /// Writes a file that was last changed long ago.
    std::string write(const std::string& name, const std::string& bytes, int age = 1000) {
        fs::path path = folder_ / name;
        std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
        fs::last_write_time(path, fs::last_write_time(path) - std::chrono::seconds(age));
        return path.string();
    }
    static FileStamp stamp(const std::string& path) {
        os::FileStatus status = *os::openForRead(path)->status();
        return {status.size, status.modified};
    }
    ContentStore::Opener opener(const std::string& path) {
        return [this, path] {
            ++opened_;
            return os::openForRead(path);
        };
    }
    Fetched fetch(ContentStore& store, const ContentKey& key) {
        Fetched result;
        int calls = 0;
        store.fetch(key, opener(std::string(key.path)), runNow, [&](const Fetched& fetched) {
            result = fetched;
            ++calls;
        });
        EXPECT_EQ(calls, 1);
        return result;
    }

    fs::path folder_;
    std::atomic<int> opened_{0};
};

TEST_F(ContentStoreTest, KeepsWhatItRead) {
    ContentStore store;
    std::string path = write("a.txt", "hello");
    ContentKey key{path, stamp(path)};
    EXPECT_EQ(store.get(key), nullptr);
    Fetched fetched = fetch(store, key);
    ASSERT_EQ(fetched.outcome, Outcome::ready);
    EXPECT_EQ(fetched.content->bytes, "hello");
    EXPECT_EQ(fetched.stamp, key.stamp);
    EXPECT_TRUE(fetched.content->settled);
    EXPECT_EQ(store.get(key), fetched.content);
    EXPECT_EQ(fetch(store, key).content, fetched.content); // not read again
    EXPECT_EQ(opened_, 1);
    ContentStore::Statistics statistics = store.statistics();
    EXPECT_EQ(statistics.entries, 1u);
    EXPECT_EQ(statistics.hits, 1u);
    EXPECT_EQ(statistics.misses, 1u);
    EXPECT_EQ(statistics.loads, 1u);
    EXPECT_GT(statistics.bytes, 5u);
    store.clear();
    EXPECT_EQ(store.get(key), nullptr);
    EXPECT_EQ(store.statistics().bytes, 0u);
}

TEST_F(ContentStoreTest, EmptyFilesAreContentToo) {
    ContentStore store;
    std::string path = write("empty", "");
    ASSERT_EQ(fetch(store, {path, stamp(path)}).outcome, Outcome::ready);
    EXPECT_EQ(store.get({path, stamp(path)})->bytes, "");
}

TEST_F(ContentStoreTest, CompressesOncePerCodingAndLevel) {
    ContentStore store;
    std::string path = write("a.html", text(5000));
    FileStamp facts = stamp(path);
    ContentKey br{path, facts, http::Coding::br, CompressionLevel::optimal};
    ContentPtr content = fetch(store, br).content;
    ASSERT_NE(content, nullptr);
    EXPECT_TRUE(content->worthwhile);
    EXPECT_EQ(content->bytes, compress(text(5000), http::Coding::br, CompressionLevel::optimal));
    EXPECT_EQ(content->tag(), entityTag(facts, http::Coding::br, CompressionLevel::optimal));
    EXPECT_EQ(store.get(br), content);
    EXPECT_EQ(store.get({path, facts, http::Coding::br, CompressionLevel::fastest}), nullptr);
    EXPECT_EQ(store.get({path, facts, http::Coding::gzip}), nullptr);
    EXPECT_EQ(store.get({path, facts}), nullptr);
}

TEST_F(ContentStoreTest, CompressesFromTheBodyItHas) {
    ContentStore store;
    std::string path = write("a.html", text(5000));
    fetch(store, {path, stamp(path)});
    EXPECT_TRUE(fetch(store, {path, stamp(path), http::Coding::gzip}).content->worthwhile);
    EXPECT_EQ(opened_, 1);
}

TEST_F(ContentStoreTest, RemembersThatCompressingDoesNotPay) {
    ContentStore store;
    std::string path = write("a.html", "short");
    ContentKey key{path, stamp(path), http::Coding::br};
    ContentPtr content = fetch(store, key).content;
    ASSERT_NE(content, nullptr);
    EXPECT_FALSE(content->worthwhile);
    EXPECT_EQ(store.get(key), content);
}

TEST_F(ContentStoreTest, ManyWhoAskAtOnceShareOneReading) {
    ContentStore store;
    Jobs jobs;
    std::string path = write("a.html", text(5000));
    ContentKey key{path, stamp(path), http::Coding::zstd};
    std::vector<ContentPtr> got;
    for (int i = 0; i < 5; ++i) {
        store.fetch(key, opener(path), jobs.executor(),
                    [&](const Fetched& fetched) { got.push_back(fetched.content); });
    }
    EXPECT_EQ(jobs.waiting.size(), 1u);
    EXPECT_TRUE(got.empty());
    jobs.run();
    ASSERT_EQ(got.size(), 5u);
    for (const ContentPtr& content : got) {
        EXPECT_EQ(content, got.front());
    }
    EXPECT_EQ(opened_, 1);
    EXPECT_EQ(store.statistics().loads, 1u);
}

TEST_F(ContentStoreTest, AChangedFileIsKeptUnderItsOwnFacts) {
    ContentStore store;
    std::string path = write("a.txt", "old");
    ContentKey old{path, stamp(path)};
    write("a.txt", "newer", 500);
    Fetched fetched = fetch(store, old);
    ASSERT_EQ(fetched.outcome, Outcome::ready);
    EXPECT_EQ(fetched.content->bytes, "newer");
    EXPECT_EQ(fetched.stamp, stamp(path));
    EXPECT_NE(fetched.stamp, old.stamp);
    EXPECT_EQ(store.get(old), nullptr);
    EXPECT_EQ(store.get({path, stamp(path)}), fetched.content);
}

TEST_F(ContentStoreTest, ANewVersionReplacesTheOldOne) {
    ContentStore store;
    std::string path = write("a.txt", "old");
    FileStamp before = stamp(path);
    fetch(store, {path, before});
    write("a.txt", "new", 500);
    EXPECT_EQ(fetch(store, {path, stamp(path)}).content->bytes, "new");
    EXPECT_EQ(store.get({path, before}), nullptr);
    EXPECT_EQ(store.statistics().entries, 1u);
}

TEST_F(ContentStoreTest, WhatIsTooLargeIsLeftToTheFile) {
    ContentStore::Options options;
    options.maxIdentity = 10;
    options.maxCompressible = 1000;
    ContentStore store(options);
    EXPECT_TRUE(store.takes(10, http::Coding::identity));
    EXPECT_FALSE(store.takes(11, http::Coding::identity));
    EXPECT_TRUE(store.takes(1000, http::Coding::br));
    EXPECT_FALSE(store.takes(1001, http::Coding::br));
    std::string path = write("a.txt", text(1001));
    for (http::Coding coding : {http::Coding::identity, http::Coding::br}) {
        Fetched fetched = fetch(store, {path, stamp(path), coding});
        EXPECT_EQ(fetched.outcome, Outcome::tooLarge);
        EXPECT_EQ(fetched.content, nullptr);
        EXPECT_EQ(fetched.stamp, stamp(path));
    }
}

TEST_F(ContentStoreTest, AFileThatIsGoneSaysSo) {
    ContentStore store;
    std::string path = (folder_ / "none").string();
    Fetched fetched = fetch(store, {path, {5, 5}});
    EXPECT_EQ(fetched.outcome, Outcome::failed);
    EXPECT_EQ(fetched.error.kind, ErrorKind::notFound);
    EXPECT_EQ(store.get({path, {5, 5}}), nullptr);
}

TEST_F(ContentStoreTest, AJobThatNeverRunsFailsItsFetch) {
    ContentStore store;
    Jobs jobs;
    std::string path = write("a.txt", "x");
    std::vector<Outcome> outcomes;
    for (int i = 0; i < 2; ++i) {
        store.fetch({path, stamp(path)}, opener(path), jobs.executor(),
                    [&](const Fetched& fetched) { outcomes.push_back(fetched.outcome); });
    }
    jobs.waiting.clear();
    EXPECT_EQ(outcomes, (std::vector<Outcome>{Outcome::failed, Outcome::failed}));
    EXPECT_EQ(fetch(store, {path, stamp(path)}).outcome, Outcome::ready); // and does not stand in the way
}

TEST_F(ContentStoreTest, StaysWithinItsBudget) {
    ContentStore::Options options;
    options.budget = 20000;
    ContentStore store(options);
    std::vector<ContentKey> keys;
    std::vector<std::string> paths;
    for (int i = 0; i < 20; ++i) {
        paths.push_back(write("f" + std::to_string(i), text(2000)));
    }
    for (const std::string& path : paths) {
        keys.push_back({path, stamp(path)});
        fetch(store, keys.back());
        store.get(keys.front()); // used all the time
        EXPECT_LE(store.statistics().bytes, options.budget);
    }
    EXPECT_NE(store.get(keys.front()), nullptr);
    EXPECT_NE(store.get(keys.back()), nullptr);
    EXPECT_EQ(store.get(keys[1]), nullptr);
    EXPECT_GT(store.statistics().evictions, 5u);
    options.budget = 0;
    store.configure(options);
    EXPECT_EQ(store.statistics().entries, 0u);
    EXPECT_EQ(store.statistics().bytes, 0u);
}

TEST_F(ContentStoreTest, PassesOverWhatALoopStillHolds) {
    ContentStore::Options options;
    options.budget = 20000;
    ContentStore store(options);
    std::string held = write("held", text(2000));
    ContentPtr content = fetch(store, {held, stamp(held)}).content;
    for (int i = 0; i < 10; ++i) { // one turn of evictions
        std::string path = write("f" + std::to_string(i), text(2000));
        fetch(store, {path, stamp(path)});
    }
    EXPECT_EQ(store.get({held, stamp(held)}), content);
    for (int i = 10; i < 40; ++i) { // not used: in the end it goes
        std::string path = write("f" + std::to_string(i), text(2000));
        fetch(store, {path, stamp(path)});
    }
    EXPECT_EQ(store.get({held, stamp(held)}), nullptr);
    EXPECT_EQ(content->bytes, text(2000)); // still good for who holds it
}

TEST_F(ContentStoreTest, OneFileNeverTakesItAll) {
    ContentStore::Options options;
    options.budget = 10000;
    ContentStore store(options);
    std::string path = write("a", text(5000));
    EXPECT_EQ(fetch(store, {path, stamp(path)}).outcome, Outcome::ready);
    EXPECT_EQ(store.statistics().entries, 0u);
}

TEST_F(ContentStoreTest, AYoungFileIsReadAgainOnceItHasSettled) {
    std::string path = write("a.txt", "x", 0);
    FileStamp facts = stamp(path);
    std::int64_t now = facts.modified + 1;
    ContentStore store({}, [&] { return now; });
    ContentPtr young = fetch(store, {path, facts}).content;
    ASSERT_NE(young, nullptr);
    EXPECT_FALSE(young->settled);
    EXPECT_EQ(young->tag().substr(0, 3), "W/\"");
    EXPECT_EQ(store.get({path, facts}), young);
    now += std::int64_t{10'000'000'000};
    EXPECT_EQ(store.get({path, facts}), nullptr);
    ContentPtr settled = fetch(store, {path, facts}).content;
    ASSERT_NE(settled, nullptr);
    EXPECT_TRUE(settled->settled);
    EXPECT_EQ(store.get({path, facts}), settled);
}

TEST_F(ContentStoreTest, ManyThreadsMayUseItAtOnce) {
    ContentStore::Options options;
    options.budget = 30000; // evicts all the time
    ContentStore store(options);
    std::vector<std::string> paths;
    std::vector<FileStamp> stamps;
    for (int i = 0; i < 12; ++i) {
        paths.push_back(write("f" + std::to_string(i), text(3000) + std::to_string(i)));
        stamps.push_back(stamp(paths.back()));
    }
    std::atomic<int> answers{0};
    std::atomic<int> wrong{0};
    constexpr int kThreads = 4;
    constexpr int kRounds = 300;
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
            for (int i = 0; i < kRounds; ++i) {
                std::size_t n = static_cast<std::size_t>(t * 5 + i * 7) % paths.size();
                http::Coding coding = i % 3 == 0 ? http::Coding::zstd : http::Coding::identity;
                ContentKey key{paths[n], stamps[n], coding, CompressionLevel::fastest};
                std::string expected = text(3000) + std::to_string(n);
                auto check = [&, coding, expected](const ContentPtr& content) {
                    ++answers;
                    bool good = content && (coding != http::Coding::identity || content->bytes == expected);
                    wrong += good ? 0 : 1;
                };
                if (ContentPtr content = store.get(key)) {
                    check(content);
                } else {
                    store.fetch(
                        key, [path = paths[n]] { return os::openForRead(path); }, runNow,
                        [check](const Fetched& fetched) { check(fetched.content); });
                }
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(answers, kThreads * kRounds);
    EXPECT_EQ(wrong, 0);
    EXPECT_LE(store.statistics().bytes, options.budget);
}

} // namespace
} // namespace saker::static_files
