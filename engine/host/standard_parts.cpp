#include "host/standard_parts.h"

#include "host/config_store.h"
#include "host/config_texts.h"
#include "os/standard_error.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

namespace saker::host {

namespace {

Result<LoadedConfig> loadConfig(const CommandLine& line) {
    ConfigStore store(line.overrides);
    if (!line.quick || !line.configFile.empty()) {
        return store.load(line.configFile);
    }
    std::error_code ignored;
    if (const std::string& folder = *line.overrides.webDir; !std::filesystem::is_directory(folder, ignored)) {
        return Error{
            ErrorKind::usage,
            fmt::format("There is no folder \"{}\" to serve. Name one with -d, such as \"sakerd -d .\" for "
                        "this one.",
                        folder),
            {}};
    }
    return store.withoutFile();
}

Result<PreparedEngine> prepare(const CommandLine& line, EngineOwner& owner) {
    auto config = loadConfig(line);
    if (!config) {
        return config.error();
    }
    auto engine = Engine::create(*config, line.overrides, owner);
    if (!engine) {
        return engine.error();
    }
    PreparedEngine prepared;
    prepared.engine = std::move(*engine);
    prepared.configFile = config->path;
    prepared.configWritten = config->written;
    prepared.pidFile = config->options.process.pidFile;
    for (const schema::Problem& warning : config->warnings) {
        prepared.warnings.push_back(warning.sentence());
    }
    return prepared;
}

} // namespace

ApplicationParts standardParts() {
    ApplicationParts parts;
    parts.prepare = prepare;
    parts.checkConfig = [](const CommandLine& line) {
        return ConfigStore(line.overrides).check(line.configFile);
    };
    parts.schema = configSchemaText;
    parts.defaultConfig = defaultConfigText;
    parts.makeConsoleDevice = makeStandardConsoleDevice;
    parts.print = writeStandardOutput;
    parts.complain = os::writeStandardError;
    parts.exitNow = [](int code) { std::_Exit(code); };
    parts.notifier = os::ServiceNotifier::fromEnvironment();
    return parts;
}

} // namespace saker::host
