// Changes to a configuration text that leave everything else in it as it stands: comments, order, spacing.
// Each returns the new text; whoever calls reads and validates that before using it.
#pragma once

#include "base/result.h"
#include "schema/document.h"

#include <string>
#include <string_view>

namespace saker::schema {

/// Replaces the value that the pointer names; appends it to its object when it is missing there, and creates
/// missing objects on the way. In a list, an index replaces and "-" (RFC 6901) appends.
Result<std::string> setValue(const Document& document, std::string_view pointer, const Node& value);

/// Takes a member or a list entry out, with its comma. Comments stay. An error when there is no such value.
Result<std::string> removeValue(const Document& document, std::string_view pointer);

} // namespace saker::schema
