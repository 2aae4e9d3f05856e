#include "handlers/static_files/stable_read.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

namespace saker::static_files {
namespace {

using Outcome = StableRead::Outcome;

/// A file in memory that somebody else changes whenever it has been read.
struct FakeFile {
    mutable std::string bytes;
    mutable std::int64_t modified = 1;
    mutable int reads = 0;
    std::function<void(const FakeFile&)> afterRead{};

    Result<os::FileStatus> status() const { return os::FileStatus{bytes.size(), modified, 0, 0}; }
    Result<std::size_t> readAt(std::uint64_t offset, char* to, std::size_t size) const {
        std::size_t n = std::min(size, bytes.size() - static_cast<std::size_t>(offset));
        std::copy_n(bytes.data() + offset, n, to);
        ++reads;
        if (afterRead) {
            afterRead(*this);
        }
        return n;
    }
};

TEST(StableRead, TakesAFileThatStaysAsItIs) {
    FakeFile file{"hello"};
    auto read = readStable(file, 5);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->outcome, Outcome::read);
    EXPECT_EQ(read->bytes, "hello");
    EXPECT_EQ(read->stamp, (FileStamp{5, 1}));
    EXPECT_EQ(file.reads, 1);
}

TEST(StableRead, ReadsAgainWhatHasChanged) {
    FakeFile file{"old"};
    file.afterRead = [](const FakeFile& self) {
        if (self.reads == 1) {
            self.bytes = "newer";
            self.modified = 2;
        }
    };
    auto read = readStable(file, 100);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->outcome, Outcome::read);
    EXPECT_EQ(read->bytes, "newer");
    EXPECT_EQ(read->stamp, (FileStamp{5, 2}));
}

TEST(StableRead, SeesAChangeOfTheTimeAlone) {
    FakeFile file{"same size"};
    file.afterRead = [](const FakeFile& self) { self.modified += self.reads < 3 ? 1 : 0; };
    auto read = readStable(file, 100);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->outcome, Outcome::read);
    EXPECT_EQ(file.reads, 3);
}

TEST(StableRead, GivesUpOnAFileThatNeverRests) {
    FakeFile file{"log"};
    file.afterRead = [](const FakeFile& self) { self.bytes += "more"; };
    auto read = readStable(file, 100);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->outcome, Outcome::unstable);
    EXPECT_TRUE(read->bytes.empty());
    EXPECT_EQ(file.reads, kReadAttempts);
    EXPECT_EQ(read->stamp.size, 3u + 4u * kReadAttempts);
}

TEST(StableRead, AFileMayShrinkBelowWhatWasExpected) {
    FakeFile file{"long text"};
    file.afterRead = [](const FakeFile& self) { self.bytes = "x"; };
    auto read = readStable(file, 100);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->outcome, Outcome::read);
    EXPECT_EQ(read->bytes, "x");
}

TEST(StableRead, DoesNotReadWhatIsTooLarge) {
    FakeFile file{"123456"};
    auto read = readStable(file, 5);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->outcome, Outcome::tooLarge);
    EXPECT_EQ(read->stamp.size, 6u);
    EXPECT_EQ(file.reads, 0);
}

} // namespace
} // namespace saker::static_files
