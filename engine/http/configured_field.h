// Header fields that come from the configuration, judged before any answer carries them.
#pragma once

#include "schema/types.h"

#include <string>
#include <string_view>
#include <vector>

namespace saker::http {

/// Why a field cannot be sent as it is, in a sentence; empty when it can. Names are tokens (RFC 9110,
/// section 5.6.2), values hold no control characters, and fields that frame the message are the server's own
/// business.
std::string fieldProblem(std::string_view name, std::string_view value);

/// The same for "Name: value".
std::string fieldLineProblem(std::string_view line);

/// The checks of the keys DefaultHeaders and ExtTypes, which are there for all sites and for each one.
void checkDefaultHeaders(schema::Checker& checker, const schema::OrderedMap<std::string>& headers);
void checkExtTypes(schema::Checker& checker, const schema::OrderedMap<std::vector<std::string>>& types);

} // namespace saker::http
