// A command line typed by a person, taken apart into words.
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace saker::control {

/// Words are separated by spaces and tabs. A word that starts with ' or " reaches to the same character and
/// may hold spaces, or nothing; text right behind the closing quote belongs to the word too. Quotes inside a
/// word are plain characters, and so is the backslash (Windows paths). A quote that is never closed is a
/// usage error.
Result<std::vector<std::string>> splitWords(std::string_view line);

} // namespace saker::control
