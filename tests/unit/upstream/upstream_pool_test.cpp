#include "upstream/upstream_pool.h"

#include "unit/upstream/upstream_fixture.h"

#include <gmock/gmock.h>

#include <deque>

namespace saker::upstream {
namespace {

using ::testing::HasSubstr;

/// Asks for a connection and keeps what comes.
struct Client final : PoolWaiter, ConnectionUser {
    explicit Client(UpstreamPool& pool) : pool(pool) {}

    void ask() {
        const Acquired acquired = pool.acquire(*this);
        if (acquired.refused) {
            onUnavailable(*acquired.refused);
        } else if (acquired.connection != nullptr) {
            onConnection(*acquired.connection);
        }
    }
    void onConnection(UpstreamConnection& given) override {
        connection = &given;
        given.attach(*this);
    }
    void onUnavailable(const Unavailable& why) override {
        status = why.status;
        message = why.message;
    }
    void onData(std::string_view bytes) override { received += bytes; }
    void onPeerClosed() override { isEnded = true; }
    void onDrained() override {}
    void onBroken(int) override { isEnded = true; }
    void write(std::string bytes) {
        BufferChain chain;
        chain.append(std::move(bytes));
        connection->transport().write(chain);
    }
    void giveBack() { std::exchange(connection, nullptr)->giveBack(); }
    void discard() { std::exchange(connection, nullptr)->discard(); }
    bool isDone() const { return connection != nullptr || status != 0; }

