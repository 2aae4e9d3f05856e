// The server's side of TLS on a fake transport: for tests of what the transport and its context do.
#pragma once

#include "support/fake_transport.h"
#include "support/temp_folder.h"
#include "support/test_credentials.h"
#include "support/tls_client.h"
#include "tls/tls_transport.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

namespace saker::test {

/// What a protocol would see.
class TlsUser final : public net::TransportUser {
public:
    std::string received;
    std::size_t calls = 0; ///< of onData
    bool isPeerClosed = false;
    int drained = 0;
    int broken = 0;
    bool isClosed = false;
    std::function<void()> onBytes = [] {};

    void onData(std::span<const char> bytes) override {
        EXPECT_FALSE(isClosed || bytes.empty());
        received.append(bytes.data(), bytes.size());
        ++calls;
        onBytes();
    }
    void onPeerClosed() override {
        EXPECT_FALSE(isClosed || isPeerClosed);
        isPeerClosed = true;
    }
    void onDrained() override {
        EXPECT_FALSE(isClosed);
        ++drained;
    }
    void onBroken(int error) override {
        EXPECT_FALSE(isClosed || broken != 0);
        broken = error;
    }
    void onClosed() override {
        EXPECT_FALSE(isClosed);
        isClosed = true;
    }
};

/// One connection of a server: its transport below, and its user once the handshake is done.
class TlsEnd final : private tls::TlsAcceptor {
public:
    TlsEnd(loop::EventLoop& loop, tls::TlsLoop& shared) : lower(loop) {
        tls::TlsTransport::accept(shared, lower, *this);
    }
    ~TlsEnd() {
        if (transport_ != nullptr && !lower.isClosed) {
            transport_->close(true);
        }
        lower.isClosed = true;
        lower.finishClose();
    }

    FakeTransport lower;
    TlsUser user;
    bool isGone = false; ///< without a handshake
    std::function<void()> onReady = [] {};

    tls::TlsTransport& transport() { return *transport_; }
    bool isSecured() const { return transport_ != nullptr; }

    /// Carries bytes both ways until nothing moves, in pieces of that size at most.
    void exchange(TlsClient& client, std::size_t piece = SIZE_MAX) {
        client.take({});
        while (!lower.isClosed) {
            const std::string up = client.give();
            for (std::size_t at = 0; at < up.size() && !lower.isClosed;
                 at += std::min(piece, up.size() - at)) {
                lower.receive(std::string_view(up).substr(at, piece));
            }
            if (up.empty() && taken_ == lower.sent.size()) {
                break;
            }
            deliver(client, piece);
        }
        deliver(client, piece);
    }
    /// What the server has sent.
    void deliver(TlsClient& client, std::size_t piece = SIZE_MAX) {
        while (taken_ < lower.sent.size()) {
            const std::string_view part = std::string_view(lower.sent).substr(taken_, piece);
            taken_ += part.size();
            client.take(part);
        }
    }
    loop::Submitted write(std::string text) {
        BufferChain chain;
        chain.append(std::move(text));
        const loop::Submitted submitted = transport_->write(chain);
        EXPECT_TRUE(chain.empty());
        return submitted;
    }
    /// The transport below is through with closing.
    void finishClose() {
        transport_ = nullptr;
        lower.finishClose();
    }

private:
    void onSecured(tls::TlsTransport& transport) override {
        transport_ = &transport;
        transport.start(user);
        onReady();
    }
    void onUnsecured(tls::TlsTransport&) override { isGone = true; }

    tls::TlsTransport* transport_ = nullptr;
    std::size_t taken_ = 0;
};

/// A loop with a context; what a test changes in `options`, `parts` and `source` counts from renew() on.
class TlsFixture : public ::testing::Test {
protected:
    TlsFixture() {
        auto created = loop::EventLoop::create({loop::BackendKind::epoll, 1, nullptr});
        EXPECT_TRUE(created);
        loop_ = std::move(*created);
        source = std::make_shared<FixedSource>();
        static const auto kCredential = makeCredential("example.com");
        source->fallback.ecdsa = kCredential;
        parts.credentials = source;
        parts.tickets = std::make_shared<tls::SessionTickets>(std::chrono::hours(24));
        shared = std::make_unique<tls::TlsLoop>(*loop_, counters, nullptr);
        renew();
    }

    void renew() {
        auto made = tls::TlsContext::make(options, parts);
        ASSERT_TRUE(made) << made.error().text();
        shared->setContext(*made);
    }
    std::unique_ptr<TlsEnd> end() { return std::make_unique<TlsEnd>(*loop_, *shared); }
    /// A handshake from beginning to end.
    std::unique_ptr<TlsEnd> connect(TlsClient& client) {
        auto made = end();
        made->exchange(client);
        return made;
    }
    /// Some turns: timers that are due fire, posted functions run.
    void turns(int count = 3) {
        for (int i = 0; i < count; ++i) {
            loop_->post([this] { loop_->stop(); });
            loop_->run();
        }
    }
    void runUntil(const std::function<bool()>& condition) {
        for (int i = 0; i < 20'000 && !condition(); ++i) {
            struct Waker final : loop::Timer {
                loop::EventLoop* loop = nullptr;
                void onTimer() override { loop->stop(); }
            } waker;
            waker.loop = loop_.get();
            loop_->timers().set(waker, loop_->now() + 1);
            loop_->run();
        }
        ASSERT_TRUE(condition());
    }

    std::unique_ptr<loop::EventLoop> loop_;
    observe::LoopCounters counters{0};
    tls::TlsOptions options;
    std::shared_ptr<FixedSource> source;
    tls::TlsContext::Parts parts;
    std::unique_ptr<tls::TlsLoop> shared;
};

} // namespace saker::test
