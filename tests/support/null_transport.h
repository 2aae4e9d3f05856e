// A transport for benchmarks: whatever is written has left at once.
#pragma once

#include "net/transport.h"

#include <string>

namespace saker::test {

/// Takes everything and forgets it, except what a handshake needs.
class NullTransport final : public net::Transport {
public:
    explicit NullTransport(loop::EventLoop& loop) : loop_(loop) {}

    std::string sent;
    bool keeps = true;
    net::TransportUser* user = nullptr;

    void start(net::TransportUser& starting) override { user = &starting; }
    void handOver(net::TransportUser& next) override { user = &next; }
    loop::Submitted write(BufferChain& chain) override {
        for (std::size_t i = 0; keeps && i < chain.pieceCount(); ++i) {
            sent.append(chain.piece(i).data, chain.piece(i).size);
        }
        chain.clear();
        return loop::Submitted::done;
    }
    void pauseReading() override {}
    void resumeReading() override {}
    void shutdownWrite() override {}
    void close(bool) override {}
    void lingerAndClose() override {}
    const loop::SocketAddress& peer() const override { return address_; }
    const loop::SocketAddress& local() const override { return address_; }
    loop::EventLoop& loop() const override { return loop_; }
    std::uint64_t bytesWritten() const override { return 0; }
    std::uint64_t bytesDelivered() const override { return 0; }
    std::uint64_t bytesPending() const override { return 0; }

private:
    loop::EventLoop& loop_;
    loop::SocketAddress address_ = *loop::SocketAddress::parse("127.0.0.1", 443);
};

} // namespace saker::test
