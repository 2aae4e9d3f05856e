#include "host/loop_thread.h"

#include "support/temp_folder.h"
#include "unit/host/http_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace saker::host {
namespace {

using test::HttpClient;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class LoopThreadTest : public testing::Test {
protected:
    LoopThreadTest() {
        engineOptions_.routing.backendDir = folder_.at("www");
        folder_.write("www/a.com/x.txt", "hello");
        auto loop = LoopThread::create({loop::BackendKind::epoll, 1, nullptr}, shared_);
        EXPECT_TRUE(loop);
        loop_ = std::move(*loop);
        loop_->start();
    }
    ~LoopThreadTest() override {
        workers_.reset();
        loop_->stop();
    }

    std::shared_ptr<const Runtime> build() {
        auto built = buildRuntime(engineOptions_, nullptr, {roots_, logs_, metrics_, {}});
        EXPECT_TRUE(built) << built.error().text();
        return *built;
    }
    void apply(std::shared_ptr<const Runtime> runtime) {
        loop_->call([&] { loop_->apply(std::move(runtime)); });
    }
    loop::SocketAddress listen() {
        auto socket = net::ListenSocket::bind(*loop::SocketAddress::parse("127.0.0.1", 0));
        EXPECT_TRUE(socket);
        loop::SocketAddress address = socket->address();
        loop_->call([&] { EXPECT_TRUE(loop_->listen(std::move(*socket))); });
        return address;
    }
    void waitUntilEmpty() {
        bool empty = false;
        for (int i = 0; i < 2000 && !empty; ++i) {
            loop_->call([&] { empty = loop_->isEmpty(); });
            std::this_thread::sleep_for(std::chrono::milliseconds(empty ? 0 : 5));
        }
        EXPECT_TRUE(empty);
    }

    test::TempFolder folder_;
    EngineOptions engineOptions_;
    RootPool roots_;
    LogPool logs_;
    observe::Metrics metrics_;
    static_files::ContentStore store_;
    std::unique_ptr<loop::WorkerPool> workers_ = std::make_unique<loop::WorkerPool>(2);
    PhpService php_;
    LoopShared shared_{metrics_, store_, *workers_, php_};
    std::unique_ptr<LoopThread> loop_;
};

TEST_F(LoopThreadTest, ServesWhatWasApplied) {
    apply(build());
    auto address = listen();
    HttpClient client(address.port);
    EXPECT_THAT(client.get("/x.txt"), AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), EndsWith("\r\n\r\nhello")));
    EXPECT_THAT(client.get("/none"), StartsWith("HTTP/1.1 404 "));
    EXPECT_EQ(shared_.connections, 1u);
    client.close();
    loop_->call([&] { loop_->retireAll(0); });
    waitUntilEmpty();
    EXPECT_EQ(shared_.connections, 0u);
}

TEST_F(LoopThreadTest, AConfigurationLivesAsLongAsItIsUsed) {
    auto runtime = build();
    std::weak_ptr<const Runtime> watch = runtime;
    apply(std::move(runtime));
    auto address = listen();
    HttpClient client(address.port);
    client.get("/x.txt");
    EXPECT_FALSE(watch.expired());
    engineOptions_.routing.maxDirDepth = 1;
    apply(build());
    loop_->call([] {}); // what was in the middle of a turn is over
    EXPECT_TRUE(watch.expired()) << "a connection at rest holds no configuration";
    EXPECT_THAT(client.get("/a/b"), StartsWith("HTTP/1.1 414 ")) << "and picks the new one up";
}

