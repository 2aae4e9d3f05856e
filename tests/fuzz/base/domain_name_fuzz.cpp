// Names of hosts come from certificates and from clients: what is accepted is plain ASCII and stays what it
// is when it is read once more; what is shown to people means the same name.
#include "base/domain_name.h"

#include <cstdint>
#include <cstdlib>

namespace {

void check(bool condition) {
    if (!condition) {
        std::abort();
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (auto name = saker::domainToAscii(text)) {
        check(!name->empty() && name->size() <= 253);
        for (char c : *name) {
            check(static_cast<unsigned char>(c) > 0x20 && static_cast<unsigned char>(c) < 0x7f &&
                  !(c >= 'A' && c <= 'Z'));
        }
        check(saker::domainToAscii(*name) == name);
        check(saker::domainToAscii(saker::domainToUnicode(*name)) == name);
    }
    saker::domainToUnicode(text);
    return 0;
}
