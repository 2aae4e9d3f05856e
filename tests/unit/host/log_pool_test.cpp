#include "host/log_pool.h"

#include "support/temp_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace saker::host {
namespace {

class LogPoolTest : public testing::Test {
protected:
    observe::AccessLogOptions file(std::string_view name) {
        observe::AccessLogOptions options;
        options.file = folder_.at(name);
        return options;
    }
    std::string content(std::string_view name) {
        std::ostringstream text;
        text << std::ifstream(folder_.at(name)).rdbuf();
        return text.str();
    }
    static void writeLine(const std::shared_ptr<observe::AccessLog>& log) {
        observe::AccessLog::Channel channel(log);
        observe::AccessRecord record;
        record.client = "127.0.0.1";
        record.target = "/x";
        record.status = 200;
        channel.record(record);
        channel.flush();
    }

    test::TempFolder folder_;
    LogPool pool_;
};

TEST_F(LogPoolTest, OneWriterAFile) {
    auto one = pool_.acquire(file("a.log"));
    auto two = pool_.acquire(file("a.log"));
    auto other = pool_.acquire(file("b.log"));
    ASSERT_TRUE(one && two && other);
    EXPECT_EQ(*one, *two);
    EXPECT_NE(*one, *other);
    EXPECT_EQ(*pool_.acquire(observe::AccessLogOptions{}), nullptr) << "no file, no log";
}

TEST_F(LogPoolTest, OtherSettingsMakeAnotherOne) {
    auto one = pool_.acquire(file("a.log"));
    auto options = file("a.log");
    options.keep = 3;
    auto two = pool_.acquire(options);
    ASSERT_TRUE(one && two);
    EXPECT_NE(*one, *two);
    EXPECT_EQ((*two)->options().keep, 3u);
    EXPECT_EQ(*pool_.acquire(options), *two);
    EXPECT_EQ(*pool_.acquire(file("a.log")), *one);
}

TEST_F(LogPoolTest, ReopensEveryWriterOfAFile) {
    auto one = pool_.acquire(file("a.log"));
    auto options = file("a.log");
    options.keep = 3;
    auto two = pool_.acquire(options);
    ASSERT_TRUE(one && two);
    std::filesystem::rename(folder_.at("a.log"), folder_.at("a.log.1"));
    pool_.reopen();
    pool_.drain();
    writeLine(*one);
    writeLine(*two);
    pool_.drain();
    const std::string text = content("a.log");
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2) << text;
}

TEST_F(LogPoolTest, LivesAsLongAsSomebodyUsesIt) {
    std::weak_ptr<observe::AccessLog> watch;
    {
        auto log = pool_.acquire(file("a.log"));
        ASSERT_TRUE(log);
        watch = *log;
    }
    EXPECT_TRUE(watch.expired());
    pool_.reopen();
    pool_.drain();
    EXPECT_TRUE(pool_.acquire(file("a.log")));
}

TEST_F(LogPoolTest, AFileThatCannotBeOpened) {
    folder_.write("a", "a file");
    auto log = pool_.acquire(file("a/b.log"));
    ASSERT_FALSE(log);
    EXPECT_FALSE(log.error().text().empty());
    EXPECT_FALSE(pool_.acquire(file("a/b.log"))) << "no remains of the first attempt";
}

TEST_F(LogPoolTest, DrainsAndReopens) {
    auto log = pool_.acquire(file("a.log"));
    ASSERT_TRUE(log);
    writeLine(*log);
    pool_.drain();
    EXPECT_NE(content("a.log"), "");
    folder_.rename("a.log", "moved.log");
    pool_.reopen();
    // The writer opens it when it comes to it; until then lines go where they went before.
    for (int i = 0; i < 10'000 && content("a.log").empty(); ++i) {
        writeLine(*log);
        pool_.drain();
    }
    EXPECT_NE(content("a.log"), "");
}

} // namespace
} // namespace saker::host
