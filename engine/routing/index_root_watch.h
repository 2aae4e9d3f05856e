// Notices that the root folder of an index is moved, deleted, made anew or that a symbolic link on the way to
// it is turned: watches the folders above it, each for the next name on the way.
#pragma once

#include "os/inotify.h"

#include <string>
#include <unordered_map>
#include <unordered_set>

namespace saker::routing {

class IndexRootWatch {
public:
    /// Watches from now on. The path is absolute; it need not exist.
    explicit IndexRootWatch(std::string root);

    /// To wait on; -1 when the system has no means.
    int handle() const { return inotify_.handle(); }
    /// Whether something on the way to the root has changed since the last call; watches what is there now.
    bool changed();

private:
    void arm();

    std::string root_;
    os::Inotify inotify_;
    std::unordered_map<int, std::unordered_set<std::string>> nextNames_; // by descriptor
};

} // namespace saker::routing
