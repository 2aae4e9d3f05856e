// What a configuration says about the machine it is for, compared with the machine: folders that are not
// there, logs that could not be written, users and hosts that nobody knows. Values that are wrong by
// themselves are found by the options' own check() functions. Start-up, reloads and --check; changes nothing.
#pragma once

#include "host/engine_options.h"
#include "host/overrides.h"
#include "schema/problem.h"

namespace saker::host {

/// Errors are what keeps the server, or the site of their pointer, from working as it was told to; all else
/// that is odd is a warning. `options`: with the overrides applied. `standard`: the defaults; paths of both
/// absolute. A default that does not fit the machine is nobody's mistake. Problems have no lines; what was
/// said on the command line has no pointer either, and names the option instead.
schema::Problems checkSettings(const EngineOptions& options, const EngineOptions& standard,
                               const Overrides& overrides);

/// Whether the user has chosen the folder of sites, which then must be there; the default one is made.
bool isBackendDirGiven(const EngineOptions& options, const EngineOptions& standard,
                       const Overrides& overrides);

} // namespace saker::host
