#include "observe/access_log.h"

#include "unit/observe/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace saker::observe {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

AccessRecord request(std::string_view target) {
    AccessRecord record;
    record.unixMillis = 1700000000000;
    record.client = "127.0.0.1";
    record.method = "GET";
    record.target = target;
    record.version = "HTTP/1.1";
    record.status = 200;
    return record;
}

std::size_t countLines(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

AccessLogOptions optionsFor(const std::string& file) {
    AccessLogOptions options;
    options.file = file;
    return options;
}

std::shared_ptr<AccessLog> open(AccessLogOptions options, AccessLog::Limits limits = {}) {
    auto log = AccessLog::open(std::move(options), limits);
    EXPECT_TRUE(log.ok()) << log.error().text();
    return *log;
}

TEST(AccessLog, WritesOnFlushWhenFullAndAtTheEnd) {
    TemporaryFolder folder;
    auto log = open(optionsFor(folder.file("access.log")), {8192, 1 << 20});
    auto channel = std::make_unique<AccessLog::Channel>(log);
    channel->flush();
    channel->record(request("/first"));
    log->drain();
    EXPECT_EQ(folder.read("access.log"), "") << "lines are buffered";
    channel->flush();
    log->drain();
    EXPECT_THAT(folder.read("access.log"), HasSubstr("\"GET /first HTTP/1.1\" 200"));
    for (int i = 0; i < 1000; ++i) {
        channel->record(request("/more"));
    }
    log->drain();
    EXPECT_GT(countLines(folder.read("access.log")), 800u);
    channel.reset();
    log.reset();
    EXPECT_EQ(countLines(folder.read("access.log")), 1001u);
}

TEST(AccessLog, LinesLongerThanABufferAreWrittenToo) {
    TemporaryFolder folder;
    auto log = open(optionsFor(folder.file("access.log")), {1024, 1 << 20});
    AccessLog::Channel channel(log);
    std::string target = "/" + std::string(50000, 'x');
    channel.record(request("/before"));
    channel.record(request(target));
    channel.record(request("/after"));
    channel.flush();
    log->drain();
    std::string text = folder.read("access.log");
    EXPECT_EQ(countLines(text), 3u);
    EXPECT_THAT(text, HasSubstr(target + " HTTP"));
    EXPECT_EQ(log->lostLines(), 0u);
}

TEST(AccessLog, ReopenFollowsTheName) {
    TemporaryFolder folder;
    auto log = open(optionsFor(folder.file("access.log")));
    AccessLog::Channel channel(log);
    channel.record(request("/old"));
    channel.flush();
    log->drain();
    std::filesystem::rename(folder.file("access.log"), folder.file("moved"));
    log->reopen();
    log->drain();
    channel.record(request("/new"));
    channel.flush();
    log->drain();
    EXPECT_THAT(folder.read("moved"), HasSubstr("/old"));
    EXPECT_THAT(folder.read("access.log"), HasSubstr("/new"));
    EXPECT_EQ(countLines(folder.read("moved")), 1u);
}

TEST(AccessLog, FailedReopenKeepsTheOldFile) {
    TemporaryFolder folder;
    auto log = open(optionsFor(folder.file("access.log")));
    AccessLog::Channel channel(log);
    std::filesystem::rename(folder.file("access.log"), folder.file("moved"));
    std::filesystem::create_directory(folder.file("access.log"));
    testing::internal::CaptureStderr();
    log->reopen();
    log->drain();
    EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("stays in use"));
    channel.record(request("/kept"));
    channel.flush();
    log->drain();
    EXPECT_THAT(folder.read("moved"), HasSubstr("/kept"));
}

TEST(AccessLog, RotatesBySizeAndKeepsSoMany) {
    TemporaryFolder folder;
    AccessLogOptions options = optionsFor(folder.file("access.log"));
    options.rotateSize = 100; // each flush below is more
    options.keep = 2;
    auto log = open(options);
    AccessLog::Channel channel(log);
    for (const char* target : {"/1", "/2", "/3", "/4"}) {
        channel.record(request(target));
        channel.record(request(target));
        channel.flush();
        log->drain();
    }
    EXPECT_EQ(folder.read("access.log"), "");
    EXPECT_THAT(folder.read("access.log.1"), HasSubstr("/4"));
    EXPECT_THAT(folder.read("access.log.2"), HasSubstr("/3"));
    EXPECT_FALSE(std::filesystem::exists(folder.file("access.log.3")));
}

TEST(AccessLog, KeepNoneStartsAnew) {
    TemporaryFolder folder;
    AccessLogOptions options = optionsFor(folder.file("access.log"));
    options.rotateSize = 1;
    options.keep = 0;
    auto log = open(options);
    AccessLog::Channel channel(log);
    channel.record(request("/"));
    channel.flush();
    log->drain();
    EXPECT_EQ(folder.read("access.log"), "");
    EXPECT_FALSE(std::filesystem::exists(folder.file("access.log.1")));
}

