// What options structs need from this library in their headers: the member types that the standard library
// has no ready name for, and forward declarations of what describes them.
#pragma once

#include "schema/problem.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace saker::schema {

class Checker;
class Description;

/// A span of time. The configuration gives a plain number in the unit of its field, or a text such as "30s",
/// "5m".
using Duration = std::chrono::milliseconds;

/// A JSON object whose keys are data (domains, file extensions), in the order of the file, each key once.
template <class T>
using OrderedMap = std::vector<std::pair<std::string, T>>;

/// A value whose errors concern nobody else: they are kept here instead of failing the whole configuration.
template <class T>
struct Isolated {
    std::optional<T> value; ///< empty when there are errors
    Problems problems;      ///< only errors; warnings go to the common list

    bool operator==(const Isolated&) const = default;
};

/// One value of an enumeration. An enum E becomes a member type of options by a function beside it, found by
/// its argument: std::span<const schema::Choice> schemaChoices(E).
struct Choice {
    std::string_view name;
    std::int64_t value;
    std::string_view help;
};

} // namespace saker::schema
