// The configuration file: where it is, what it says, how it changes. Start-up and reloads, on the
// application's or a worker thread; holds no state but what it was made with. Nothing here touches the
// running engine.
#pragma once

#include "base/result.h"
#include "host/engine_options.h"
#include "host/overrides.h"
#include "schema/description.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace saker::host {

/// A configuration that can be used.
struct LoadedConfig {
    std::string path;     ///< absolute; empty: there is no file
    std::string text;     ///< as it is in the file
    std::string revision; ///< of the text; config.set names the one it was based on
    bool written = false; ///< there was no file; this one was written with the defaults
    bool quick = false;   ///< of withoutFile()
    /// With the overrides applied and all paths absolute. Sites with errors have no value, see siteErrors.
    EngineOptions options;
    /// The user chose these ports: one that cannot be had is an error. Else it is a warning while another is
    /// left.
    bool httpPortsGiven = false;
    bool httpsPortsGiven = false;
    bool backendDirGiven = false; ///< so it must be there; the default folder is made
    schema::Problems warnings;
    /// Errors that concern single sites, by pointers /Sites/<name>/…; such a site keeps its last good
    /// version.
    schema::Problems siteErrors;
};

/// The folders that are searched for a file, and written to when there is none.
struct ConfigPlaces {
    std::string workingFolder;
    std::string userFolder; ///< empty: the user has none
    std::string systemFolder;
    static ConfigPlaces ofThisMachine();
};

/// A change to the text of a configuration: sets the value, or removes it when there is none.
struct ConfigEdit {
    std::string pointer; ///< "/HttpPorts", "/Sites/example.com/Root"
    std::optional<schema::Node> value;
};

class ConfigStore {
public:
    explicit ConfigStore(Overrides overrides = {}, ConfigPlaces places = ConfigPlaces::ofThisMachine());

    /// The file that was named, else the first one found, else a new one with the defaults; where the command
    /// line says what to serve or on which ports, none is written, and the defaults hold. An error of kind
    /// `configuration` lists everything that is wrong or odd, a line each, in the order of the file.
    Result<LoadedConfig> load(const std::string& named = {}) const;
    /// Reads the same file again (or makes the same defaults again when there was none).
    Result<LoadedConfig> reload(const LoadedConfig& before) const;
    /// For one folder of static files: the defaults without a BackendDir, and the overrides.
    Result<LoadedConfig> withoutFile() const;

    /// What the text would mean in a file at that path. Nothing is written.
    Result<LoadedConfig> parse(std::string text, const std::string& path) const;
    /// The verdict on the file that load() would take, in lines for a person; an error when it cannot be
    /// used, be it for one site only. Nothing is written.
    Result<std::string> check(const std::string& named = {}) const;

    /// Changes the file, comments and order kept. Refused when the file is no longer the one of `base` or
    /// when the result would not be right. The running engine does not notice until it reloads.
    Result<LoadedConfig> save(const LoadedConfig& base, std::span<const ConfigEdit> edits) const;

private:
    std::optional<std::string> findFile() const;
    Result<LoadedConfig> loadFile(const std::string& path) const;
    Result<LoadedConfig> writeDefault() const;
    Result<LoadedConfig> defaults() const;
    LoadedConfig finish(EngineOptions options, std::string text, std::string path,
                        schema::Problems& problems) const;

    Overrides overrides_;
    ConfigPlaces places_;
};

/// The settings that differ, each with when it takes effect: what a reload can apply and what waits for a
/// restart.
std::vector<schema::Change> diff(const EngineOptions& before, const EngineOptions& after);

} // namespace saker::host
