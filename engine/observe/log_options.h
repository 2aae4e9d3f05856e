// Logs, metrics and what error pages tell.
#pragma once

#include "observe/log.h"
#include "schema/types.h"

#include <cstdint>
#include <span>
#include <string>

namespace saker::log {

std::span<const schema::Choice> schemaChoices(Level);

} // namespace saker::log

namespace saker::observe {

/// `vhost_combined` is `combined` behind "site:port "; `json` is an object a line (Elastic Common Schema).
enum class AccessLogFormat : std::uint8_t { combined, vhostCombined, json };
std::span<const schema::Choice> schemaChoices(AccessLogFormat);

/// The configuration also accepts a plain string: the file.
struct AccessLogOptions {
    std::string file; ///< "": no access log; "-": standard output
    AccessLogFormat format = AccessLogFormat::combined;
    std::uint64_t rotateSize = 100 * 1024 * 1024; ///< 0: never
    std::uint32_t keep = 10;                      ///< rotated files that stay

    bool operator==(const AccessLogOptions&) const = default;
    static const schema::Description& fields();
};

struct LogOptions {
    bool logging = false; ///< the error log goes to errorLogFile too
    std::string errorLogFile = "saker-error.log";
    log::Level logLevel = log::Level::info;
    AccessLogOptions accessLog;
    bool serverMetrics = false;
    bool debugPages = false;
    bool debugPagesRemote = false;

    bool operator==(const LogOptions&) const = default;
    static const schema::Description& fields();
};

} // namespace saker::observe
