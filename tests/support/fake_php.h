// Shell scripts that pass for php-fpm and php-cgi: they tell a version, and stand as servers do.
#pragma once

#include "support/temp_folder.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace saker::test {

inline std::string writeScript(const TempFolder& folder, std::string_view name, std::string_view body) {
    folder.write(name, "#!/bin/sh\n" + std::string(body));
    std::filesystem::permissions(folder.at(name), std::filesystem::perms::owner_all |
                                                      std::filesystem::perms::group_exec |
                                                      std::filesystem::perms::others_exec);
    return folder.at(name);
}

inline std::string tellsVersion(std::string_view version, std::string_view interface) {
    return "case \"$*\" in *-v) echo 'PHP " + std::string(version) + " (" + std::string(interface) +
           ") (built: today)'; exit;; esac\n";
}

inline constexpr std::string_view kSaysReady = "echo '[today] NOTICE: ready to handle connections' >&2\n";
/// Until it is asked to end.
inline constexpr std::string_view kStands = "trap 'exit 0' QUIT TERM\nwhile :; do sleep 0.01; done\n";

/// `then` runs in place of the server.
inline std::string writeFakeFpm(const TempFolder& folder, std::string_view name, std::string_view version,
                                std::string_view then = {}) {
    return writeScript(folder, name,
                       tellsVersion(version, "fpm-fcgi") + std::string(then) + std::string(kSaysReady) +
                           std::string(kStands));
}
inline std::string writeFakeCgi(const TempFolder& folder, std::string_view name, std::string_view version,
                                std::string_view then = {}) {
    return writeScript(folder, name,
                       tellsVersion(version, "cgi-fcgi") + std::string(then) + std::string(kStands));
}

} // namespace saker::test
