#include "php/php_options.h"

#include "base/text.h"
#include "schema/type_of.h"

#include <algorithm>

#include <fmt/format.h>

namespace saker::php {

using schema::field;

namespace {

constexpr std::uint32_t kMostChildren = 4096;

/// A name that may stand in front of "=" in php.ini.
bool isIniName(std::string_view name) {
    return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
        return (lowerAscii(c) >= 'a' && lowerAscii(c) <= 'z') || isDigit(c) || c == '.' || c == '_' ||
               c == '-';
    });
}

} // namespace

bool isPhpVersion(std::string_view text) {
    if (equalsIgnoreCase(text, "auto")) {
        return true;
    }
    const std::vector<std::string_view> numbers = split(text, '.');
    return numbers.size() <= 3 && std::all_of(numbers.begin(), numbers.end(), [](std::string_view part) {
               return parseDecimal(part).has_value();
           });
}

bool isIniText(std::string_view text) {
    return std::none_of(
               text.begin(), text.end(),
               [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '"' || c == 0x7f; }) &&
           text.find("${") == std::string_view::npos && !text.ends_with('\\');
}

std::span<const schema::Choice> schemaChoices(PhpMode) {
    static constexpr schema::Choice kChoices[] = {
        {"auto", static_cast<int>(PhpMode::automatic), "php-fpm where it is installed, else php-cgi."},
        {"fpm", static_cast<int>(PhpMode::fpm),
         "php-fpm, with a master of the server's own: it starts children as they are needed."},
        {"cgi", static_cast<int>(PhpMode::cgi), "A fixed number of php-cgi processes."},
        {"off", static_cast<int>(PhpMode::off), "PHP is neither looked for nor run."},
    };
    return kChoices;
}

const schema::Description& PhpOptions::fields() {
    static const schema::Description kFields = schema::describe<PhpOptions>(
        "PHP",
        {field("PhpMode", "How PHP is run", &PhpOptions::mode)
             .withHelp(
                 "Which program answers for the file extensions that ForwardExt gives to \"auto\". The "
                 "server "
                 "starts it with the first request for PHP, starts it again when it crashes, and ends it. A "
                 "php-fpm that the system runs is left alone; ForwardExt can name its socket instead."),
         field("PhpVersion", "Version", &PhpOptions::version)
             .withHelp("The version of PHP for sites that do not name one: \"8.2\", or \"auto\" for the "
                       "newest that "
                       "is installed.")
             .withNote("\"8.2\"; auto = the newest"),
         field("PhpPath", "Where PHP is", &PhpOptions::path)
             .withHelp(
                 "Programs (php-fpm or php-cgi), or folders that hold some. They come before those in the "
                 "system's usual folders.")
             .asFolder(),
         field("PhpChildren", "Requests at once", &PhpOptions::children)
             .withHelp("How many requests each version of PHP answers at once; more wait. Each takes a "
                       "process, with "
                       "php-fpm only while there is work for it. 0 means a number that suits the machine's "
                       "processors.")
             .within(0, kMostChildren),
         field("PhpMaxRequests", "Requests of a process", &PhpOptions::maxRequests)
             .withHelp(
                 "After so many requests a PHP process is replaced by a new one, so that what an extension "
                 "leaks cannot grow. 0 means never.")
             .forExperts(),
         field("PhpRequestTimeout", "Time for a request", &PhpOptions::requestTimeout)
             .withHelp(
                 "A php-fpm process that works on one request for longer is ended, whatever the script has "
                 "set for itself. 0 means no limit but PHP's own max_execution_time.")
             .withNote("Seconds; 0 = PHP's own limit only")
             .atLeast(0)
             .forExperts(),
         field("PhpUser", "User", &PhpOptions::user)
             .withHelp(
                 "The user that PHP runs as when the server is root. Empty means the system's user for web "
                 "servers, such as www-data. A server that is not root runs PHP as the user it is itself.")
             .forExperts(),
         field("PhpIni", "Values for php.ini", &PhpOptions::ini)
             .withHelp("Values that come before those of php.ini, such as \"memory_limit\": \"512M\". "
                       "Scripts cannot "
                       "change them where php-fpm runs.")
             .keyedBy("setting")});
    return kFields;
}

void PhpOptions::check(schema::Checker& checker) const {
    if (!isPhpVersion(version)) {
        checker.error({"PhpVersion"},
                      fmt::format("expected a version such as \"8.2\", or \"auto\", found \"{}\"",
                                  escapeControl(version)));
    }
    for (const auto& [name, value] : ini) {
        if (!isIniName(name)) {
            checker.error({"PhpIni", name},
                          fmt::format("expected the name of a setting such as \"memory_limit\", "
                                      "found \"{}\"",
                                      escapeControl(name)));
        } else if (!isIniText(value)) {
            checker.error({"PhpIni", name}, "expected a text without quotes, line ends and ${");
        }
    }
}

} // namespace saker::php
