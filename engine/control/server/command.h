// What a console command is: how it is called, what it is for, and the function that carries it out.
#pragma once

#include "control/server/engine_services.h"
#include "control/server/output.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace saker::control {

/// Whether a command only looks or also acts; a control connection may be allowed the former only.
enum class Effect : std::uint8_t { reads, changes };

struct Command {
    std::string_view name;      ///< lower case
    std::string_view aliases;   ///< other names, separated by spaces
    std::string_view arguments; ///< "[search]"; "" for none. [] is optional
    std::size_t maxArguments;   ///< no command demands one
    std::string_view summary;   ///< one line for the list of commands
    std::string_view
        help; ///< sentences for `help NAME`, lines broken by hand; "" where the summary says it all
    Effect effect;
    void (*run)(EngineServices& services, std::span<const std::string> arguments, Output& output);
};

} // namespace saker::control
