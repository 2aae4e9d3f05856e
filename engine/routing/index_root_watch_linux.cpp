#include "routing/index_root_watch.h"

#include <sys/inotify.h>

namespace saker::routing {

IndexRootWatch::IndexRootWatch(std::string root) : root_(std::move(root)) {
    arm();
}

void IndexRootWatch::arm() {
    for (const auto& [descriptor, names] : nextNames_) {
        inotify_.remove(descriptor);
    }
    nextNames_.clear();
    constexpr std::uint32_t kMask =
        IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;
    std::size_t start = root_.find_first_not_of('/');
    while (start != std::string::npos) {
        std::size_t end = root_.find('/', start);
        const std::string name = root_.substr(start, end == std::string::npos ? end : end - start);
        const int descriptor = inotify_.add(root_.substr(0, start), kMask); // "/", "/srv/", ...
        if (descriptor < 0) {
            return; // not there, so nothing below it is
        }
        nextNames_[descriptor].insert(name);
        start = end == std::string::npos ? end : root_.find_first_not_of('/', end);
    }
}

bool IndexRootWatch::changed() {
    bool changed = false;
    inotify_.drain([&](const os::Inotify::Event& event) {
        if (event.mask & IN_Q_OVERFLOW) {
            changed = true;
            return;
        }
        auto watched = nextNames_.find(event.descriptor);
        changed |= watched != nextNames_.end() &&
                   (event.name.empty() || watched->second.contains(std::string(event.name)));
    });
    if (changed) {
        arm();
    }
    return changed;
}

} // namespace saker::routing
