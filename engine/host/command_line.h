// The command line of sakerd. Parsing has no effect on anything: arguments and environment in, a CommandLine
// out.
#pragma once

#include "base/result.h"
#include "host/overrides.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace saker::host {

struct CommandLine {
    enum class Action {
        run,
        help,
        version,
        printSchema,
        printDefaultConfig,
        check, ///< reads the configuration, reports what is wrong with it, does not start
    };

    Action action = Action::run;
    Overrides overrides;
    /// --config, --check=FILE or SAKER_CONFIG; empty: the usual places are searched.
    std::string configFile;
    /// One folder of static files without a configuration file (-a, -p, -d). With --config as well, that file
    /// is read.
    bool quick = false;
    bool daemon = false;
    /// Sentences for the user about arguments that have no effect.
    std::vector<std::string> notes;
};

/// The value of an environment variable, or "".
using Environment = std::function<std::string(std::string_view name)>;

/// `arguments` without the program's name. Errors are of kind `usage`.
Result<CommandLine> parseCommandLine(std::span<const std::string_view> arguments,
                                     const Environment& environment);

/// The text of --help, ending in a newline.
std::string helpText();
/// "sakerd 0.1.0".
std::string versionText();

} // namespace saker::host
