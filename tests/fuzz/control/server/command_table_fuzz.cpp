// Any bytes as a console line: splitting, look-up, suggestions and every command but those that end the
// engine's life are harmless on an engine made of numbers.
#include "control/server/command_table.h"
#include "unit/control/server/fake_services.h"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    saker::control::FakeServices services;
    saker::control::RecordingOutput output;
    saker::control::execute(services, std::string_view(reinterpret_cast<const char*>(data), size), output);
    return 0;
}
