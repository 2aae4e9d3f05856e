// What an answer costs between the protocol and the socket, by its size, and a handshake (both ends of it).
#include "tls/tls_transport.h"

#include "support/null_transport.h"
#include "support/test_credentials.h"
#include "support/tls_client.h"

#include <benchmark/benchmark.h>

namespace {

using namespace saker;
using test::NullTransport;

class Server final : private tls::TlsAcceptor, private net::TransportUser {
public:
    Server() {
        auto source = std::make_shared<test::FixedSource>();
        source->fallback.ecdsa = test::makeCredential("example.com");
        tls::TlsContext::Parts parts;
        parts.credentials = source;
        parts.tickets = std::make_shared<tls::SessionTickets>(std::chrono::hours(24));
        shared.setContext(*tls::TlsContext::make(tls::TlsOptions(), std::move(parts)));
    }

    /// A handshake from beginning to end.
    void connect(NullTransport& lower, test::TlsClient& client) {
        tls::TlsTransport::accept(shared, lower, *this);
        client.take({});
        for (std::string up = client.give(); !up.empty(); up = client.give()) {
            lower.user->onData({up.data(), up.size()});
            client.take(std::exchange(lower.sent, {}));
        }
    }

    std::unique_ptr<loop::EventLoop> loop =
        std::move(*loop::EventLoop::create({loop::BackendKind::epoll, 1, nullptr}));
    observe::LoopCounters counters{0};
    tls::TlsLoop shared{*loop, counters, nullptr};
    tls::TlsTransport* transport = nullptr;

private:
    void onSecured(tls::TlsTransport& secured) override {
        transport = &secured;
        secured.start(*this);
    }
    void onUnsecured(tls::TlsTransport&) override {}
    void onData(std::span<const char>) override {}
    void onPeerClosed() override {}
    void onDrained() override {}
    void onBroken(int) override {}
    void onClosed() override {}
};

void answer(benchmark::State& state) {
    Server server;
    NullTransport lower(*server.loop);
    test::TlsClient client({});
    server.connect(lower, client);
    lower.keeps = false;
    const std::string head(300, 'h');
    const std::string body(static_cast<std::size_t>(state.range(0)), 'b');
    BufferChain chain;
    for (auto _ : state) {
        chain.append(head, {});
        chain.append(body, {});
        server.transport->write(chain);
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(head.size() + body.size()));
    lower.user->onClosed();
}
BENCHMARK(answer)->Arg(12)->Arg(11776)->Arg(16000)->Arg(200000);

void handshake(benchmark::State& state) {
    Server server;
    for (auto _ : state) {
        NullTransport lower(*server.loop);
        test::TlsClient client({state.range(0) == 2 ? TLS1_2_VERSION : TLS1_3_VERSION});
        server.connect(lower, client);
        lower.user->onClosed();
    }
}
BENCHMARK(handshake)->ArgName("TLS 1.")->Arg(2)->Arg(3);

} // namespace
