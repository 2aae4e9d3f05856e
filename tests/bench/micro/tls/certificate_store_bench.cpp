// What a handshake pays for its certificate: a look-up among many, and an issue by the local authority.
#include "tls/certificate_store.h"

#include "support/temp_folder.h"
#include "support/test_certificates.h"

#include <benchmark/benchmark.h>

namespace {

using namespace saker;

std::int64_t now() {
    return static_cast<std::int64_t>(std::time(nullptr));
}

void findAmongThousand(benchmark::State& state) {
    static const test::TempFolder folder;
    static tls::CertificateStore& store = *[] {
        std::vector<std::string> names;
        for (int i = 0; i < 1000; ++i) {
            names.push_back("site" + std::to_string(i) + ".example.com");
        }
        const test::Issued issued = test::selfSigned({.names = names});
        folder.write("fullchain.pem", issued.pem());
        folder.write("privkey.pem", issued.keyPem());
        static tls::CertificateStore made(
            {folder.at(""), "", "host", nullptr}, [](tls::Severity, const std::string&) {},
            [] { return now() * 1'000'000'000; });
        made.load();
        return &made;
    }();
    const loop::SocketAddress local;
    for (auto _ : state) {
        benchmark::DoNotOptimize(store.find("Site500.example.com", local));
    }
}
BENCHMARK(findAmongThousand)->ThreadRange(1, 2);

void issue(benchmark::State& state) {
    const test::TempFolder folder;
    auto authority =
        tls::LocalCa::open({folder.at("ca"), "", now()}, [](tls::Severity, const std::string&) {});
    for (auto _ : state) {
        benchmark::DoNotOptimize((*authority)->issue("shop.test", now()));
    }
}
BENCHMARK(issue);

} // namespace
