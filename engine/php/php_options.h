// How PHP is found and run. Decoded by the host, used by PhpPools.
#pragma once

#include "schema/types.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace saker::php {

enum class PhpMode : std::uint8_t {
    automatic, ///< php-fpm, else php-cgi
    fpm,
    cgi,
    off,
};
std::span<const schema::Choice> schemaChoices(PhpMode);

struct PhpOptions {
    PhpMode mode = PhpMode::automatic;
    std::string version = "auto";  ///< "8.2", "8", or "auto": the newest
    std::vector<std::string> path; ///< programs, or folders to look in before the usual ones
    std::uint32_t children = 0;    ///< requests at once in each version; 0: by the machine
    std::uint32_t maxRequests = 500;
    schema::Duration requestTimeout = std::chrono::milliseconds(0); ///< 0: none
    std::string user;                                               ///< "": ours, or the system's for the web
    schema::OrderedMap<std::string> ini;

    void check(schema::Checker& checker) const;
    bool operator==(const PhpOptions&) const = default;
    static const schema::Description& fields();
};

/// "auto", or a number with at most two dots: what PhpVersion may say, for all sites and for one.
bool isPhpVersion(std::string_view text);

/// Whether a text may stand between quotes in php.ini and in php-fpm's files, and then means itself.
bool isIniText(std::string_view text);

} // namespace saker::php
