// The name in a client's first message: any bytes, and the same bytes within a well-formed frame.
#include "tls/client_hello.h"

#include <cstddef>
#include <cstdlib>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    const std::string_view name = saker::tls::serverNameOf({data, size});
    const char* begin = reinterpret_cast<const char*>(data);
    if (!name.empty() && (name.data() < begin || name.data() + name.size() > begin + size)) {
        std::abort();
    }
    if (size == 0 || size > 60'000) {
        return 0;
    }
    auto high = [](std::size_t n) { return static_cast<unsigned char>(n >> 8); };
    auto low = [](std::size_t n) { return static_cast<unsigned char>(n); };
    std::vector<unsigned char> body{high(size + 3), low(size + 3), 0, high(size), low(size)};
    body.insert(body.end(), data, data + size);
    if (saker::tls::serverNameOf(body) != std::string_view(begin, size)) {
        std::abort();
    }
    return 0;
}
