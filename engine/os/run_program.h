// Runs another program to its end and collects what it says. Arguments are passed as they are: there is no
// shell. Any thread that may block.
#pragma once

#include "base/result.h"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace saker::os {

struct ProgramOutcome {
    int exitCode = 0;   ///< 128 + n: ended by signal n
    std::string output; ///< standard output and standard error together, at most 64 KiB
};

/// `argv[0]`: the program's full path. Standard input is empty. An error when it cannot be started, or when
/// it is not done in time (it is then ended).
Result<ProgramOutcome> runProgram(const std::vector<std::string>& argv, std::chrono::milliseconds limit);

/// The full path of a program in PATH or in the system's usual folders; "" when there is none.
std::string findProgram(std::string_view name);

} // namespace saker::os
