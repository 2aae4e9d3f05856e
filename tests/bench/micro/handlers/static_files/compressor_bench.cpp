// What the levels cost and give; the figures behind effortOf(). SAKER_BENCH_FILE names a file to use instead
// of a made-up page.
#include "handlers/static_files/compressor.h"

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

namespace saker::static_files {
namespace {

const std::string& body() {
    static const std::string text = [] {
        if (const char* path = std::getenv("SAKER_BENCH_FILE")) {
            std::ifstream in(path, std::ios::binary);
            return std::string(std::istreambuf_iterator<char>(in), {});
        }
        std::mt19937 random(1);
        std::string page;
        while (page.size() < 100'000) {
            page +=
                "<li><a href=\"/item/" + std::to_string(random() % 5000) + "\">Item of the list</a></li>\n";
        }
        return page;
    }();
    return text;
}

void compressBody(benchmark::State& state) {
    auto coding = static_cast<http::Coding>(state.range(0));
    auto level = static_cast<CompressionLevel>(state.range(1));
    std::size_t size = 0;
    for (auto _ : state) {
        auto coded = compress(body(), coding, level);
        size = coded ? coded->size() : body().size();
        benchmark::DoNotOptimize(coded);
    }
    state.SetLabel(std::string(http::codingName(coding)) + " level " + std::to_string(state.range(1)));
    state.SetBytesProcessed(static_cast<std::int64_t>(body().size()) * state.iterations());
    state.counters["ratio"] = static_cast<double>(size) / static_cast<double>(body().size());
}

BENCHMARK(compressBody)
    ->ArgsProduct({{static_cast<int>(http::Coding::gzip), static_cast<int>(http::Coding::zstd),
                    static_cast<int>(http::Coding::br)},
                   {static_cast<int>(CompressionLevel::fastest), static_cast<int>(CompressionLevel::optimal),
                    static_cast<int>(CompressionLevel::smallestSize)}});

} // namespace
} // namespace saker::static_files
