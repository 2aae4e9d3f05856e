// Any text: never a crash; what is taken for an address survives being printed and read again.
#include "loop/socket_address.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using saker::loop::SocketAddress;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto address = SocketAddress::parse(text, 80);
    if (address) {
        const auto again = SocketAddress::parse(address->host(), 80);
        if (!again || *again != *address) {
            std::abort();
        }
    }
    return 0;
}
