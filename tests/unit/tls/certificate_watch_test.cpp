#include "tls/certificate_watch.h"

#include "support/temp_folder.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>

namespace saker::tls {
namespace {

using std::chrono::milliseconds;

/// So long a test waits for what must happen at once.
constexpr std::chrono::seconds kLong{20};

class CertificateWatchTest : public ::testing::Test {
protected:
    void start() {
        watch_ = std::make_unique<CertificateWatch>(
            CertificateWatch::Options{milliseconds(5), milliseconds(50), milliseconds(1000)},
            [this] {
                std::lock_guard lock(mutex_);
                ++looks_;
                changed_.notify_all();
                return next_;
            },
            [](Severity, const std::string&) {});
        waitFor(1);
    }
    bool waitFor(int looks) {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, kLong, [&] { return looks_ >= looks; });
    }
    int looks() {
        std::lock_guard lock(mutex_);
        return looks_;
    }
    /// Until the first looks, which new folders call for, are over.
    int settle() {
        int before = 0;
        do {
            before = looks();
            watch_->wake();
            waitFor(before + 1);
        } while (looks() > before + 1);
        return looks();
    }

    test::TempFolder folder_;
    std::mutex mutex_;
    std::condition_variable changed_;
    int looks_ = 0;
    CertificateWatch::Next next_{{}, std::chrono::hours(1)};
    std::unique_ptr<CertificateWatch> watch_;
};

TEST_F(CertificateWatchTest, LooksWhenSomethingChanges) {
    next_.folders = {{folder_.at(""), {}}};
    start();
    int seen = settle();
    folder_.write("a", "x");
    ASSERT_TRUE(waitFor(seen + 1));
    seen = settle();
    folder_.rename("a", "b");
    ASSERT_TRUE(waitFor(seen + 1));
    seen = settle();
    folder_.remove("b");
    ASSERT_TRUE(waitFor(seen + 1));
    seen = settle();
    folder_.link("c", "nowhere");
    ASSERT_TRUE(waitFor(seen + 1));
}

TEST_F(CertificateWatchTest, PassesOverNamesThatDoNotMatter) {
    next_.folders = {{folder_.at(""), {"wanted"}}};
    start();
    const int seen = settle();
    folder_.write("other", "x");
    folder_.write("wanted", "x");
    ASSERT_TRUE(waitFor(seen + 1));
}

TEST_F(CertificateWatchTest, LooksWhenTimeHasCome) {
    next_.lookAgain = milliseconds(1);
    start();
    EXPECT_TRUE(waitFor(5));
}

TEST_F(CertificateWatchTest, LooksWhenWoken) {
    start();
    const int seen = looks();
    watch_->wake();
    EXPECT_TRUE(waitFor(seen + 1));
}

TEST_F(CertificateWatchTest, WatchesOtherFoldersAfterwards) {
    folder_.makeFolder("one");
    folder_.makeFolder("two");
    next_.folders = {{folder_.at("one"), {}}, {folder_.at("missing"), {}}};
    start();
    settle();
    {
        std::lock_guard lock(mutex_);
        next_.folders = {{folder_.at("two"), {}}};
    }
    const int seen = settle();
    folder_.write("two/file", "x");
    EXPECT_TRUE(waitFor(seen + 1));
}

} // namespace
} // namespace saker::tls
