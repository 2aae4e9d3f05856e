// The cost of a request's way through the loop and back, with nothing on top: a batch of clients sends, the
// loop answers each with a fixed text, the clients read. Both sides' system calls are in the figure; compare
// backends.
#include "loop/event_loop.h"

#include <benchmark/benchmark.h>

#include <array>
#include <memory>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace saker::loop {
namespace {

constexpr std::string_view kRequest = "GET /hello.txt HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n";
constexpr std::string_view kAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\nHello, World";

class Session final : public Socket, public ReceiveOp, public WriteOp {
public:
    Session(EventLoop& loop, std::size_t& answered, std::size_t batch)
        : loop_(loop), answered_(answered), batch_(batch) {}

    void onReceived(std::span<const char>) override {
        chain_.appendStatic(kAnswer);
        if (loop_.write(*this, *this, chain_) != Submitted::pending) {
            onWritten(0);
        }
    }
    void onReceiveEnd(int) override {}
    void onWritten(int) override {
        if (++answered_ == batch_) {
            loop_.stop();
        }
    }
    void onWriteProgress(std::uint64_t) override {}

private:
    void onReleased() override {}

    EventLoop& loop_;
    std::size_t& answered_;
    std::size_t batch_;
    static inline BufferChain chain_;
};

void answerBatches(benchmark::State& state, BackendKind kind) {
    auto created = EventLoop::create({kind});
    if (!created) {
        state.SkipWithError(created.error().text().c_str());
        return;
    }
    EventLoop& loop = **created;
    const auto batch = static_cast<std::size_t>(state.range(0));
    std::size_t answered = 0;
    std::vector<std::unique_ptr<Session>> sessions;
    std::vector<int> clients;
    for (std::size_t i = 0; i < batch; ++i) {
        std::array<int, 2> ends{};
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) != 0) {
            state.SkipWithError("socketpair failed");
            break;
        }
        sessions.push_back(std::make_unique<Session>(loop, answered, batch));
        loop.adopt(*sessions.back(), static_cast<NativeSocket>(ends[0]));
        loop.receive(*sessions.back(), *sessions.back());
        clients.push_back(ends[1]);
    }
    std::array<char, 256> buffer{};
    for ([[maybe_unused]] auto iteration : state) {
        for (const int client : clients) {
            benchmark::DoNotOptimize(::send(client, kRequest.data(), kRequest.size(), 0));
        }
        answered = 0;
        loop.run();
        for (const int client : clients) {
            benchmark::DoNotOptimize(::recv(client, buffer.data(), buffer.size(), 0));
        }
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * batch));
    for (const auto& session : sessions) {
        loop.release(*session);
    }
    loop.setTurnHook([&] {
        if (loop.socketCount() == 0) {
            loop.stop();
        }
    });
    loop.run();
    for (const int client : clients) {
        ::close(client);
    }
}

BENCHMARK_CAPTURE(answerBatches, epoll, BackendKind::epoll)->Arg(1)->Arg(50);
BENCHMARK_CAPTURE(answerBatches, io_uring, BackendKind::ioUring)->Arg(1)->Arg(50);

} // namespace
} // namespace saker::loop
