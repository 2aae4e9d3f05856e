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

/// The same place for people: "/UrlAlias/a.test~1x" -> UrlAlias › "a.test/x", "/HttpPorts/0" -> HttpPorts[0].
/// "" for the whole document.
std::string readablePath(std::string_view pointer);

} // namespace saker::schema
