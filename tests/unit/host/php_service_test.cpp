// PHP that the server runs by itself, through the whole engine and with the PHP that is installed.
#include "host/php_service.h"

#include "host/running_engine.h"

#include "support/temp_folder.h"
#include "unit/host/http_client.h"

#include <cstdlib>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace saker::host {
namespace {

using test::HttpClient;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

struct NoOwner final : EngineOwner {
    void onStartProgress(const StartProgress&) override {}
    void requestStop(control::StopMode) override {}
    void requestRestart() override {}
};

bool isInstalled() {
    return !php::findPhp({.first = {}, .folders = php::usualPhpFolders(), .run = {}}).binaries.empty();
}

class PhpServiceTest : public testing::Test {
protected:
    PhpServiceTest() {
        ::setenv("XDG_RUNTIME_DIR", folder_.at("run").c_str(), 1);
        folder_.write("www/a.com/x.php", "<?php echo PHP_MAJOR_VERSION, $_SERVER['REQUEST_URI'];");
        folder_.write("www/a.com/up.php", "<?php echo strlen(file_get_contents('php://input'));");
    }
    void start(std::string_view more) {
        folder_.write("saker.json", text(more));
        auto config = ConfigStore().load(folder_.at("saker.json"));
        ASSERT_TRUE(config) << config.error().text();
        engine_ = std::make_unique<RunningEngine>(*config, Overrides{}, owner_);
        const auto started = engine_->start();
        ASSERT_TRUE(started) << started.error().text();
    }
    static std::string text(std::string_view more) {
        return fmt::format(R"({{ "BackendDir": "www", "HttpPorts": [0], "HttpsPorts": [], "Workers": 1,
            "ListenAddresses": ["127.0.0.1"], "DefaultSite": "a.com", "ForwardExt": {{"php": "auto"}}{} }})",
                           more);
    }
    std::string get(std::string_view path) {
        HttpClient client(engine_->listening()[0].address.port);
        client.send(fmt::format("GET {} HTTP/1.1\r\nHost: a.com\r\n\r\n", path));
        return client.receive();
    }
    /// What is answered once PHP has been looked for.
    std::string getWhenReady(std::string_view path) {
        std::string answer = get(path);
        for (int i = 0; i < 1000 && answer.find("still being looked for") != std::string::npos; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
            answer = get(path);
        }
        return answer;
    }

    test::TempFolder folder_;
    NoOwner owner_;
    std::unique_ptr<RunningEngine> engine_;
};

TEST_F(PhpServiceTest, RunsWhatIsInstalled) {
    if (!isInstalled()) {
        GTEST_SKIP() << "neither php-fpm nor php-cgi is installed";
    }
    start(R"(, "DebugPages": true)");
    const std::string answer = getWhenReady("/x.php?q");
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 ")) << answer;
    EXPECT_THAT(answer, EndsWith("/x.php?q"));

    HttpClient client(engine_->listening()[0].address.port);
    client.send("POST /up.php HTTP/1.1\r\nHost: a.com\r\nContent-Length: 5\r\n\r\nabcde");
    EXPECT_THAT(client.receive(), EndsWith("5"));

    ASSERT_TRUE(engine_->reload());
    EXPECT_THAT(get("/x.php?after"), EndsWith("/x.php?after"));
}

TEST_F(PhpServiceTest, SaysWhichVersionIsMissing) {
    start(R"(, "DebugPages": true, "PhpVersion": "1.1")");
    const std::string answer = getWhenReady("/x.php");
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 503 "));
    EXPECT_THAT(answer, HasSubstr("PHP"));
}

TEST_F(PhpServiceTest, ASiteChoosesItsVersion) {
    if (!isInstalled()) {
        GTEST_SKIP() << "neither php-fpm nor php-cgi is installed";
    }
    start(R"(, "PhpVersion": "1.1", "Sites": {"a.com": {"PhpVersion": "auto"}})");
    EXPECT_THAT(getWhenReady("/x.php"), StartsWith("HTTP/1.1 200 "));
}

TEST_F(PhpServiceTest, OffMeansThatNothingRuns) {
    start(R"(, "PhpMode": "off")");
    const std::string answer = get("/x.php");
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 404 "));
    EXPECT_EQ(answer.find("<?php"), std::string::npos);
}

TEST_F(PhpServiceTest, NothingIsLookedForWhereNobodyAsks) {
    PhpService service;
    EngineOptions options;
    options.forward.forwardExt = {{"php", "fcgi://127.0.0.1:9000"}};
    service.start(options);
    EXPECT_FALSE(service.pool(""));
    EXPECT_TRUE(service.configure(options).empty());
    EXPECT_FALSE(service.pool(""));
    service.settle();
}

} // namespace
} // namespace saker::host
