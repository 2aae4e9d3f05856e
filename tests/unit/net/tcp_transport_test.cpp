#include "net/tcp_transport.h"

#include "unit/loop/loop_fixture.h"

#include <cerrno>
#include <sys/ioctl.h>
#include <thread>

namespace saker::net {
namespace {

using loop::BackendKind;
using loop::makePair;
using loop::Pair;
using loop::pattern;
using loop::Peer;
using loop::Submitted;

class User final : public TransportUser {
public:
    std::string received;
    bool peerClosed = false;
    int drained = 0;
    int broken = 0;
    bool closed = false;
    std::function<void()> dataAction = [] {};
    std::function<void()> closedAction = [] {};

    void onData(std::span<const char> bytes) override {
        EXPECT_FALSE(closed);
        received.append(bytes.data(), bytes.size());
        dataAction();
    }
    void onPeerClosed() override {
        EXPECT_FALSE(closed || peerClosed);
        peerClosed = true;
    }
    void onDrained() override {
        EXPECT_FALSE(closed);
        ++drained;
    }
    void onBroken(int error) override {
        EXPECT_FALSE(closed || broken != 0);
        broken = error;
    }
    void onClosed() override {
        EXPECT_FALSE(closed);
        closed = true;
        const auto action = closedAction; // which may destroy this
        action();
    }
};

class TcpTransportTest : public loop::LoopFixture {
protected:
    void SetUp() override {
        LoopFixture::SetUp();
        if (loop_) {
            Pair pair = makePair();
            peer_ = std::move(pair.peer);
            transport_ = &TcpTransport::open(*loop_, pair.native, loop::SocketAddress{});
        }
    }
    void TearDown() override {
        if (loop_ && loop_->socketCount() > 0) {
            transport_->close(true);
            runUntil([&] { return loop_->socketCount() == 0; });
        }
    }
    Submitted write(std::string text) {
        BufferChain chain;
        chain.append(std::move(text));
        const Submitted submitted = transport_->write(chain);
        EXPECT_TRUE(chain.empty());
        return submitted;
    }

