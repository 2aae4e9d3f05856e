#include "php/php_finder.h"

#include "base/text.h"
#include "os/child_process.h"
#include "os/paths.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <system_error>

#include <fmt/format.h>

namespace saker::php {

namespace {

namespace fs = std::filesystem;

/// The text without one occurrence of a word; false when it is not in there.
bool takeOut(std::string& text, std::string_view word) {
    const std::size_t at = text.find(word);
    if (at == std::string::npos) {
        return false;
    }
    text.erase(at, word.size());
    return true;
}

/// The folders "sbin" and "bin" below each folder of a parent: how side-by-side installations are laid out.
void addInstallations(std::vector<std::string>& folders, const std::string& parent, std::string_view below) {
    std::error_code none;
    std::vector<std::string> found;
    for (const fs::directory_entry& entry : fs::directory_iterator(parent, none)) {
        if (startsWithIgnoreCase(entry.path().filename().string(), "php")) {
            found.push_back(os::joinPath(entry.path().string(), below));
        }
    }
    std::sort(found.begin(), found.end());
    for (const std::string& folder : found) {
        folders.push_back(os::joinPath(folder, "sbin"));
        folders.push_back(os::joinPath(folder, "bin"));
    }
}

/// Programs by name in a folder, in a fixed order; the path itself when it is a program.
std::vector<std::string> programsAt(const std::string& path) {
    std::error_code none;
    std::vector<std::string> programs;
    if (fs::is_regular_file(path, none)) {
        return {path};
    }
    for (const fs::directory_entry& entry : fs::directory_iterator(path, none)) {
        if (kindByName(entry.path().filename().string()) && entry.is_regular_file(none)) {
            programs.push_back(entry.path().string());
        }
    }
    std::sort(programs.begin(), programs.end());
    return programs;
}

bool isExecutable(const std::string& path) {
    std::error_code none;
    constexpr fs::perms kAny = fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec;
    return (fs::status(path, none).permissions() & kAny) != fs::perms::none;
}

/// Looks at programs one by one and keeps what counts.
class Search {
public:
    explicit Search(const PhpSearch& settings) : settings_(settings) {}

    void look(const std::string& path, bool byHand) {
        std::error_code none;
        const std::vector<std::string> programs = programsAt(path);
        if (byHand && programs.empty()) {
            found_.problems.push_back(fmt::format(
                "PhpPath: {} is neither a program nor a folder with php-fpm or php-cgi in it", path));
        }
        for (const std::string& program : programs) {
            const std::string file = fs::canonical(program, none).string();
            if (!file.empty() && isExecutable(program) && seen_.insert(file).second) {
                ask(program);
            }
        }
    }

    PhpFound take() {
        auto& binaries = found_.binaries;
        std::stable_sort(binaries.begin(), binaries.end(), [](const PhpBinary& a, const PhpBinary& b) {
            const int order = compareVersions(a.series(), b.series());
            return order != 0 ? order > 0 : a.kind < b.kind;
        });
        binaries.erase(std::unique(binaries.begin(), binaries.end(),
                                   [](const PhpBinary& a, const PhpBinary& b) {
                                       return a.kind == b.kind && a.series() == b.series();
                                   }),
                       binaries.end());
        return std::move(found_);
    }

private:
    void ask(const std::string& program) {
        // Without php.ini: it is quicker, and a mistake in there is no reason to overlook PHP.
        const std::vector<std::string> argv{program, "-n", "-v"};
        const auto outcome = settings_.run ? settings_.run(argv) : os::runProgram(argv, settings_.patience);
        if (!outcome) {
            found_.problems.push_back(outcome.error().text());
            return;
        }
        std::optional<PhpBinary> binary = parseVersionText(outcome->output);
        if (outcome->exitCode != 0 || !binary) {
            const std::string_view line = trimLines(outcome->output);
            found_.problems.push_back(
                fmt::format("{} did not tell its version when asked with -v, but said \"{}\" ({})", program,
                            escapeControl(line.substr(0, line.find('\n'))), os::exitText(outcome->exitCode)));
            return;
        }
        binary->path = program;
        found_.binaries.push_back(std::move(*binary));
    }

