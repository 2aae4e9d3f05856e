// The head of a request, from bytes to a RequestHead: the first thing that every request costs.
#include "http/h1/request_parser.h"

#include <benchmark/benchmark.h>

#include <string>

namespace saker::http {
namespace {

constexpr std::string_view kTool = "GET /hello.txt HTTP/1.1\r\n"
                                   "Host: 127.0.0.1:8080\r\n"
                                   "User-Agent: curl/7.88.1\r\n"
                                   "Accept: */*\r\n\r\n";

constexpr std::string_view kLoad = "GET /hello.txt HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n";

constexpr std::string_view kBrowser =
    "GET /docs/library/asyncio-task.html?highlight=gather HTTP/1.1\r\n"
    "Host: docs.example.com\r\n"
    "Connection: keep-alive\r\n"
    "Cache-Control: max-age=0\r\n"
    "sec-ch-ua: \"Chromium\";v=\"124\", \"Not-A.Brand\";v=\"99\"\r\n"
    "sec-ch-ua-mobile: ?0\r\n"
    "sec-ch-ua-platform: \"Linux\"\r\n"
    "Upgrade-Insecure-Requests: 1\r\n"
    "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 "
    "Safari/537.36\r\n"
    "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8\r\n"
    "Sec-Fetch-Site: same-origin\r\n"
    "Sec-Fetch-Mode: navigate\r\n"
    "Sec-Fetch-User: ?1\r\n"
    "Sec-Fetch-Dest: document\r\n"
    "Referer: https://docs.example.com/docs/library/index.html\r\n"
    "Accept-Encoding: gzip, deflate, br, zstd\r\n"
    "Accept-Language: en-GB,en;q=0.9,de;q=0.8\r\n"
    "If-None-Match: \"5f3c-61a2b3c4d5e6f\"\r\n"
    "Cookie: session=0123456789abcdef0123456789abcdef; theme=dark\r\n\r\n";

void parseWhole(benchmark::State& state, std::string_view text) {
    RequestLimits limits;
    RequestParser parser(limits);
    RequestHead head;
    std::string bytes(text);
    for (auto _ : state) {
        parser.reset();
        benchmark::DoNotOptimize(parser.parse(bytes, head));
        benchmark::ClobberMemory();
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK_CAPTURE(parseWhole, load, kLoad);
BENCHMARK_CAPTURE(parseWhole, tool, kTool);
BENCHMARK_CAPTURE(parseWhole, browser, kBrowser);

void parseByteByByte(benchmark::State& state) {
    RequestLimits limits;
    RequestParser parser(limits);
    RequestHead head;
    std::string bytes(kBrowser);
    for (auto _ : state) {
        parser.reset();
        for (std::size_t size = 1; size <= bytes.size(); ++size) {
            benchmark::DoNotOptimize(parser.parse({bytes.data(), size}, head));
        }
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(bytes.size()));
}
BENCHMARK(parseByteByByte);

} // namespace
} // namespace saker::http
