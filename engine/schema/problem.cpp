#include "schema/problem.h"

#include <fmt/format.h>

#include <algorithm>

namespace saker::schema {

std::string Problem::text() const {
    return (isError() ? "error: " : "warning: ") + sentence();
}

std::string Problem::sentence() const {
    std::string out;
    if (line > 0) {
        out += fmt::format("line {}, column {}: ", line, column);
    }
    if (!pointer.empty()) {
        out += pointer + ": ";
    }
    return out + message;
}

bool hasErrors(const Problems& problems) {
    return std::any_of(problems.begin(), problems.end(), [](const Problem& p) { return p.isError(); });
}

} // namespace saker::schema
