#include "net/listener.h"

#include "net/tcp_transport.h"
#include "unit/loop/loop_fixture.h"

#include <gmock/gmock.h>

#include <atomic>
#include <thread>

namespace saker::net {
namespace {

using loop::Peer;

loop::SocketAddress loopback(std::uint16_t port = 0) {
    return *loop::SocketAddress::parse("127.0.0.1", port);
}

/// Answers each client with a byte and closes when the client has.
class Server final : public ListenerUser {
public:
    explicit Server(loop::EventLoop& loop) : loop_(loop) {}
    int served = 0;
    int closed = 0;
    std::vector<int> troubles;

    void onConnection(Listener& listener, loop::NativeSocket socket,
                      const loop::SocketAddress& peer) override {
        EXPECT_EQ(&listener.loop(), &loop_);
        EXPECT_EQ(peer.host(), "127.0.0.1");
        ++served;
        struct Session final : TransportUser {
            TcpTransport* transport = nullptr;
            std::unique_ptr<Session> self;
            void onData(std::span<const char>) override {}
            void onPeerClosed() override { transport->close(); }
            void onDrained() override {}
            void onBroken(int) override { transport->close(); }
            void onClosed() override { const std::unique_ptr<Session> last = std::move(self); }
        };
        auto session = std::make_unique<Session>();
        Session& user = *session;
        user.self = std::move(session);
        user.transport = &TcpTransport::open(loop_, socket, peer);
        user.transport->start(user);
        BufferChain chain;
        chain.appendStatic("!");
        user.transport->write(chain);
    }
    void onListenerTrouble(Listener&, int error) override { troubles.push_back(error); }
    void onListenerClosed(Listener&) override { ++closed; }

private:
    loop::EventLoop& loop_;
};

class ListenerTest : public loop::LoopFixture {};
INSTANTIATE_TEST_SUITE_P(Backends, ListenerTest, loop::everyBackend(),
                         [](const auto& info) { return loop::variantName(info.param); });

TEST_P(ListenerTest, accepts) {
    Server server(*loop_);
    auto listener = Listener::open(*loop_, std::move(*ListenSocket::bind(loopback())), server);
    ASSERT_TRUE(listener) << listener.error().text();
    const std::uint16_t port = (*listener)->address().port;
    std::thread client([&] {
        for (int i = 0; i < 50; ++i) {
            const Peer peer = Peer::connectTo(port);
            EXPECT_EQ(peer.receive(1), "!");
        }
    });
    runUntil([&] { return server.served == 50; });
    client.join();
    (*listener)->close();
    runUntil([&] { return loop_->socketCount() == 0; });
    EXPECT_EQ(server.closed, 1);
    EXPECT_FALSE(Peer::connectTo(port).isOpen());
}

/// Two loops share a port; one of the sockets retires while clients keep coming. None may be lost.
TEST_P(ListenerTest, retiresWithoutLosingAClient) {
    auto group = ListenSocket::bindGroup(loopback(), 2);
    ASSERT_TRUE(group) << group.error().text();
    const std::uint16_t port = (*group)[0].address().port;

    auto other = *loop::EventLoop::create({loop::BackendKind::epoll});
    Server staying(*other);
    auto stays = Listener::open(*other, std::move((*group)[1]), staying);
    ASSERT_TRUE(stays);
    std::thread otherThread([&] { other->run(); });

    Server leaving(*loop_);
    auto leaves = Listener::open(*loop_, std::move((*group)[0]), leaving);
    ASSERT_TRUE(leaves);

    std::atomic<int> answered = 0;
    std::atomic<bool> finished = false;
    std::atomic<int> failed = 0;
    std::thread clients([&] {
        std::vector<std::thread> threads;
        for (int t = 0; t < 8; ++t) {
            threads.emplace_back([&] {
                for (int i = 0; i < 60; ++i) {
                    const Peer peer = Peer::connectTo(port);
                    (peer.isOpen() && peer.receive(1) == "!" ? answered : failed)++;
                }
            });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
        finished = true;
        loop_->post([] {});
    });
    runUntil([&] { return leaving.served >= 20; });
    (*leaves)->retire(50);
    runUntil([&] { return leaving.closed == 1; });
    runUntil([&] { return finished.load(); });
    clients.join();
    EXPECT_EQ(failed, 0);
    EXPECT_EQ(answered, 480);
    other->post([&] {
        (*stays)->close();
        other->setTurnHook([&] {
            if (other->socketCount() == 0) {
                other->stop();
            }
        });
    });
    otherThread.join();
    EXPECT_EQ(leaving.served + staying.served, 480);
    runUntil([&] { return loop_->socketCount() == 0; });
}

TEST_P(ListenerTest, servesThoseWhoWereQueuedWhenItRetires) {
    Server server(*loop_);
    auto socket = ListenSocket::bind(loopback());
    const std::uint16_t port = socket->address().port;
    ASSERT_TRUE(socket->listen());
    std::vector<Peer> queued;
    for (int i = 0; i < 100; ++i) {
        queued.push_back(Peer::connectTo(port));
    }
    auto listener = Listener::open(*loop_, std::move(*socket), server);
    (*listener)->retire(0);
    (*listener)->retire(0);
    runUntil([&] { return server.closed == 1; });
    EXPECT_EQ(server.served, 100);
    std::thread reader([&] {
        for (const Peer& peer : queued) {
            EXPECT_EQ(peer.receive(1), "!");
        }
        queued.clear();
    });
    runUntil([&] { return loop_->socketCount() == 0; });
    reader.join();
}

TEST_P(ListenerTest, aPortCanBeOpenedAgainWhileAndAfterItRetires) {
    Server server(*loop_);
    auto listener = Listener::open(*loop_, std::move(*ListenSocket::bind(loopback())), server);
    const loop::SocketAddress address = (*listener)->address();
    (*listener)->retire(20);
    turns(1);
    EXPECT_FALSE(ListenSocket::bindGroup(address, 2));
    EXPECT_TRUE(ListenSocket::bindGroup(address, 2, true));
    runUntil([&] { return server.closed == 1; });
    EXPECT_TRUE(ListenSocket::bindGroup(address, 2));
}

TEST_P(ListenerTest, mayBeClosedWhileItRetires) {
    Server server(*loop_);
    auto listener = Listener::open(*loop_, std::move(*ListenSocket::bind(loopback())), server);
    (*listener)->retire();
    (*listener)->close();
    (*listener)->close();
    runUntil([&] { return server.closed == 1; });
}

TEST_P(ListenerTest, passesItsSocketOn) {
    Server server(*loop_);
    auto listener = Listener::open(*loop_, std::move(*ListenSocket::bind(loopback())), server);
    const loop::SocketAddress address = (*listener)->address();
    auto copy = (*listener)->duplicate();
    ASSERT_TRUE(copy) << copy.error().text();
    EXPECT_EQ(copy->address(), address);
    (*listener)->close();
    runUntil([&] { return server.closed == 1; });
    turns(1);
    Peer early = Peer::connectTo(address.port); // the copy keeps the queue
    ASSERT_TRUE(early.isOpen());
    auto again = Listener::open(*loop_, std::move(*copy), server);
    runUntil([&] { return server.served == 1; });
    (*again)->close();
    runUntil([&] { return server.closed == 2; });
    std::thread reader([&] {
        EXPECT_EQ(early.receive(1), "!");
        early.close();
    });
    runUntil([&] { return loop_->socketCount() == 0; });
    reader.join();
}

TEST(ListenSocketTest, saysWhyItCannotBind) {
    auto first = ListenSocket::bind(loopback());
    ASSERT_TRUE(first);
    ASSERT_TRUE(first->listen());
    const auto second = ListenSocket::bind(first->address());
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().kind, ErrorKind::cannotBind);
    EXPECT_EQ(second.error().where, first->address().text());
    EXPECT_THAT(second.error().message, ::testing::HasSubstr(std::to_string(first->address().port)));
    EXPECT_THAT(second.error().message, ::testing::HasSubstr("choose another port"));
    EXPECT_TRUE(ListenSocket::bind(first->address(), true));

    const auto elsewhere = ListenSocket::bind(*loop::SocketAddress::parse("192.0.2.1", 80));
    ASSERT_FALSE(elsewhere);
    EXPECT_THAT(elsewhere.error().text(), ::testing::HasSubstr("192.0.2.1:80"));
    EXPECT_FALSE(ListenSocket::bind(loop::SocketAddress{}));
}

TEST(ListenSocketTest, listensOnBothFamiliesOfOnePort) {
    std::string failures;
    for (int attempt = 0; attempt < 20;
         ++attempt) { // a port that one family has free may be taken in the other
        auto six = ListenSocket::bind(*loop::SocketAddress::parse("::", 0));
        if (!six) {
            GTEST_SKIP() << six.error().text();
        }
        ASSERT_TRUE(six->listen());
        auto four = ListenSocket::bind(*loop::SocketAddress::parse("0.0.0.0", six->address().port));
        if (four && four->listen()) {
            return;
        }
        failures += four ? "cannot listen\n" : four.error().text() + "\n";
    }
    FAIL() << failures;
}

TEST(ListenSocketTest, inheritsStreamSocketsOnly) {
    const Peer file(::open("/dev/null", O_RDONLY));
    EXPECT_FALSE(ListenSocket::inherit(static_cast<loop::NativeSocket>(file.fd())));
    auto socket = ListenSocket::bind(loopback());
    const loop::SocketAddress address = socket->address();
    auto inherited = ListenSocket::inherit(socket->take());
    ASSERT_TRUE(inherited);
    EXPECT_EQ(inherited->address(), address);
    EXPECT_FALSE(socket->isOpen());
}

} // namespace
} // namespace saker::net
