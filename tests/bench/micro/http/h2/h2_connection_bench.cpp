// What HTTP/2 costs between the transport and the handler: twenty requests at a time, as a client repeats
// them, answered with a page that is ready.
#include "http/h2/h2_connection.h"

#include "support/null_transport.h"

#include <benchmark/benchmark.h>

#include <string>

namespace {

using namespace saker;

class ReadyPage final : public http::Handler {
public:
    explicit ReadyPage(std::size_t size) : body_(size, 'b') {
        http::ResponseHead head;
        head.set("Server", "Saker");
        head.set("Vary", "Accept-Encoding");
        head.set("Accept-Ranges", "bytes");
        head.set("Access-Control-Allow-Origin", "*");
        head.set("Cache-Control", "max-age=86400");
        head.set("Content-Type", "text/html");
        head.set("ETag", "\"4-18ed0289b3db29b5\"");
        head.set("Last-Modified", "Tue, 01 Dec 2026 03:10:16 GMT");
        page_ = makeRef<http::PreparedResponse>(head, http::PreparedResponse::Body{body_, nullptr, {}, 0, 0});
    }
    void handle(http::Exchange& exchange) override { exchange.respond(*page_); }
    Page errorPage(int, std::string_view) override { return {}; }

private:
    std::string body_;
    Ref<http::PreparedResponse> page_;
};

void appendNumber(std::string& bytes, std::uint32_t value, int size) {
    for (int shift = 8 * (size - 1); shift >= 0; shift -= 8) {
        bytes += static_cast<char>(value >> shift);
    }
}

/// RFC 9113, section 4.1.
void appendFrame(std::string& bytes, std::uint8_t type, std::uint8_t flags, std::uint32_t stream,
                 std::string_view payload) {
    appendNumber(bytes, static_cast<std::uint32_t>(payload.size()), 3);
    bytes += static_cast<char>(type);
    bytes += static_cast<char>(flags);
    appendNumber(bytes, stream, 4);
    bytes += payload;
}

void answerRequests(benchmark::State& state) {
    constexpr std::uint32_t kAtOnce = 20;
    constexpr std::uint32_t kWindow = 0x20000000;
    loop::LoopOptions options;
    options.backend = loop::BackendKind::epoll;
    const auto loop = std::move(*loop::EventLoop::create(options));
    observe::LoopCounters counters{0};
    http::SlowClients slowClients;
    std::atomic<std::uint64_t> connections{0};
    ReadyPage page(static_cast<std::size_t>(state.range(0)));
    http::LoopContext context(*loop, counters, slowClients, connections);
    auto settings = makeRef<http::ConnectionSettings>();
    settings->handler = &page;
    context.setSettings(std::move(settings));
    test::NullTransport transport(*loop);
    transport.keeps = false;
    http::H2Connection::start(transport, context);
    auto receive = [&](const std::string& bytes) { transport.user->onData({bytes.data(), bytes.size()}); };

    std::string bytes = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    appendFrame(bytes, NGHTTP2_SETTINGS, 0, 0, std::string("\0\x04\x3f\xff\xff\xff", 6)); // open windows
    // :method GET, :scheme https, :path /, and what goes into the table (RFC 7541, section 6.2.1).
    appendFrame(bytes, NGHTTP2_HEADERS, NGHTTP2_FLAG_END_STREAM | NGHTTP2_FLAG_END_HEADERS, 1,
                "\x82\x87\x84\x41\x09localhost\x7a\x0ah2load/1.5");
    receive(bytes);
    const std::string repeated = "\x82\x87\x84\xbf\xbe";
    std::string opened;
    appendNumber(opened, kWindow, 4);
    std::uint32_t stream = 3;
    std::uint64_t sent = kWindow;
    for (auto _ : state) {
        bytes.clear();
        if (sent >= kWindow) { // the connection's window
            appendFrame(bytes, NGHTTP2_WINDOW_UPDATE, 0, 0, opened);
            sent -= kWindow;
        }
        for (std::uint32_t i = 0; i < kAtOnce; ++i, stream += 2) {
            appendFrame(bytes, NGHTTP2_HEADERS, NGHTTP2_FLAG_END_STREAM | NGHTTP2_FLAG_END_HEADERS, stream,
                        repeated);
        }
        sent += kAtOnce * static_cast<std::uint64_t>(state.range(0));
        receive(bytes);
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * kAtOnce);
    if (counters.read().requests() < static_cast<std::uint64_t>(state.iterations())) {
        state.SkipWithError("the requests were not answered");
    }
    transport.user->onClosed();
}
BENCHMARK(answerRequests)->Arg(12)->Arg(11776);

} // namespace
