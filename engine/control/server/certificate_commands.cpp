// The commands on the certificates in memory.
#include "control/server/command_functions.h"

#include <fmt/format.h>

namespace saker::control {

void loadCertificates(EngineServices& services, Arguments, Output& output) {
    auto lines = services.loadCertificates();
    if (!lines) {
        return reportError(lines.error(), output);
    }
    for (const std::string& line : *lines) {
        output.line(line);
    }
}

void clearCertificates(EngineServices& services, Arguments, Output& output) {
    std::size_t count = services.certificateNames().size();
    services.clearCertificates();
    output.line(fmt::format("Cleared {} certificates.", count));
}

void listCertificates(EngineServices& services, Arguments, Output& output) {
    auto names = services.certificateNames();
    output.line(fmt::format("There are {} certificates in cache.", names.size()));
    for (const std::string& name : names) {
        output.line(name);
    }
}

} // namespace saker::control
