// Where a command's answer goes: the terminal of the stdin console, later a client of the control socket.
#pragma once

#include "base/error.h"

#include <string_view>

namespace saker::control {

class Output {
public:
    /// One line of the answer, without line end. It may hold any bytes (file names are not ours): the sink
    /// makes them safe for where they go. False: nobody reads any more, so that a long answer can end early.
    virtual bool line(std::string_view text) = 0;
    /// One line that says why the command could not be carried out.
    virtual void error(std::string_view text) = 0;

protected:
    ~Output() = default;
};

/// The error's text, which may have several lines (a configuration can be wrong in many places).
void reportError(const Error& error, Output& output);

} // namespace saker::control