    const PhpSearch& settings_;
    std::set<std::string> seen_; ///< links resolved
    PhpFound found_;
};

bool fits(PhpKind kind, PhpMode mode) {
    return mode == PhpMode::automatic || (mode == PhpMode::fpm) == (kind == PhpKind::fpm);
}

/// "8.2" is 8.2.x, "8" is 8.x.
bool isOfVersion(std::string_view version, std::string_view wanted) {
    return version.starts_with(wanted) && (version.size() == wanted.size() || version[wanted.size()] == '.');
}

} // namespace

std::string_view kindName(PhpKind kind) {
    return kind == PhpKind::fpm ? "php-fpm" : "php-cgi";
}

std::string PhpBinary::series() const {
    return version.substr(0, version.find('.', version.find('.') + 1));
}

std::optional<PhpKind> kindByName(std::string_view name) {
    std::string rest = toLowerAscii(name);
    if (!rest.starts_with("php")) {
        return std::nullopt;
    }
    const bool fpm = takeOut(rest, "fpm");
    if (!fpm && !takeOut(rest, "cgi")) {
        return std::nullopt;
    }
    for (std::string_view word : {"php", "php", "legacy", ".exe"}) { // also "php82-php-fpm"
        takeOut(rest, word);
    }
    const bool plain =
        std::all_of(rest.begin(), rest.end(), [](char c) { return isDigit(c) || c == '.' || c == '-'; });
    return plain ? std::optional(fpm ? PhpKind::fpm : PhpKind::cgi) : std::nullopt;
}

std::optional<PhpBinary> parseVersionText(std::string_view output) {
    // "PHP 8.2.36 (fpm-fcgi) (built: …)", below warnings if there are any
    for (std::string_view line : split(output, '\n')) {
        if (!line.starts_with("PHP ")) {
            continue;
        }
        line.remove_prefix(4);
        const std::string_view version =
            line.substr(0, std::min(line.size(), line.find_first_not_of("0123456789.")));
        if (std::count(version.begin(), version.end(), '.') < 1 || !isPhpVersion(version)) {
            continue;
        }
        if (line.find("(fpm-fcgi)") != std::string_view::npos) {
            return PhpBinary{{}, PhpKind::fpm, std::string(version)};
        }
        if (line.find("(cgi-fcgi)") != std::string_view::npos) {
            return PhpBinary{{}, PhpKind::cgi, std::string(version)};
        }
    }
    return std::nullopt;
}

int compareVersions(std::string_view a, std::string_view b) {
    const std::vector<std::string_view> left = split(a, '.');
    const std::vector<std::string_view> right = split(b, '.');
    for (std::size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
        const std::uint64_t x = i < left.size() ? parseDecimal(left[i]).value_or(0) : 0;
        const std::uint64_t y = i < right.size() ? parseDecimal(right[i]).value_or(0) : 0;
        if (x != y) {
            return x < y ? -1 : 1;
        }
    }
    return 0;
}

std::vector<std::string> usualPhpFolders() {
    std::vector<std::string> folders;
    const char* path = std::getenv("PATH");
    for (std::string_view folder : split(path != nullptr ? path : "", ':')) {
        if (os::isAbsolute(folder)) {
            folders.emplace_back(folder);
        }
    }
    for (const char* folder : {"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin"}) {
        folders.emplace_back(folder);
    }
    addInstallations(folders, "/opt/remi", "root/usr"); // Fedora and its kin, several versions
    addInstallations(folders, "/opt/homebrew/opt", "");
    addInstallations(folders, "/home/linuxbrew/.linuxbrew/opt", "");
    return folders;
}

PhpFound findPhp(const PhpSearch& settings) {
    Search search(settings);
    for (const std::string& path : settings.first) {
        search.look(path, true);
    }
    for (const std::string& folder : settings.folders) {
        search.look(folder, false);
    }
    return search.take();
}

Result<PhpBinary> choosePhp(const std::vector<PhpBinary>& binaries, std::string_view version, PhpMode mode) {
    const bool any = version.empty() || equalsIgnoreCase(version, "auto");
    std::string others;
    for (const PhpBinary& binary : binaries) {
        if (!fits(binary.kind, mode)) {
            continue;
        }
        if (any || isOfVersion(binary.version, version)) {
            return binary;
        }
        others += fmt::format("{}{} ({})", others.empty() ? "" : ", ", binary.version, binary.path);
    }
    const std::string_view program = mode == PhpMode::cgi ? "php-cgi" : "php-fpm";
    if (others.empty()) {
        return Error{
            ErrorKind::notFound,
            fmt::format("{} is not installed; install it (Debian, Ubuntu: sudo apt install {}), or name its "
                        "folder in PhpPath",
                        any ? "PHP" : fmt::format("PHP {}", version), program),
            {}};
    }
    return Error{
        ErrorKind::notFound,
        fmt::format("PHP {} is asked for, and there is only {}; install that version's {}, or name its "
                    "folder in PhpPath",
                    version, others, program),
        {}};
}

} // namespace saker::php
