// Which PHP there is on this machine: the programs that speak FastCGI (php-fpm, php-cgi) and their versions.
// Any thread that may block: each program is run once with -v.
#pragma once

#include "base/result.h"
#include "os/run_program.h"
#include "php/php_options.h"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace saker::php {

enum class PhpKind : std::uint8_t {
    fpm, ///< a master that manages children of its own
    cgi, ///< a single process that answers one request at a time
};
std::string_view kindName(PhpKind kind);

struct PhpBinary {
    std::string path;
    PhpKind kind = PhpKind::fpm;
    std::string version; ///< "8.2.36"

    /// "8.2": what a site chooses by.
    std::string series() const;
    bool operator==(const PhpBinary&) const = default;
};

struct PhpSearch {
    std::vector<std::string> first;   ///< programs or folders that come before all others
    std::vector<std::string> folders; ///< then these, in this order
    std::chrono::milliseconds patience{5000};
    std::function<Result<os::ProgramOutcome>(const std::vector<std::string>& argv)>
        run; ///< empty: runProgram()
};
/// Where the systems we know put PHP, and $PATH.
std::vector<std::string> usualPhpFolders();

/// What was found: the newest first, php-fpm before php-cgi of one version. Of one kind and series the first
/// one in the order of the search counts, so that what is named by hand comes first.
struct PhpFound {
    std::vector<PhpBinary> binaries;
    std::vector<std::string> problems; ///< sentences about programs that look like PHP and are of no use
};
PhpFound findPhp(const PhpSearch& search);

/// The program for a version ("auto", "8", "8.2", "8.2.36") in a mode other than off. Errors say what there
/// is instead and how to get it.
Result<PhpBinary> choosePhp(const std::vector<PhpBinary>& binaries, std::string_view version, PhpMode mode);

/// Whether a file's name is one of a program of that kind: "php-fpm8.2", "php-cgi", "php82-fpm.exe".
std::optional<PhpKind> kindByName(std::string_view name);
/// What -v says: nothing when it is not the version text of such a PHP.
std::optional<PhpBinary> parseVersionText(std::string_view output);
/// Compares dotted numbers: -1, 0, 1.
int compareVersions(std::string_view a, std::string_view b);

} // namespace saker::php
