#include "loop/event_loop.h"

#include "unit/loop/loop_fixture.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cerrno>
#include <sys/resource.h>
#include <thread>

namespace saker::loop {
namespace {

class EventLoopTest : public LoopFixture {};
INSTANTIATE_TEST_SUITE_P(Backends, EventLoopTest, everyBackend(),
                         [](const auto& info) { return variantName(info.param); });

/// A listener that keeps what it accepts.
class Acceptor final : public Socket, public AcceptOp {
public:
    std::vector<NativeSocket> clients;
    std::vector<SocketAddress> peers;
    std::vector<int> errors;
    int end = -1;
    bool released = false;

    ~Acceptor() {
        for (const NativeSocket client : clients) {
            ::close(static_cast<int>(client));
        }
    }
    void onAccepted(NativeSocket client, const SocketAddress& peer) override {
        clients.push_back(client);
        peers.push_back(peer);
    }
    void onAcceptEnd(int error) override { end = error; }
    void onAcceptError(int error) override { errors.push_back(error); }

private:
    void onReleased() override { released = true; }
};

TEST_P(EventLoopTest, runsPostedFunctionsInOrderAlsoThoseFromBeforeAndFromOtherThreads) {
    std::vector<int> order;
    loop_->post([&] {
        order.push_back(1);
        EXPECT_EQ(EventLoop::current(), loop_.get());
        loop_->post([&] { order.push_back(3); });
    });
    loop_->post([&] { order.push_back(2); });
    runUntil([&] { return order.size() == 3; });
    EXPECT_EQ(EventLoop::current(), nullptr);

    std::thread other([&] {
        for (int i = 4; i < 1004; ++i) {
            loop_->post([&, i] { order.push_back(i); });
        }
    });
    runUntil([&] { return order.size() == 1003; });
    other.join();
    for (std::size_t i = 0; i < order.size(); ++i) {
        EXPECT_EQ(order[i], static_cast<int>(i) + 1);
    }
}

TEST_P(EventLoopTest, stopsAtOnceWhenStoppedBefore) {
    loop_->stop();
    loop_->run();
    std::thread other([&] { loop_->stop(); });
    loop_->run();
    other.join();
}

TEST_P(EventLoopTest, callsTimersAfterTheirDeadline) {
    struct Once final : Timer {
        EventLoop* loop = nullptr;
        std::uint64_t firedAt = 0;
        void onTimer() override { firedAt = loop->now(); }
    } timer;
    timer.loop = loop_.get();
    const std::uint64_t deadline = loop_->now() + 5;
    loop_->timers().set(timer, deadline);
    runUntil([&] { return timer.firedAt != 0; });
    EXPECT_GE(timer.firedAt, deadline);
}

TEST_P(EventLoopTest, announcesSleepingAndWaking) {
    int asleep = 0;
    loop_->setSleepHook([&](bool sleeping) { asleep += sleeping ? 1 : -1; });
    std::thread other([&] { loop_->post([&] { EXPECT_EQ(asleep, 0); }); });
    turns(3);
    other.join();
    EXPECT_EQ(asleep, 0);
}

TEST_P(EventLoopTest, acceptsManyClientsWithTheirAddresses) {
    std::uint16_t port = 0;
    Acceptor acceptor;
    loop_->adopt(acceptor, static_cast<NativeSocket>(listenOnLoopback(port)));
    EXPECT_EQ(loop_->accept(acceptor, acceptor), Submitted::pending);
    std::vector<Peer> peers;
    for (int i = 0; i < 100; ++i) {
        peers.push_back(Peer::connectTo(port));
    }
    runUntil([&] { return acceptor.clients.size() == 100; });
    for (const SocketAddress& peer : acceptor.peers) {
        EXPECT_EQ(peer.host(), "127.0.0.1");
        EXPECT_NE(peer.port, 0);
    }
    for (const NativeSocket client : acceptor.clients) {
        const int fd = static_cast<int>(client);
        int noDelay = 0;
        socklen_t length = sizeof noDelay;
        EXPECT_EQ(::getsockopt(fd, IPPROTO_TCP, 1 /* TCP_NODELAY */, &noDelay, &length), 0);
        EXPECT_NE(noDelay, 0);
        EXPECT_NE(::fcntl(fd, F_GETFL) & O_NONBLOCK, 0);
        EXPECT_NE(::fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
    }
    loop_->release(acceptor);
    EXPECT_EQ(acceptor.end, -1);
    runUntil([&] { return acceptor.released; });
    EXPECT_EQ(acceptor.end, ECANCELED);
    EXPECT_EQ(loop_->socketCount(), 0U);
}

TEST_P(EventLoopTest, endsAnAcceptAndStartsAnother) {
    std::uint16_t port = 0;
    Acceptor acceptor;
    loop_->adopt(acceptor, static_cast<NativeSocket>(listenOnLoopback(port)));
    loop_->accept(acceptor, acceptor);
    turns(2);
    loop_->cancelAccept(acceptor);
    EXPECT_EQ(acceptor.end, -1);
    runUntil([&] { return acceptor.end == ECANCELED; });
    const Peer peer = Peer::connectTo(port);
    turns(5);
    EXPECT_TRUE(acceptor.clients.empty());
    loop_->accept(acceptor, acceptor);
    runUntil([&] { return acceptor.clients.size() == 1; });
    loop_->cancelAccept(acceptor);
    loop_->release(acceptor);
    runUntil([&] { return acceptor.released; });
}

TEST_P(EventLoopTest, pausesAcceptingWhileDescriptorsAreShort) {
    std::uint16_t port = 0;
    Acceptor acceptor;
    loop_->adopt(acceptor, static_cast<NativeSocket>(listenOnLoopback(port)));
    const Peer peer = Peer::connectTo(port);
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
    const rlimit none{3, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
    loop_->accept(acceptor, acceptor); // io_uring reads the limit now
    runUntil([&] { return !acceptor.errors.empty(); });
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
    EXPECT_EQ(acceptor.errors.front(), EMFILE);
    EXPECT_LT(acceptor.errors.size(), 3U);
    runUntil([&] { return acceptor.clients.size() == 1; });
    EXPECT_EQ(acceptor.end, -1);
    loop_->release(acceptor);
    runUntil([&] { return acceptor.released; });
}

TEST_P(EventLoopTest, givesASocketBack) {
    std::uint16_t port = 0;
    Acceptor acceptor;
    const int fd = listenOnLoopback(port);
    loop_->adopt(acceptor, static_cast<NativeSocket>(fd));
    loop_->accept(acceptor, acceptor);
    loop_->cancelAccept(acceptor);
    runUntil([&] { return acceptor.end == ECANCELED; });
    EXPECT_EQ(loop_->disown(acceptor), static_cast<NativeSocket>(fd));
    EXPECT_FALSE(acceptor.isOpen());
    EXPECT_EQ(loop_->socketCount(), 0U);
    EXPECT_TRUE(Peer::connectTo(port).isOpen());
    ::close(fd);
}

TEST_P(EventLoopTest, connects) {
    std::uint16_t port = 0;
    const int listener = listenOnLoopback(port);
    Recorder socket(*loop_);
    loop_->adopt(socket,
                 static_cast<NativeSocket>(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)));
    const Submitted submitted = loop_->connect(socket, socket, *SocketAddress::parse("127.0.0.1", port));
    ASSERT_NE(submitted, Submitted::failed);
    if (submitted == Submitted::pending) {
        runUntil([&] { return socket.connected == 0; });
    }
    const Peer peer(::accept(listener, nullptr, nullptr));
    peer.send("hello");
    EXPECT_TRUE(loop_->receive(socket, socket));
    runUntil([&] { return socket.received == "hello"; });
    socket.release();
    runUntil([&] { return socket.released; });
    EXPECT_EQ(socket.receiveEnd, ECANCELED);
    ::close(listener);
}

TEST_P(EventLoopTest, reportsARefusedConnection) {
    std::uint16_t port = 0;
    ::close(listenOnLoopback(port));
    Recorder socket(*loop_);
    loop_->adopt(socket,
                 static_cast<NativeSocket>(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)));
    if (loop_->connect(socket, socket, *SocketAddress::parse("127.0.0.1", port)) == Submitted::pending) {
        runUntil([&] { return socket.connected != -1; });
        EXPECT_EQ(socket.connected, ECONNREFUSED);
    }
    socket.release();
    runUntil([&] { return socket.released; });
}

TEST_P(EventLoopTest, endsAConnectThatIsReleased) {
    std::uint16_t port = 0;
    const int listener = listenOnLoopback(port);
    Recorder socket(*loop_);
    loop_->adopt(socket,
                 static_cast<NativeSocket>(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)));
    const Submitted submitted = loop_->connect(socket, socket, *SocketAddress::parse("127.0.0.1", port));
    socket.release();
    runUntil([&] { return socket.released; });
    EXPECT_EQ(socket.connected, submitted == Submitted::pending ? ECANCELED : -1);
    ::close(listener);
}

TEST_P(EventLoopTest, receivesEverythingInOrderThenTheEnd) {
    Pair pair = makePair();
    Recorder socket(*loop_);
    loop_->adopt(socket, pair.native);
    ASSERT_TRUE(loop_->receive(socket, socket));
    const std::string sent = pattern(3'000'000);
    std::thread sender([&] {
        pair.peer.send(sent);
        pair.peer.finish();
    });
    runUntil([&] { return socket.receiveEnd != -1; });
    sender.join();
    EXPECT_EQ(socket.receiveEnd, 0);
    EXPECT_TRUE(socket.received == sent);
    turns(3);
    socket.release();
    runUntil([&] { return socket.released; });
}

TEST_P(EventLoopTest, saysNothingWhilePaused) {
    Pair pair = makePair();
    Recorder socket(*loop_);
    loop_->adopt(socket, pair.native);
    loop_->receive(socket, socket);
    const std::string sent = pattern(500'000);
    std::size_t pausedAt = 0;
    socket.onBytes = [&] {
        EXPECT_EQ(pausedAt, 0U);
        pausedAt = socket.received.size();
        loop_->pauseReceive(socket);
    };
    std::thread sender([&] {
        pair.peer.send(sent);
        pair.peer.finish();
    });
    while (socket.receiveEnd == -1) {
        runUntil([&] { return pausedAt != 0 || socket.receiveEnd != -1; });
        if (socket.receiveEnd == -1) {
            turns(2);
            EXPECT_EQ(socket.received.size(), pausedAt);
            pausedAt = 0;
            loop_->resumeReceive(socket);
        }
    }
    sender.join();
    EXPECT_TRUE(socket.received == sent);
    socket.release();
    runUntil([&] { return socket.released; });
}

TEST_P(EventLoopTest, isNotBusyWithAPausedSocketWhoseConnectionIsReset) {
    Pair pair = makePair();
    Recorder socket(*loop_);
    loop_->adopt(socket, pair.native);
    loop_->receive(socket, socket);
    pair.peer.send("x");
    runUntil([&] { return socket.received == "x"; });
    loop_->pauseReceive(socket);
    const linger now{1, 0};
    ::setsockopt(pair.peer.fd(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
    pair.peer.close();
    turns(5);
    int count = 0;
    struct Later final : Timer {
        bool fired = false;
        void onTimer() override { fired = true; }
    } later;
    loop_->timers().set(later, loop_->now() + 50);
    loop_->setSleepHook([&](bool sleeping) { count += sleeping ? 1 : 0; });
    runUntil([&] { return later.fired; });
    EXPECT_LT(count, 20);
    EXPECT_EQ(socket.receiveEnd, -1);
    loop_->setSleepHook({});
    loop_->resumeReceive(socket);
    runUntil([&] { return socket.receiveEnd == ECONNRESET; });
    socket.release();
    runUntil([&] { return socket.released; });
}

TEST_P(EventLoopTest, mayBeReleasedWithinOnReceived) {
    Pair pair = makePair();
    Recorder socket(*loop_);
    loop_->adopt(socket, pair.native);
    loop_->receive(socket, socket);
    socket.onBytes = [&] { socket.release(); };
    pair.peer.send(pattern(200'000).substr(0, 10'000));
    runUntil([&] { return socket.released; });
    EXPECT_EQ(socket.receiveEnd, ECANCELED);
    EXPECT_FALSE(socket.isOpen());
    EXPECT_EQ(loop_->socketCount(), 0U);
}

TEST_P(EventLoopTest, halfClosesAndGoesOnReceiving) {
    Pair pair = makePair();
    Recorder socket(*loop_);
    loop_->adopt(socket, pair.native);
    loop_->receive(socket, socket);
    turns(2);
    loop_->shutdownWrite(socket);
    EXPECT_EQ(pair.peer.receive(), "");
    pair.peer.send("still here");
    runUntil([&] { return socket.received == "still here"; });
    pair.peer.close();
    runUntil([&] { return socket.receiveEnd == 0; });
    socket.release();
    runUntil([&] { return socket.released; });
}

TEST_P(EventLoopTest, resetsWhenAskedTo) {
    Pair pair = makePair();
    Recorder socket(*loop_);
    loop_->adopt(socket, pair.native);
    loop_->receive(socket, socket);
    turns(1);
    socket.release(true);
    runUntil([&] { return socket.released; });
    turns(1);
    int error = 0;
    EXPECT_EQ(pair.peer.receive(SIZE_MAX, &error), "");
    EXPECT_EQ(error, ECONNRESET);
}

TEST_P(EventLoopTest, neverReceivingIsFineToo) {
    Pair pair = makePair();
    Recorder socket(*loop_);
    loop_->adopt(socket, pair.native);
    turns(1);
    socket.release();
    runUntil([&] { return socket.released; });
    turns(1);
    EXPECT_EQ(pair.peer.receive(), "");
}

/// Many connections that echo, with every backend's idea of pieces.
TEST_P(EventLoopTest, echoesOnManyConnections) {
    struct Echo {
        explicit Echo(EventLoop& loop) : socket(loop) {}
        Recorder socket;
        Peer peer;
        std::string owed;
        bool busy = false;
        void pump() {
            while (!busy && !owed.empty()) {
                BufferChain chain;
                chain.append(std::exchange(owed, {}));
                busy = socket.write(chain) == Submitted::pending;
            }
        }
    };
    std::vector<std::unique_ptr<Echo>> echoes;
    for (int i = 0; i < 30; ++i) {
        Pair pair = makePair();
        auto echo = std::make_unique<Echo>(*loop_);
        echo->peer = std::move(pair.peer);
        loop_->adopt(echo->socket, pair.native);
        loop_->receive(echo->socket, echo->socket);
        Echo* self = echo.get();
        echo->socket.onBytes = [self] {
            self->owed += std::exchange(self->socket.received, {});
            self->pump();
        };
        echo->socket.onDone = [self] {
            self->busy = false;
            self->pump();
            if (self->socket.receiveEnd == 0 && !self->busy) {
                self->socket.release();
            }
        };
        echo->socket.onEnd = [self] {
            if (!self->busy) {
                self->socket.release();
            }
        };
        echoes.push_back(std::move(echo));
    }
    std::thread clients([&] {
        for (std::size_t i = 0; i < echoes.size(); ++i) {
            const std::string sent = pattern(1 + i * 3'000, i + 1);
            echoes[i]->peer.send(sent);
            EXPECT_TRUE(echoes[i]->peer.receive(sent.size()) == sent);
        }
        for (const auto& echo : echoes) {
            echo->peer.close();
        }
    });
    runUntil([&] { return loop_->socketCount() == 0; });
    clients.join();
}

TEST_P(EventLoopTest, sendsManyChainsOfPiecesInOneTurn) {
    std::vector<std::unique_ptr<Recorder>> sockets;
    std::vector<Peer> peers;
    for (int i = 0; i < 300; ++i) {
        Pair pair = makePair();
        sockets.push_back(std::make_unique<Recorder>(*loop_));
        loop_->adopt(*sockets.back(), pair.native);
        peers.push_back(std::move(pair.peer));
    }
    turns(1);
    loop_->post([&] {
        for (std::size_t i = 0; i < sockets.size(); ++i) {
            BufferChain chain;
            chain.append("<" + std::to_string(i));
            chain.appendStatic("|");
            chain.append(pattern(300, i) + ">");
            if (sockets[i]->write(chain) == Submitted::done) {
                sockets[i]->written = 0;
            }
        }
    });
    runUntil([&] {
        return std::all_of(sockets.begin(), sockets.end(),
                           [](const auto& socket) { return socket->written == 0; });
    });
    for (std::size_t i = 0; i < sockets.size(); ++i) {
        sockets[i]->release();
        const std::string expected = "<" + std::to_string(i) + "|" + pattern(300, i) + ">";
        EXPECT_EQ(peers[i].receive(expected.size()), expected);
    }
    runUntil([&] { return loop_->socketCount() == 0; });
}

TEST(EventLoopNameTest, namesItsBackends) {
    EXPECT_STREQ(EventLoop::backendName(BackendKind::automatic), "auto");
    EXPECT_STREQ(EventLoop::backendName(BackendKind::ioUring), "io_uring");
    auto loop = EventLoop::create({});
    ASSERT_TRUE(loop);
    EXPECT_TRUE((*loop)->backendKind() == BackendKind::ioUring ||
                (*loop)->backendKind() == BackendKind::epoll);
    auto none = EventLoop::create({BackendKind::iocp});
    ASSERT_FALSE(none);
    EXPECT_THAT(none.error().message, ::testing::HasSubstr("Windows"));
}

} // namespace
} // namespace saker::loop
