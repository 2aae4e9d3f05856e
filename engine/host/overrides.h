// Settings given on the command line. They win over the configuration file, at start and at every reload.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace saker::host {

/// Absent: the configuration decides. Paths are as the user typed them: relative ones count from the current
/// folder.
struct Overrides {
    std::optional<std::vector<std::uint16_t>> httpPorts;  ///< HttpPorts; an empty list: none
    std::optional<std::vector<std::uint16_t>> httpsPorts; ///< HttpsPorts
    std::optional<std::string> backendDir;                ///< BackendDir
    std::optional<std::string> webDir;                    ///< WWWdir
    std::optional<std::string> certDir;                   ///< CertDir
    std::optional<std::vector<std::string>> addresses;    ///< literal IPv4 and IPv6 addresses to listen on
    std::optional<unsigned> workers;                      ///< Workers
    std::optional<std::string> logLevel;                  ///< error, warning, info or debug
};

} // namespace saker::host
