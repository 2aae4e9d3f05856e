// The member types of options structs that the standard library has no ready name for.
#pragma once

#include "schema/problem.h"

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace saker::schema {

/// A span of time. The configuration gives a plain number in the unit of its field, or a text such as "30s",
/// "5m".
using Duration = std::chrono::milliseconds;

/// A JSON object whose keys are data (domains, file extensions), in the order of the file. Later duplicates
/// replaced earlier ones.
template <class T>
using OrderedMap = std::vector<std::pair<std::string, T>>;

/// A value whose errors concern nobody else: they are kept here instead of failing the whole configuration.
template <class T>
struct Isolated {
    std::optional<T> value; ///< empty when there are errors
    Problems problems;      ///< only errors; warnings go to the common list

    bool operator==(const Isolated&) const = default;
};

} // namespace saker::schema