    Peer peer_;
    TcpTransport* transport_ = nullptr;
    User user_;
};
INSTANTIATE_TEST_SUITE_P(Backends, TcpTransportTest, loop::everyBackend(),
                         [](const auto& info) { return loop::variantName(info.param); });

TEST_P(TcpTransportTest, carriesBytesBothWays) {
    transport_->start(user_);
    EXPECT_EQ(transport_->local().host(), "127.0.0.1");
    EXPECT_FALSE(transport_->isEncrypted());
    peer_.send("ping");
    runUntil([&] { return user_.received == "ping"; });
    EXPECT_EQ(write("pong"), Submitted::done);
    runUntil([&] { return transport_->bytesPending() == 0; });
    EXPECT_EQ(transport_->bytesWritten(), 4U);
    EXPECT_EQ(peer_.receive(4), "pong");
    peer_.finish();
    runUntil([&] { return user_.peerClosed; });
    EXPECT_EQ(write("bye"), Submitted::done);
    transport_->close();
    EXPECT_FALSE(user_.closed);
    EXPECT_EQ(write("too late"), Submitted::failed);
    runUntil([&] { return user_.closed; });
    turns(1);
    EXPECT_EQ(peer_.receive(), "bye");
    EXPECT_EQ(user_.drained, 0);
    EXPECT_EQ(user_.broken, 0);
}

TEST_P(TcpTransportTest, queuesWhatIsWrittenMeanwhileAndTellsWhenAllHasLeft) {
    transport_->start(user_);
    const std::string content = pattern(8'000'000);
    BufferChain chain;
    chain.appendStatic(content);
    ASSERT_EQ(transport_->write(chain), Submitted::pending);
    EXPECT_EQ(write("second"), Submitted::pending);
    turns(1);
    EXPECT_EQ(write("third"), Submitted::pending);
    EXPECT_GT(transport_->bytesPending(), 64U * 1024);
    EXPECT_EQ(transport_->bytesPending() + transport_->bytesWritten(), content.size() + 11);
    transport_->shutdownWrite(); // after all that
    EXPECT_EQ(write("too late"), Submitted::failed);
    std::string got;
    std::thread reader([&] { got = peer_.receive(); });
    runUntil([&] { return user_.drained == 1; });
    reader.join();
    EXPECT_TRUE(got == content + "secondthird");
    EXPECT_EQ(transport_->bytesPending(), 0U);
    peer_.send("still open");
    runUntil([&] { return user_.received == "still open"; });
}

TEST_P(TcpTransportTest, pausesAndClosesWithinOnData) {
    transport_->start(user_);
    int calls = 0;
    user_.dataAction = [&] {
        ++calls;
        transport_->pauseReading();
    };
    peer_.send(pattern(100'000));
    runUntil([&] { return calls == 1; });
    turns(3);
    EXPECT_EQ(calls, 1);
    user_.dataAction = [&] {
        ++calls;
        transport_->close();
    };
    transport_->resumeReading();
    runUntil([&] { return user_.closed; });
    EXPECT_EQ(calls, 2);
}

TEST_P(TcpTransportTest, userMayDestroyItselfInOnClosed) {
    auto user = std::make_unique<User>();
    bool gone = false;
    user->closedAction = [&] {
        user.reset();
        gone = true;
    };
    user->dataAction = [&] { transport_->close(); };
    transport_->start(*user);
    peer_.send("x");
    runUntil([&] { return gone; });
}

TEST_P(TcpTransportTest, servesAPeerThatPipelinesWithoutReading) {
    transport_->start(user_);
    std::size_t pending = 0;
    user_.dataAction = [&] {
        user_.received.clear();
        if (write(std::string(10'000, 'r')) == Submitted::pending) {
            ++pending;
            transport_->pauseReading();
        }
    };
    std::thread sender([&] {
        timeval patience{0, 50'000};
        ::setsockopt(peer_.fd(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
        peer_.send(pattern(60'000'000)); // until nothing goes any more
    });
    std::atomic<bool> sent = false;
    std::thread waiter([&] {
        sender.join();
        sent = true;
        loop_->post([] {});
    });
    runUntil([&] { return sent.load(); });
    waiter.join();
    EXPECT_GE(pending, 1U);
    EXPECT_LT(transport_->bytesPending(), 200'000U);
    transport_->close();
    runUntil([&] { return user_.closed; });
}

TEST_P(TcpTransportTest, reportsABrokenConnectionOnce) {
    transport_->start(user_);
    const linger now{1, 0};
    ::setsockopt(peer_.fd(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
    turns(2);
    peer_.close();
    runUntil([&] { return user_.broken != 0; });
    EXPECT_EQ(user_.broken, ECONNRESET);
    EXPECT_EQ(write("x"), Submitted::failed);
    transport_->close();
    runUntil([&] { return user_.closed; });
}

TEST_P(TcpTransportTest, closeDropsWhatIsPending) {
    transport_->start(user_);
    const std::string content = pattern(20'000'000);
    BufferChain chain;
    chain.appendStatic(content);
    ASSERT_EQ(transport_->write(chain), Submitted::pending);
    transport_->close();
    runUntil([&] { return user_.closed; });
    turns(1);
    EXPECT_LT(peer_.receive().size(), content.size());
    EXPECT_EQ(user_.drained, 0);
}

/// A close while unread bytes lie in the socket resets the connection; lingerAndClose() must not.
TEST_P(TcpTransportTest, lingersSoThatTheAnswerIsReadByAPeerThatIsStillSending) {
    transport_->start(user_);
    user_.dataAction = [&] {
        write(std::string(30'000, 'a'));
        transport_->lingerAndClose();
    };
    std::string got;
    int error = 0;
    std::thread peer([&] {
        for (int i = 0; i < 50; ++i) {
            peer_.send(std::string(20'000, 'u'));
        }
        got = peer_.receive(SIZE_MAX, &error);
        peer_.finish();
    });
    runUntil([&] { return user_.closed; });
    peer.join();
    EXPECT_EQ(error, 0);
    EXPECT_EQ(got.size(), 30'000U);
    EXPECT_LE(user_.received.size(), 70'000U) << "input after lingerAndClose() must be discarded";
    EXPECT_FALSE(user_.peerClosed);
}

TEST_P(TcpTransportTest, lingeringEndsByItselfWhenThePeerNeverCloses) {
    transport_->start(user_);
    peer_.send("x");
    runUntil([&] { return user_.received == "x"; });
    transport_->pauseReading();
    transport_->lingerAndClose();
    EXPECT_EQ(peer_.receive(), ""); // the half-close comes at once
    turns(3);
    EXPECT_FALSE(user_.closed);
    loop_->timers().advance(loop_->now() + 2100); // as if two seconds had passed
    runUntil([&] { return user_.closed; });
}

TEST_P(TcpTransportTest, lingersWithoutHavingStarted) {
    std::string got;
    int error = 0;
    std::thread peer([&] {
        peer_.send(std::string(20'000, 'u'));
        got = peer_.receive(SIZE_MAX, &error);
        peer_.finish();
    });
    write("turned away");
    transport_->lingerAndClose();
    runUntil([&] { return loop_->socketCount() == 0; });
    peer.join();
    EXPECT_EQ(error, 0);
    EXPECT_EQ(got, "turned away");
}

TEST_P(TcpTransportTest, mayBeClosedBeforeItStarts) {
    transport_->close();
    runUntil([&] { return loop_->socketCount() == 0; });
    turns(1);
    EXPECT_EQ(peer_.receive(), "");
}

TEST(TcpTransportSizeTest, isSmall) {
    EXPECT_LE(sizeof(TcpTransport), 280U);
}

} // namespace
} // namespace saker::net
