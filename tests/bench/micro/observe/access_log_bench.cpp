// What a line of the access log costs the loop: formatting alone, and with the hand-over of full buffers to
// the writer.
#include "observe/access_log.h"

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <string>

namespace {

using namespace saker::observe;

AccessRecord sample() {
    AccessRecord record;
    record.unixMillis = 1700000000123;
    record.client = "203.0.113.195";
    record.host = "www.example.com";
    record.site = "example.com";
    record.port = 443;
    record.method = "GET";
    record.target = "/assets/images/2023/10/some-picture-of-a-cat.webp?v=1b2c3d4e";
    record.version = "HTTP/1.1";
    record.status = 200;
    record.bytes = 48211;
    record.durationMicros = 187;
    record.referer = "https://www.example.com/blog/2023/10/cats-and-dogs";
    record.userAgent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
                       "Chrome/119.0.0.0 Safari/537.36";
    return record;
}

void format(benchmark::State& state) {
    AccessRecord record = sample();
    AccessFormatter formatter(static_cast<AccessLogFormat>(state.range(0)));
    std::string buffer(AccessFormatter::maxSize(record), '\0');
    std::size_t bytes = 0;
    for (auto _ : state) {
        char* end = formatter.write(record, buffer.data());
        bytes += static_cast<std::size_t>(end - buffer.data());
        benchmark::ClobberMemory();
    }
    state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
}
BENCHMARK(format)
    ->ArgName("format")
    ->Arg(static_cast<int>(AccessLogFormat::combined))
    ->Arg(static_cast<int>(AccessLogFormat::vhostCombined))
    ->Arg(static_cast<int>(AccessLogFormat::json));

void record(benchmark::State& state) {
    AccessLogOptions options;
    options.file = "/dev/null";
    auto log = AccessLog::open(options);
    if (!log) {
        state.SkipWithError(log.error().text().c_str());
        return;
    }
    AccessLog::Channel channel(*log);
    AccessRecord request = sample();
    std::uint64_t n = 0;
    for (auto _ : state) {
        request.unixMillis += ++n % 100 == 0 ? 1 : 0; // a hundred thousand requests a second
        channel.record(request);
    }
    state.counters["lost"] = static_cast<double>((*log)->lostLines());
}
BENCHMARK(record)->UseRealTime();

} // namespace
