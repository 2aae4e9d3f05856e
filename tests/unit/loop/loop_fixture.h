// What the tests of loops share: one contract run over every backend that this system has.
#pragma once

#include "loop/event_loop.h"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <cstdint>
#include <fcntl.h>
#include <functional>
#include <memory>
#include <netinet/in.h>
#include <ostream>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace saker::loop {

struct Variant {
    BackendKind kind;
    std::uint64_t seed = 1;
};

inline std::string variantName(const Variant& variant) {
    std::string name = EventLoop::backendName(variant.kind);
    return variant.kind == BackendKind::fault ? name + std::to_string(variant.seed) : name;
}

inline void PrintTo(const Variant& variant, std::ostream* out) {
    *out << variantName(variant);
}

inline auto everyBackend() {
    return ::testing::Values(Variant{BackendKind::epoll}, Variant{BackendKind::ioUring},
                             Variant{BackendKind::fault, 1}, Variant{BackendKind::fault, 2},
                             Variant{BackendKind::fault, 3});
}

/// A blocking socket of the test's own side; closes itself.
class Peer {
public:
    Peer() = default;
    explicit Peer(int fd) : fd_(fd) {}
    Peer(Peer&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Peer& operator=(Peer other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~Peer() { close(); }

    static Peer connectTo(std::uint16_t port) {
        Peer peer(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (::connect(peer.fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
            peer.close();
        }
        return peer;
    }

    int fd() const { return fd_; }
    bool isOpen() const { return fd_ >= 0; }
    void close() {
        if (fd_ >= 0) {
            ::close(std::exchange(fd_, -1));
        }
    }
    void send(std::string_view bytes) const {
        while (!bytes.empty()) {
            const ssize_t n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (n <= 0) {
                return;
            }
            bytes.remove_prefix(static_cast<std::size_t>(n));
        }
    }
    /// Until the end, an error (whose errno value goes to `error`) or `most` bytes.
    std::string receive(std::size_t most = SIZE_MAX, int* error = nullptr) const {
        std::string got;
        std::vector<char> buffer(64 * 1024);
        while (got.size() < most) {
            const ssize_t n = ::recv(fd_, buffer.data(), std::min(buffer.size(), most - got.size()), 0);
            if (n < 0 && error != nullptr) {
                *error = errno;
            }
            if (n <= 0) {
                break;
            }
            got.append(buffer.data(), static_cast<std::size_t>(n));
        }
        return got;
    }
    void finish() const { ::shutdown(fd_, SHUT_WR); }

private:
    int fd_ = -1;
};

/// A TCP connection over the loopback: the loop's non-blocking end and the test's blocking one.
struct Pair {
    NativeSocket native = kNoSocket;
    Peer peer;
};

inline int listenOnLoopback(std::uint16_t& port) {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    EXPECT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(fd, 512), 0);
    EXPECT_EQ(::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length), 0);
    port = ntohs(address.sin_port);
    return fd;
}

inline Pair makePair() {
    std::uint16_t port = 0;
    const int listener = listenOnLoopback(port);
    Pair pair;
    pair.peer = Peer::connectTo(port);
    const int accepted = ::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    EXPECT_GE(accepted, 0);
    ::close(listener);
    pair.native = static_cast<NativeSocket>(accepted);
    return pair;
}

/// Bytes whose every position can be told from its neighbours.
inline std::string pattern(std::size_t size, std::uint64_t seed = 1) {
    std::string text(size, '\0');
    std::uint64_t state = seed * 0x9e3779b97f4a7c15;
    for (char& c : text) {
        state = state * 6364136223846793005 + 1442695040888963407;
        c = static_cast<char>(state >> 56);
    }
    return text;
}

class LoopFixture : public ::testing::TestWithParam<Variant> {
protected:
    void SetUp() override {
        auto created = EventLoop::create(options());
        if (!created && GetParam().kind == BackendKind::ioUring) {
            GTEST_SKIP() << created.error().text();
        }
        ASSERT_TRUE(created) << created.error().text();
        loop_ = std::move(*created);
    }
    virtual LoopOptions options() { return LoopOptions{GetParam().kind, GetParam().seed, nullptr}; }

    /// Runs the loop until the condition holds; a test that would wait for ever fails instead.
    void runUntil(const std::function<bool()>& condition) {
        struct Guard final : Timer {
            EventLoop* loop = nullptr;
            bool expired = false;
            void onTimer() override {
                expired = true;
                loop->stop();
            }
        } guard;
        guard.loop = loop_.get();
        loop_->timers().set(guard, loop_->now() + 20'000);
        loop_->setTurnHook([&] {
            if (condition()) {
                loop_->stop();
            }
        });
        if (!condition()) {
            loop_->run();
        }
        loop_->setTurnHook({});
        ASSERT_FALSE(guard.expired) << "the condition never came true";
    }
    /// Some turns in which nothing is expected to happen.
    void turns(int count) {
        for (int i = 0; i < count; ++i) {
            bool ran = false;
            loop_->post([&] { ran = true; });
            runUntil([&] { return ran; });
        }
    }

    std::unique_ptr<EventLoop> loop_;
};

/// A socket with its operations that writes down what happens to it.
class Recorder final : public Socket, public ReceiveOp, public WriteOp, public ConnectOp {
public:
    explicit Recorder(EventLoop& loop) : loop(loop) {}

    EventLoop& loop;
    std::string received;
    int receiveEnd = -1;
    int written = -1;
    int connected = -1;
    std::uint64_t progress = 0;
    bool released = false;
    bool inCall = false; ///< a call into the loop is going on: no callback may come
    std::function<void()> onBytes = [] {};
    std::function<void()> onEnd = [] {};
    std::function<void()> onDone = [] {};
    std::function<void()> onProgress = [] {};

    Submitted write(BufferChain& chain) {
        inCall = true;
        const Submitted submitted = loop.write(*this, *this, chain);
        inCall = false;
        EXPECT_TRUE(chain.empty());
        return submitted;
    }
    void release(bool reset = false) {
        inCall = true;
        loop.release(*this, reset);
        inCall = false;
    }

    void onReceived(std::span<const char> bytes) override {
        EXPECT_FALSE(inCall || released || bytes.empty());
        received.append(bytes.data(), bytes.size());
        onBytes();
    }
    void onReceiveEnd(int error) override {
        EXPECT_FALSE(inCall || released);
        EXPECT_EQ(receiveEnd, -1);
        receiveEnd = error;
        onEnd();
    }
    void onWritten(int error) override {
        EXPECT_FALSE(inCall || released);
        written = error;
        onDone();
    }
    void onWriteProgress(std::uint64_t bytes) override {
        EXPECT_FALSE(inCall || released);
        EXPECT_GT(bytes, 0U);
        progress += bytes;
        onProgress();
    }
    void onConnected(int error) override {
        EXPECT_FALSE(inCall || released);
        connected = error;
    }

private:
    void onReleased() override {
        EXPECT_FALSE(inCall || released);
        released = true;
    }
};

} // namespace saker::loop
