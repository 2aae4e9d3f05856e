// The policy judges every request: a typical path has to cost no more than 20 ns.
#include "routing/access_policy.h"

#include <benchmark/benchmark.h>

namespace saker::routing {
namespace {

AccessPolicy makePolicy(bool strictNames) {
    AccessPolicy::Options options;
    options.sources.assign(kSourceExtensions.begin(), kSourceExtensions.end());
    options.strictNames = strictNames;
    return AccessPolicy(options);
}

void judge(benchmark::State& state, std::string_view path, bool strictNames) {
    AccessPolicy policy = makePolicy(strictNames);
    for (auto _ : state) {
        benchmark::DoNotOptimize(path);
        benchmark::DoNotOptimize(policy.judge(path));
    }
}

BENCHMARK_CAPTURE(judge, tiny, "index.html", false);
BENCHMARK_CAPTURE(judge, typical, "docs/library/functools.html", false);
BENCHMARK_CAPTURE(judge, typical_strict, "docs/library/functools.html", true);
BENCHMARK_CAPTURE(judge, long_path, "assets/vendor/bootstrap/5.3.2/dist/css/bootstrap-reboot.rtl.min.css",
                  false);
BENCHMARK_CAPTURE(judge, refused, "docs/.git/config", false);

} // namespace
} // namespace saker::routing
