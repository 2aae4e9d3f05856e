#include "os/paths.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include <pwd.h>
#include <unistd.h>

namespace saker::os {

namespace {

constexpr std::string_view kName = "saker";

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

/// The specification says that a relative path in one of its variables is to be ignored.
std::string baseDirectory(const char* variable, std::string_view belowHome) {
    std::string base = environment(variable);
    if (!isAbsolute(base)) {
        const std::string home = homeDirectory();
        base = home.empty() ? "" : joinPath(home, belowHome);
    }
    return base.empty() ? base : joinPath(base, kName);
}

} // namespace

bool isAbsolute(std::string_view path) {
    return path.starts_with('/');
}

std::string absolutePath(std::string_view path) {
    std::string full(path);
    if (!isAbsolute(path)) {
        std::error_code failed; // then "." it is: the working directory has been deleted
        full = joinPath(std::filesystem::current_path(failed).string(), path);
    }
    std::string normal;
    for (std::size_t start = 0; start < full.size();) {
        const std::size_t end = std::min(full.find('/', start), full.size());
        const std::string_view name = std::string_view(full).substr(start, end - start);
        if (name == "..") {
            normal.resize(normal.empty() ? 0 : normal.rfind('/'));
        } else if (!name.empty() && name != ".") {
            normal += '/';
            normal += name;
        }
        start = end + 1;
    }
    return normal.empty() ? "/" : normal;
}

std::string parentPath(std::string_view path) {
    while (path.size() > 1 && path.ends_with('/')) {
        path.remove_suffix(1);
    }
    const std::size_t slash = path.rfind('/');
    if (slash == std::string_view::npos) {
        return ".";
    }
    path = path.substr(0, slash);
    while (path.ends_with('/')) {
        path.remove_suffix(1);
    }
    return path.empty() ? "/" : std::string(path);
}

std::string executablePath() {
    std::error_code failed; // other systems, or /proc is not mounted
    return std::filesystem::read_symlink("/proc/self/exe", failed).string();
}

std::string homeDirectory() {
    std::string home = environment("HOME");
    if (isAbsolute(home)) {
        return home;
    }
    std::vector<char> buffer(16 * 1024);
    passwd account{};
    passwd* found = nullptr;
    if (::getpwuid_r(::getuid(), &account, buffer.data(), buffer.size(), &found) == 0 && found &&
        found->pw_dir) {
        return found->pw_dir;
    }
    return {};
}

std::string userConfigDirectory() {
    return baseDirectory("XDG_CONFIG_HOME", ".config");
}
std::string userDataDirectory() {
    return baseDirectory("XDG_DATA_HOME", ".local/share");
}
std::string userStateDirectory() {
    return baseDirectory("XDG_STATE_HOME", ".local/state");
}

std::string userRuntimeDirectory() {
    const std::string base = environment("XDG_RUNTIME_DIR");
    return isAbsolute(base)
               ? joinPath(base, kName)
               : joinPath(temporaryDirectory(), std::string(kName) + "-" + std::to_string(::getuid()));
}

std::string systemConfigDirectory() {
    return "/etc/saker";
}
std::string systemDataDirectory() {
    return "/var/lib/saker";
}
std::string systemRuntimeDirectory() {
    return "/run/saker";
}

std::string temporaryDirectory() {
    const std::string given = environment("TMPDIR");
    return isAbsolute(given) ? absolutePath(given) : "/tmp";
}

} // namespace saker::os
