// A transport whose peer is the test: bytes are fed in, what is written is kept as text. Writes complete at
// once, or (when `holds`) only when the test says so.
#pragma once

#include "net/transport.h"

#include <cassert>
#include <memory>
#include <string>

#include <unistd.h>

namespace saker::test {

class FakeTransport final : public net::Transport {
public:
    explicit FakeTransport(loop::EventLoop& loop)
        : loop_(loop), peer_(*loop::SocketAddress::parse("127.0.0.1", 50000)),
          local_(*loop::SocketAddress::parse("127.0.0.1", 80)) {}

    // ---- the test's side ----

    void receive(std::string_view bytes) {
        if (user_ && !isClosed) {
            // A copy of its own, gone afterwards: whoever keeps a view of lent bytes is found by the
            // sanitizer.
            auto lent = std::make_unique<char[]>(bytes.size());
            bytes.copy(lent.get(), bytes.size());
            user_->onData({lent.get(), bytes.size()});
        }
    }
    void peerCloses() { user_->onPeerClosed(); }
    /// Lets everything that is held leave.
    void drain() {
        take(held_);
        held_.clear();
        if (std::exchange(owesDrained_, false) && !isClosed) {
            user_->onDrained();
        }
    }
    /// Reports the close to the user, as a loop would in a later turn.
    void finishClose() {
        if (net::TransportUser* user = std::exchange(user_, nullptr)) {
            user->onClosed();
        }
    }

    std::string sent;
    std::size_t writes = 0;
    bool holds = false;
    bool isClosed = false;
    bool wasReset = false;
    bool wasLingering = false;
    bool isPaused = false;
    bool isWriteShut = false;

    // ---- net::Transport ----

    void start(net::TransportUser& user) override { user_ = &user; }
    void handOver(net::TransportUser& user) override { user_ = &user; }
    loop::Submitted write(BufferChain& chain) override {
        assert(!isClosed && !isWriteShut);
        ++writes;
        if (holds || !held_.empty()) {
            held_.append(std::move(chain));
            chain.clear();
            owesDrained_ = true;
            return loop::Submitted::pending;
        }
        take(chain);
        chain.clear();
        return loop::Submitted::done;
    }
    void pauseReading() override { isPaused = true; }
    void resumeReading() override { isPaused = false; }
    void shutdownWrite() override { isWriteShut = true; }
    void close(bool reset) override {
        isClosed = true;
        wasReset = reset;
    }
    void lingerAndClose() override {
        isClosed = true;
        wasLingering = true;
    }
    const loop::SocketAddress& peer() const override { return peer_; }
    const loop::SocketAddress& local() const override { return local_; }
    loop::EventLoop& loop() const override { return loop_; }
    std::uint64_t bytesWritten() const override { return sent.size(); }
    std::uint64_t bytesDelivered() const override { return sent.size(); }
    std::uint64_t bytesPending() const override { return held_.size(); }

private:
    void take(const BufferChain& chain) {
        for (std::size_t i = 0; i < chain.pieceCount(); ++i) {
            const Piece& piece = chain.piece(i);
            if (!piece.isFile()) {
                sent.append(piece.data, piece.size);
                continue;
            }
            std::string part(piece.size, '\0');
            auto n = ::pread(static_cast<int>(piece.file->native()), part.data(), part.size(),
                             static_cast<off_t>(piece.offset));
            sent.append(part.data(), n > 0 ? static_cast<std::size_t>(n) : 0);
        }
    }

    loop::EventLoop& loop_;
    loop::SocketAddress peer_, local_;
    net::TransportUser* user_ = nullptr;
    BufferChain held_;
    bool owesDrained_ = false;
};

} // namespace saker::test