TEST(AccessLog, SaysOnceThatTheDiskIsFullAndGoesOn) {
    TemporaryFolder folder;
    std::filesystem::create_symlink("/dev/full", folder.file("access.log"));
    auto log = open(optionsFor(folder.file("access.log")));
    AccessLog::Channel channel(log);
    testing::internal::CaptureStderr();
    for (int i = 0; i < 5; ++i) {
        channel.record(request("/lost"));
        channel.record(request("/lost"));
        channel.flush();
        log->drain();
    }
    std::string said = testing::internal::GetCapturedStderr();
    EXPECT_EQ(countLines(said), 1u) << said;
    EXPECT_THAT(said, HasSubstr("2 lines are lost so far"));
    EXPECT_EQ(log->lostLines(), 10u);

    std::filesystem::remove(folder.file("access.log"));
    log->reopen();
    channel.record(request("/again"));
    channel.flush();
    log->drain();
    // The writer serves the queue before it opens the file again, so this one line may have been lost as
    // well.
    channel.record(request("/again"));
    channel.flush();
    log->drain();
    EXPECT_THAT(folder.read("access.log"), HasSubstr("/again"));
}

/// A disk with room for so many bytes, for files of this process.
class SizeLimit {
public:
    explicit SizeLimit(rlim_t bytes) {
        ::signal(SIGXFSZ, SIG_IGN);
        ::getrlimit(RLIMIT_FSIZE, &before_);
        struct rlimit limit = before_;
        limit.rlim_cur = bytes;
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~SizeLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }

private:
    struct rlimit before_ {};
};

TEST(AccessLog, ALineCutByAFullDiskIsFinishedLater) {
    TemporaryFolder folder;
    auto log = open(optionsFor(folder.file("access.log")));
    AccessLog::Channel channel(log);
    channel.record(request("/one"));
    channel.flush();
    log->drain();
    std::string line = folder.read("access.log");
    testing::internal::CaptureStderr();
    {
        SizeLimit limit(line.size() * 2 + 10);
        for (int i = 0; i < 4; ++i) {
            channel.record(request("/one"));
        }
        channel.flush();
        log->drain();
        EXPECT_EQ(folder.read("access.log"), line + line + line.substr(0, 10));
        EXPECT_EQ(log->lostLines(), 2u); // the cut one is not lost yet
        channel.record(request("/one"));
        channel.flush();
        log->drain();
        EXPECT_EQ(log->lostLines(), 3u);
    }
    channel.record(request("/two"));
    channel.flush();
    log->drain();
    testing::internal::GetCapturedStderr();
    std::string text = folder.read("access.log");
    EXPECT_EQ(text.substr(0, 3 * line.size()), line + line + line);
    EXPECT_THAT(text.substr(3 * line.size()), HasSubstr("/two"));
    EXPECT_EQ(countLines(text), 4u);
    EXPECT_EQ(log->lostLines(), 3u);
}

TEST(AccessLog, NeverWaitsForASlowDisk) {
    TemporaryFolder folder;
    ASSERT_EQ(::mkfifo(folder.file("pipe").c_str(), 0600), 0);
    int reader = ::open(folder.file("pipe").c_str(), O_RDWR | O_CLOEXEC);
    ASSERT_GE(reader, 0);
    testing::internal::CaptureStderr();
    std::uint64_t recorded = 0;
    std::uint64_t lost = 0;
    std::size_t received = 0;
    std::thread drain;
    {
        auto log = open(optionsFor(folder.file("pipe")), {4096, 64 * 1024});
        AccessLog::Channel channel(log);
        // Nobody reads: the pipe fills, then the queue, then lines are lost, and this loop still ends.
        while (log->lostLines() == 0) {
            channel.record(request("/"));
            ++recorded;
        }
        for (int i = 0; i < 1000; ++i) {
            channel.record(request("/"));
            channel.flush();
            ++recorded;
        }
        drain = std::thread([&] {
            std::vector<char> block(65536);
            for (;;) {
                ssize_t n = ::read(reader, block.data(), block.size());
                for (ssize_t i = 0; i < n; ++i) {
                    received += block[static_cast<std::size_t>(i)] == '\n' ? 1 : 0;
                }
                if (n <= 0 || block[static_cast<std::size_t>(n) - 1] == '\0') {
                    return;
                }
            }
        });
        log->drain();
        channel.flush();
        log->drain();
        lost = log->lostLines();
    }
    ASSERT_EQ(::write(reader, "", 1), 1); // a NUL: the end
    drain.join();
    ::close(reader);
    EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("too slow"));
    EXPECT_GT(lost, 0u);
    EXPECT_EQ(received + lost, recorded);
}

TEST(AccessLog, RefusesWhatItCannotOpen) {
    TemporaryFolder folder;
    auto log = AccessLog::open(optionsFor(folder.file(".")));
    ASSERT_FALSE(log.ok());
    EXPECT_THAT(log.error().text(), HasSubstr("access log cannot be opened"));
}

// Meant for the thread sanitizer.
TEST(AccessLog, ManyLoopsWhileTheFileIsReopened) {
    constexpr int kLoops = 3;
    constexpr int kRequests = 3000;
    TemporaryFolder folder;
    auto log = open(optionsFor(folder.file("access.log")), {2048, 64 << 20});
    std::vector<std::thread> loops;
    for (int i = 0; i < kLoops; ++i) {
        loops.emplace_back([&] {
            AccessLog::Channel channel(log);
            for (int n = 0; n < kRequests; ++n) {
                channel.record(request("/"));
                if (n % 500 == 0) {
                    channel.flush();
                }
            }
        });
    }
    for (int i = 0; i < 20; ++i) {
        log->reopen();
        log->drain();
    }
    for (std::thread& loop : loops) {
        loop.join();
    }
    log->drain();
    EXPECT_EQ(log->lostLines(), 0u);
    EXPECT_EQ(countLines(folder.read("access.log")), static_cast<std::size_t>(kLoops * kRequests));
}

} // namespace
} // namespace saker::observe
