#include "http/file_name.h"

#include "base/text.h"

#include <algorithm>
#include <array>

namespace saker::http {

namespace {

bool isDevice(std::string_view name) {
    std::string_view stem = name.substr(0, name.find('.'));
    while (!stem.empty() && stem.back() == ' ') {
        stem.remove_suffix(1);
    }
    static constexpr std::array<std::string_view, 7> kDevices = {"CON",    "PRN",    "AUX",    "NUL",
                                                                 "CLOCK$", "CONIN$", "CONOUT$"};
    for (std::string_view device : kDevices) {
        if (equalsIgnoreCase(stem, device)) {
            return true;
        }
    }
    std::string_view port = stem.substr(0, 3);
    if (!equalsIgnoreCase(port, "COM") && !equalsIgnoreCase(port, "LPT")) {
        return false;
    }
    std::string_view number = stem.substr(3);
    // Windows takes the superscript digits 1 to 3 for digits, too.
    return (number.size() == 1 && isDigit(number[0])) || number == "\u00b9" || number == "\u00b2" ||
           number == "\u00b3";
}

/// "~1" at the end of a stem of up to eight characters.
bool isShortName(std::string_view name) {
    std::string_view stem = name.substr(0, name.find('.'));
    std::size_t tilde = stem.rfind('~');
    if (tilde == std::string_view::npos || stem.size() > 8 || tilde + 1 == stem.size()) {
        return false;
    }
    std::string_view number = stem.substr(tilde + 1);
    return std::all_of(number.begin(), number.end(), isDigit);
}

} // namespace

bool isSuspiciousName(std::string_view name) {
    if (name.empty()) {
        return false;
    }
    return name.back() == '.' || name.back() == ' ' ||
           name.find_first_of(":<>\"|?*") != std::string_view::npos || isDevice(name) || isShortName(name);
}

bool hasSuspiciousName(std::string_view path) {
    while (!path.empty()) {
        std::size_t slash = path.find('/');
        if (isSuspiciousName(path.substr(0, slash))) {
            return true;
        }
        path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
    }
    return false;
}

} // namespace saker::http