    UpstreamPool& pool;
    UpstreamConnection* connection = nullptr;
    std::string received, message;
    int status = 0;
    bool isEnded = false;
};

class UpstreamPoolTest : public UpstreamFixture {
protected:
    /// Who has asked; all of them are done.
    std::deque<Client>& ask(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            clients_.emplace_back(*pool_).ask();
        }
        until([&] {
            return std::all_of(clients_.begin(), clients_.end(),
                               [](const Client& one) { return one.isDone(); });
        });
        return clients_;
    }
    void TearDown() override {
        for (Client& client : clients_) {
            if (client.connection != nullptr) {
                client.discard();
            }
        }
        UpstreamFixture::TearDown();
    }
    std::deque<Client> clients_;
};

TEST_P(UpstreamPoolTest, connectsAndCarriesBytes) {
    makePool();
    Client& client = ask(1)[0];
    ASSERT_NE(client.connection, nullptr) << client.message;
    client.write("hello");
    until([&] { return server_.connections.size() == 1 && server_.connections[0].received == "hello"; });
    server_.send(0, "you");
    until([&] { return client.received == "you"; });
}

TEST_P(UpstreamPoolTest, connectsToLocalSockets) {
    test::TempFolder folder;
    test::FakeUpstream local(folder.at("a.sock"));
    makePool("unix:" + folder.at("a.sock"));
    Client& client = ask(1)[0];
    ASSERT_NE(client.connection, nullptr) << client.message;
    client.write("hello");
    until([&] {
        local.poll();
        return local.connections.size() == 1 && local.connections[0].received == "hello";
    });
    local.close(0);
    until([&] { return client.isEnded; });
}

TEST_P(UpstreamPoolTest, usesIdleConnectionsAgain) {
    makePool();
    Client& first = ask(1)[0];
    ASSERT_NE(first.connection, nullptr);
    EXPECT_FALSE(first.connection->isReused());
    first.giveBack();
    EXPECT_EQ(pool_->idleCount(), 1U);
    Client second(*pool_);
    second.ask();
    ASSERT_NE(second.connection, nullptr) << "at once";
    EXPECT_TRUE(second.connection->isReused());
    EXPECT_EQ(pool_->connectionCount(), 1U);
    second.discard();
    EXPECT_EQ(pool_->connectionCount(), 0U);
}

TEST_P(UpstreamPoolTest, keepsNoIdleConnectionThatSaysSomethingOrEnds) {
    makePool();
    ask(2);
    until([&] { return server_.connections.size() == 2; });
    for (Client& client : clients_) {
        client.giveBack();
    }
    server_.close(0);
    server_.send(1, "HTTP/1.1 408 Request Timeout\r\n\r\n");
    until([&] { return pool_->idleCount() == 0 && pool_->connectionCount() == 0; });
}

TEST_P(UpstreamPoolTest, looksOnceMoreBeforeUse) {
    makePool();
    Client& client = ask(1)[0];
    until([&] { return server_.connections.size() == 1; });
    client.giveBack();
    server_.close(0); // the loop has not seen it yet
    Client second(*pool_);
    second.ask();
    until([&] { return second.isDone(); });
    ASSERT_NE(second.connection, nullptr);
    EXPECT_FALSE(second.connection->isReused());
    second.discard();
}

TEST_P(UpstreamPoolTest, doesNotTakeBackAConnectionWithUnreadBytes) {
    makePool();
    Client& client = ask(1)[0];
    until([&] { return server_.connections.size() == 1; });
    client.connection->transport().pauseReading();
    server_.send(0, "left over");
    client.giveBack();
    EXPECT_EQ(pool_->idleCount(), 0U);
    EXPECT_EQ(pool_->connectionCount(), 0U);
}

TEST_P(UpstreamPoolTest, hasALimitAndServesInOrder) {
    PoolOptions options;
    options.maxConnections = 2;
    makePool(options);
    ask(2);
    Client third(*pool_), fourth(*pool_);
    third.ask();
    fourth.ask();
    turns(3);
    EXPECT_EQ(pool_->waitingCount(), 2U);
    EXPECT_EQ(pool_->connectionCount(), 2U);
    clients_[1].giveBack();
    EXPECT_NE(third.connection, nullptr);
    EXPECT_EQ(fourth.connection, nullptr);
    clients_[0].discard();
    until([&] { return fourth.connection != nullptr; });
    EXPECT_FALSE(fourth.connection->isReused());
    EXPECT_EQ(pool_->connectionCount(), 2U);
    third.discard();
    fourth.discard();
}

TEST_P(UpstreamPoolTest, refusesWhenTooManyWait) {
    PoolOptions options;
    options.maxConnections = 1;
    options.maxWaiting = 1;
    makePool(options);
    ask(1);
    Client waits(*pool_), refused(*pool_);
    waits.ask();
    refused.ask();
    EXPECT_EQ(refused.status, 503);
    EXPECT_EQ(refused.message, "1 requests wait for it already");
    pool_->cancel(waits);
    EXPECT_EQ(pool_->waitingCount(), 0U);
    clients_[0].giveBack();
    EXPECT_EQ(waits.connection, nullptr);
}

TEST_P(UpstreamPoolTest, letsNobodyWaitForEver) {
    PoolOptions options;
    options.maxConnections = 1;
    options.waitTimeout = 200;
    makePool(options);
    ask(1);
    Client waits(*pool_);
    waits.ask();
    until([&] { return waits.isDone(); });
    EXPECT_EQ(waits.status, 503);
    EXPECT_EQ(waits.message, "no connection to it became free within 200 ms");
}

TEST_P(UpstreamPoolTest, closesWhatIsIdleForLong) {
    PoolOptions options;
    options.idleTimeout = 5;
    makePool(options);
    ask(1)[0].giveBack();
    until([&] { return server_.connections.size() == 1 && server_.connections[0].isEnded; });
    EXPECT_EQ(pool_->connectionCount(), 0U);
}

TEST_P(UpstreamPoolTest, keepsNoMoreIdleOnesThanAllowed) {
    PoolOptions options;
    options.maxIdle = 1;
    makePool(options);
    ask(2);
    clients_[0].giveBack();
    clients_[1].giveBack();
    EXPECT_EQ(pool_->idleCount(), 1U);
    EXPECT_EQ(pool_->connectionCount(), 1U);
}

TEST_P(UpstreamPoolTest, saysWhenNobodyListens) {
    makePool();
    server_.stop();
    Client& client = ask(1)[0];
    EXPECT_EQ(client.status, 502);
    EXPECT_THAT(client.message, HasSubstr(": connecting: Connection refused"));
}

TEST_P(UpstreamPoolTest, saysWhenThereIsNoSocket) {
    test::TempFolder folder;
    makePool("fcgi:" + folder.at("none.sock"));
    Client& client = ask(1)[0];
    EXPECT_EQ(client.status, 502);
    EXPECT_THAT(client.message, HasSubstr("none.sock: connecting: No such file or directory"));
    makePool("fcgi:/" + std::string(200, 'x'));
    Client other(*pool_);
    other.ask();
    until([&] { return other.isDone(); });
    EXPECT_THAT(other.message, HasSubstr("must be shorter than"));
}

TEST_P(UpstreamPoolTest, waitsForAPlaceInALocalServersQueue) {
    test::TempFolder folder;
    test::FakeUpstream local(folder.at("a.sock"));
    PoolOptions options;
    makePool("unix:" + folder.at("a.sock"), options);
    const std::size_t most = 80; // the queue holds 65
    for (std::size_t i = 0; i < most; ++i) {
        clients_.emplace_back(*pool_).ask();
    }
    auto connected = [&] {
        return static_cast<std::size_t>(std::count_if(
            clients_.begin(), clients_.end(), [](const Client& one) { return one.connection != nullptr; }));
    };
    until([&] { return connected() >= 60; });
    turns(5);
    EXPECT_LT(connected(), most);
    until([&] {
        local.poll();
        return connected() == most;
    });
}

TEST_P(UpstreamPoolTest, refusesAtOnceWhenTheUpstreamIsDownAndTriesAgain) {
    PoolOptions options;
    options.failuresToOpen = 2;
    options.openFor = 200;
    makePool(options);
    server_.stop();
    ask(1);
    EXPECT_FALSE(pool_->isOpenCircuit());
    ask(1);
    EXPECT_TRUE(pool_->isOpenCircuit());
    Client refused(*pool_);
    refused.ask();
    EXPECT_EQ(refused.status, 503);
    EXPECT_THAT(refused.message, HasSubstr("it is not asked again yet, since "));
    EXPECT_THAT(refused.message, HasSubstr("Connection refused"));

    server_.start();
    const std::uint64_t from = loop_->now();
    until([&] { return loop_->now() > from + 200; });
    Client probe(*pool_), beside(*pool_);
    probe.ask();
    beside.ask();
    EXPECT_EQ(beside.status, 503) << "one tries, the others do not wait";
    until([&] { return probe.isDone(); });
    ASSERT_NE(probe.connection, nullptr);
    EXPECT_FALSE(pool_->isOpenCircuit());
    probe.discard();
}

TEST_P(UpstreamPoolTest, givesUpConnectsOfThoseWhoLeft) {
    makePool();
    {
        Client client(*pool_);
        client.ask();
        pool_->cancel(client);
    }
    until([&] { return pool_->idleCount() == 1; });
}

TEST_P(UpstreamPoolTest, keepsNoConnectionWhileNewOnesWaitForAProcess) {
    PoolOptions options;
    options.backloggedAfter = 5;
    auto load = std::make_shared<UpstreamLoad>();
    pool_ = makeRef<UpstreamPool>(*loop_, *UpstreamTarget::parse("fcgi://" + server_.address()), options,
                                  nullptr, load);
    auto other = makeRef<UpstreamPool>(*loop_, pool_->target(), options, nullptr, load); // as of another loop
    Client elsewhere(*other);
    elsewhere.ask();
    until([&] { return elsewhere.connection != nullptr && server_.connections.size() == 1; });
    server_.send(0, "answer");
    until([&] { return elsewhere.received == "answer"; });
    elsewhere.giveBack();
    EXPECT_EQ(other->idleCount(), 1U);
    EXPECT_FALSE(load->isBacklogged());

    ask(2);
    until([&] { return load->isBacklogged(); });
    const std::uint64_t from = loop_->now();
    until([&] { return loop_->now() > from + 10; }); // for both to count
    until([&] { return other->idleCount() == 0; });
    until([&] { return server_.connections.size() == 3; });
    // One of the two is served: its process is for the other.
    server_.send(1, "answer");
    until([&] { return clients_[0].received == "answer" || clients_[1].received == "answer"; });
    Client& served = clients_[0].received.empty() ? clients_[1] : clients_[0];
    Client& waiting = clients_[0].received.empty() ? clients_[0] : clients_[1];
    served.giveBack();
    EXPECT_EQ(pool_->idleCount(), 0U);
    server_.send(2, "answer");
    until([&] { return waiting.received == "answer"; });
    EXPECT_FALSE(load->isBacklogged());
    waiting.giveBack();
    EXPECT_EQ(pool_->idleCount(), 1U);
    other->retire();
}

TEST_P(UpstreamPoolTest, retires) {
    PoolOptions options;
    options.maxConnections = 2;
    makePool(options);
    ask(2);
    clients_[0].giveBack();
    pool_->retire();
    EXPECT_EQ(pool_->idleCount(), 0U);
    clients_[1].giveBack();
    EXPECT_EQ(pool_->connectionCount(), 0U);
    Client late(*pool_);
    late.ask();
    EXPECT_EQ(late.status, 503);
}

INSTANTIATE_TEST_SUITE_P(Backends, UpstreamPoolTest, loop::everyBackend(),
                         [](const auto& info) { return loop::variantName(info.param); });

} // namespace
} // namespace saker::upstream
