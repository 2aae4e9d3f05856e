// Arguments separated by line ends: parsing never fails in another way than by an error of kind usage.
#include "base/text.h"
#include "host/command_line.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    auto arguments = saker::split(std::string_view(reinterpret_cast<const char*>(data), size), '\n');
    auto line = saker::host::parseCommandLine(arguments, [](std::string_view) { return std::string(); });
    if (!line && line.error().kind != saker::ErrorKind::usage) {
        std::abort();
    }
    return 0;
}
