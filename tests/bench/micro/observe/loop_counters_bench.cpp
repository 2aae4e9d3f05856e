// What counting a request costs: base, with the latency histogram, and with a site's line as well.
#include "observe/loop_counters.h"
#include "observe/metrics.h"

#include <benchmark/benchmark.h>

namespace {

using namespace saker::observe;

constexpr unsigned kStatuses[] = {200, 200, 304, 200, 404, 200, 206, 200};

void countRequest(benchmark::State& state) {
    LoopCounters counters(0);
    counters.setDetailed(state.range(0) != 0);
    std::uint64_t n = 0;
    for (auto _ : state) {
        counters.onRequest(kStatuses[n % 8], n, n * 7919 % 65536);
        ++n;
        benchmark::ClobberMemory();
    }
}
BENCHMARK(countRequest)->ArgName("detailed")->Arg(0)->Arg(1);

void countAll(benchmark::State& state) {
    LoopCounters counters(0);
    counters.setDetailed(true);
    SiteMetrics site("example.com", 64);
    std::uint64_t n = 0;
    for (auto _ : state) {
        counters.onRequest(kStatuses[n % 8], n, n * 7919 % 65536);
        counters.onHandled(HandlerKind::staticFile);
        site.onRequest(counters, kStatuses[n % 8], 300, n, n * 7919 % 65536);
        ++n;
        benchmark::ClobberMemory();
    }
}
BENCHMARK(countAll);

void snapshot(benchmark::State& state) {
    Metrics metrics;
    metrics.setDetailed(true);
    for (int i = 0; i < 8; ++i) {
        metrics.addLoop().onRequest(200, 1, 1);
    }
    for (auto _ : state) {
        benchmark::DoNotOptimize(metrics.snapshot());
    }
}
BENCHMARK(snapshot);

void tick(benchmark::State& state) {
    Metrics metrics;
    std::uint64_t second = 0;
    for (auto _ : state) {
        metrics.tick(++second);
    }
}
BENCHMARK(tick);

} // namespace
