// The functions behind the rows of command_table.cpp; nothing else calls them.
#pragma once

#include "control/server/command.h"

namespace saker::control {

using Arguments = std::span<const std::string>;

void listFiles(EngineServices& services, Arguments arguments, Output& output);
void countFiles(EngineServices& services, Arguments arguments, Output& output);
void indexFiles(EngineServices& services, Arguments arguments, Output& output);
void indexOneDirectory(EngineServices& services, Arguments arguments, Output& output);

void loadCertificates(EngineServices& services, Arguments arguments, Output& output);
void clearCertificates(EngineServices& services, Arguments arguments, Output& output);
void listCertificates(EngineServices& services, Arguments arguments, Output& output);
void showAuthority(EngineServices& services, Arguments arguments, Output& output);
void trustAuthority(EngineServices& services, Arguments arguments, Output& output);
void distrustAuthority(EngineServices& services, Arguments arguments, Output& output);

void help(EngineServices& services, Arguments arguments, Output& output);
void version(EngineServices& services, Arguments arguments, Output& output);
void stats(EngineServices& services, Arguments arguments, Output& output);
void collectGarbage(EngineServices& services, Arguments arguments, Output& output);
void reload(EngineServices& services, Arguments arguments, Output& output);
void restart(EngineServices& services, Arguments arguments, Output& output);
void shutdown(EngineServices& services, Arguments arguments, Output& output);

} // namespace saker::control
