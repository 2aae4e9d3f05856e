// Names that mean something else to a file system than to the one who compares them with a rule.
#pragma once

#include <string_view>

namespace saker::http {

/// A name (one segment) that Windows reads as another one, or as a device: a trailing dot or space, a colon
/// (streams,
/// "::$DATA"), CON, NUL, COM1 and so on with any extension, 8.3 short names ("LONGFI~1"), and the characters
/// < > " | ? *. Refused there, and everywhere where names are judged strictly.
bool isSuspiciousName(std::string_view name);
/// Any name of a normal path (http/url.h).
bool hasSuspiciousName(std::string_view path);

} // namespace saker::http
