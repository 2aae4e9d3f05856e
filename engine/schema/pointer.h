// JSON pointers (RFC 6901): "/Sites/example.com/Root".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace saker::schema {

/// The tokens, unescaped; nothing when it is not a pointer. "" is the whole document: no tokens.
std::optional<std::vector<std::string>> splitPointer(std::string_view pointer);

/// A pointer one step longer: the token is escaped.
std::string joinPointer(std::string_view pointer, std::string_view token);

} // namespace saker::schema
