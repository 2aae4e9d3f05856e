#include "control/server/output.h"

#include "base/text.h"

#include <string>

namespace saker::control {

void reportError(const Error& error, Output& output) {
    std::string text = error.text();
    for (std::string_view part : split(text, '\n')) {
        output.error(part);
    }
}

} // namespace saker::control
