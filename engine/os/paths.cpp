#include "os/paths.h"

namespace saker::os {

std::string joinPath(std::string_view folder, std::string_view path) {
    if (isAbsolute(path) || folder.empty()) {
        return std::string(path);
    }
    std::string joined(folder);
    if (!path.empty()) {
        if (joined.back() != '/' && joined.back() != '\\') {
            joined += '/';
        }
        joined += path;
    }
    return joined;
}

std::string pathFromConfig(std::string_view path, std::string_view configFile) {
    if (path == "~" || path.starts_with("~/")) {
        return absolutePath(joinPath(homeDirectory(), path.substr(path == "~" ? 1 : 2)));
    }
    return absolutePath(joinPath(parentPath(configFile), path));
}

} // namespace saker::os
