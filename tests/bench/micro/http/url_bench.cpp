// Paths of requests: nearly all are clean, and then normalising is one scan without a copy.
#include "http/url.h"

#include <benchmark/benchmark.h>

namespace saker::http {
namespace {

void normalise(benchmark::State& state, std::string_view raw) {
    std::string scratch;
    std::string path(raw);
    for (auto _ : state) {
        benchmark::DoNotOptimize(path.data());
        benchmark::DoNotOptimize(normalisePath(path, scratch));
    }
}
BENCHMARK_CAPTURE(normalise, root, "/");
BENCHMARK_CAPTURE(normalise, shortClean, "/hello.txt");
BENCHMARK_CAPTURE(normalise, longClean, "/docs/library/concurrency/asyncio-task-and-coroutines.html");
BENCHMARK_CAPTURE(normalise, escaped, "/docs/a%20file%20with%20blanks.html");
BENCHMARK_CAPTURE(normalise, dots, "/docs/library/../reference/./index.html");

} // namespace
} // namespace saker::http