TEST_F(LoopThreadTest, ReloadsWhileAnAnswerIsUnderWay) {
    apply(build());
    HttpClient client(listen().port);
    client.send("POST /x.txt HTTP/1.1\r\nHost: a.com\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
    EXPECT_THAT(client.receive(), StartsWith("HTTP/1.1 405 "));
    apply(build());
    EXPECT_TRUE(client.isAtEnd()) << "the body was not wanted, and never came";
}

TEST_F(LoopThreadTest, TurnsAwayWhatIsTooMuch) {
    apply(build());
    shared_.maxConnections = 1;
    auto address = listen();
    HttpClient first(address.port);
    EXPECT_THAT(first.get("/x.txt"), EndsWith("hello"));
    HttpClient second(address.port);
    second.send(
        "GET / HTTP/1.1\r\nHost: a.com\r\n\r\n"); // unread when the answer leaves: no reset may follow
    std::string answer = second.receive();
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 503 "));
    EXPECT_THAT(answer, EndsWith("try again shortly.\n"));
    EXPECT_TRUE(second.isAtEnd());
    EXPECT_THAT(first.get("/x.txt"), EndsWith("hello"));
    EXPECT_EQ(metrics_.snapshot().totals.connectionsRejected, 1u);
}

TEST_F(LoopThreadTest, TurnsAwayWhoWasTooSlow) {
    apply(build());
    auto address = listen();
    loop_->call(
        [&] { shared_.slowClients.block(*loop::SocketAddress::parse("127.0.0.1", 1), 0, ~0ull >> 1); });
    HttpClient client(address.port);
    EXPECT_TRUE(client.isAtEnd());
}

TEST_F(LoopThreadTest, RetiresOneAddress) {
    apply(build());
    auto one = listen();
    auto two = listen();
    HttpClient before(one.port);
    EXPECT_THAT(before.get("/x.txt"), EndsWith("hello"));
    loop_->call([&] { loop_->retire(one, false, 0); });
    bool refused = false;
    for (int i = 0; i < 2000 && !refused; ++i) {
        refused = !HttpClient(one.port).isOpen();
    }
    EXPECT_TRUE(refused);
    EXPECT_THAT(before.get("/x.txt"), EndsWith("hello")) << "its clients stay";
    EXPECT_THAT(HttpClient(two.port).get("/x.txt"), EndsWith("hello"));
}

TEST_F(LoopThreadTest, DrainsAfterTheCurrentRequest) {
    apply(build());
    auto address = listen();
    HttpClient idle(address.port), busy(address.port);
    idle.get("/x.txt");
    busy.get("/x.txt");
    busy.send("GET /x.txt HTTP/1.1\r\nHo");
    loop_->call([&] {
        loop_->retireAll(0);
        loop_->drain();
    });
    EXPECT_TRUE(idle.isAtEnd());
    // Its connection is closed at once, or after the answer, if those bytes were there before the drain.
    busy.send("st: a.com\r\n\r\n");
    std::string answer = busy.receive();
    EXPECT_TRUE(answer.empty() || answer.find("Connection: close\r\n") != std::string::npos) << answer;
    busy.close();
    waitUntilEmpty();
}

TEST_F(LoopThreadTest, StopsWithConnectionsOpen) {
    apply(build());
    auto address = listen();
    HttpClient client(address.port);
    client.get("/x.txt");
    client.send("GET /x.txt HTTP/1.1\r\n");
    loop_->stop();
    EXPECT_TRUE(client.isAtEnd());
    loop_->stop(); // once more does no harm
}

TEST_F(LoopThreadTest, WritesTheAccessLog) {
    engineOptions_.log.accessLog.file = folder_.at("access.log");
    apply(build());
    HttpClient client(listen().port);
    client.get("/x.txt");
    loop_->call([&] { loop_->flushLogs(); });
    logs_.drain();
    std::ostringstream text;
    text << std::ifstream(folder_.at("access.log")).rdbuf();
    EXPECT_THAT(text.str(), HasSubstr("GET /x.txt HTTP/1.1"));
}

TEST_F(LoopThreadTest, GivesMemoryBack) {
    apply(build());
    HttpClient client(listen().port);
    client.get("/x.txt");
    store_.clear();
    loop_->call([&] { loop_->trimMemory(); });
    EXPECT_THAT(client.get("/x.txt"), EndsWith("hello"));
}

} // namespace
} // namespace saker::host
