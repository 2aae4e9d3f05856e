// Every command of the console, in one table: the stdin console and the control socket carry out the same
// ones. A new command is a row in command_table.cpp and a function.
#pragma once

#include "control/server/command.h"

namespace saker::control {

/// In the order in which `help` lists them.
std::span<const Command> commands();

/// By name or alias; case ignored. Null when there is none.
const Command* findCommand(std::string_view name);

/// Takes a line apart and carries it out; everything that goes wrong is said to the output, exceptions
/// included. A line without words does nothing. Blocks as long as the command takes.
void execute(EngineServices& services, std::string_view line, Output& output);

} // namespace saker::control
