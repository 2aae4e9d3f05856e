// Frames as a client might send them, after the preface: nothing may crash, and what is sent must be HTTP/2.
#include "http/h2/h2_connection.h"

#include "support/fake_transport.h"
#include "support/test_handler.h"

#include <cstddef>
#include <cstdint>

using namespace saker;

namespace {
constexpr std::string_view kPreface("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0", 33);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::unique_ptr<loop::EventLoop> loop = [] {
        loop::LoopOptions options;
        options.backend = loop::BackendKind::epoll;
        return std::move(*loop::EventLoop::create(options));
    }();
    observe::LoopCounters counters{0};
    http::SlowClients slowClients;
    std::atomic<std::uint64_t> connections{0};
    test::TestHandler handler;
    handler.bigSize = 100'000;
    http::LoopContext context{*loop, counters, slowClients, connections};
    auto settings = makeRef<http::ConnectionSettings>();
    settings->handler = &handler;
    settings->maxBody = 1000;
    context.setSettings(std::move(settings));
    test::FakeTransport transport{*loop};
    http::H2Connection::start(transport, context);
    transport.receive(kPreface);
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const std::size_t cut = size > 0 ? data[0] % size : 0;
    transport.receive(bytes.substr(0, cut));
    transport.receive(bytes.substr(cut));
    for (const Ref<http::Exchange>& exchange : handler.waiting) {
        test::TestHandler::text(*exchange, "late");
    }
    handler.waiting.clear();
    if (!transport.isClosed) {
        transport.peerCloses();
    }
    transport.finishClose();
    return connections.load() == 0 ? 0 : (__builtin_trap(), 0);
}
