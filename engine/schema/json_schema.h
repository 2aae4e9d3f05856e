// A description as JSON Schema (draft 2020-12), for editors and forms. What JSON Schema has no word for
// stands under "x-saker": group, when a change applies, whether it is for experts, hints for widgets.
#pragma once

#include "schema/description.h"

#include <string_view>

namespace saker::schema {

Node jsonSchema(const Description& description, std::string_view title);

} // namespace saker::schema
