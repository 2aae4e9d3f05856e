#include "schema/problem.h"

#include "schema/pointer.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

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
        out += readablePath(pointer) + ": ";
    }
    return out + message;
}

bool hasErrors(const Problems& problems) {
    return std::any_of(problems.begin(), problems.end(), [](const Problem& p) { return p.isError(); });
}

void sortByPlace(Problems& problems) {
    std::stable_sort(problems.begin(), problems.end(), [](const Problem& a, const Problem& b) {
        return std::tie(a.line, a.column) < std::tie(b.line, b.column);
    });
}

} // namespace saker::schema
