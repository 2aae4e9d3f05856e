#include "routing/script_handler.h"

#include <algorithm>

namespace saker::routing {

std::string Script::documentRoot() const {
    std::string folder = site->root->options.root;
    while (folder.ends_with('/')) {
        folder.pop_back();
    }
    if (!site->folder.empty()) {
        // As it is spelled on disk.
        folder += '/';
        folder += path.substr(0, std::min(path.size(), site->folder.size()));
    }
    return folder;
}

std::string Script::fileName() const {
    std::string file = site->root->options.root;
    while (file.ends_with('/')) {
        file.pop_back();
    }
    file += '/';
    file += path;
    return file;
}

std::string Script::name() const {
    std::string_view below = path.substr(std::min(path.size(), site->folder.size()));
    while (below.starts_with('/')) {
        below.remove_prefix(1);
    }
    return "/" + std::string(below);
}

} // namespace saker::routing
