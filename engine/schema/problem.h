// What is wrong, or odd, in a text that a person wrote: where it is and what to do about it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace saker::schema {

struct Problem {
    enum class Severity : std::uint8_t { error, warning };

    Severity severity = Severity::error;
    /// JSON pointer (RFC 6901) of the value or key, "" for the whole document.
    std::string pointer;
    /// Counted from 1 in lines and bytes; 0 when the text holds no such place (a missing key, a default).
    std::uint32_t line = 0;
    std::uint32_t column = 0;
    /// A full sentence: what was found, what was expected.
    std::string message;

    bool isError() const { return severity == Severity::error; }
    /// "error: line 3, column 7: HttpPorts[0]: …".
    std::string text() const;
    /// The same without the severity, for places that show it in their own way (the log).
    std::string sentence() const;
    bool operator==(const Problem&) const = default;
};

using Problems = std::vector<Problem>;

bool hasErrors(const Problems& problems);
/// In the order of the text; those without a place in it come first.
void sortByPlace(Problems& problems);

} // namespace saker::schema
