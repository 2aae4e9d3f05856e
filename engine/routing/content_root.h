// A folder of files that sites are served from, with its index and its watcher. Shared by configurations: a
// reload that leaves the folder as it was goes on with the same one.
#pragma once

#include "os/file.h"
#include "routing/file_index.h"
#include "routing/index_watcher.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace saker::routing {

struct ContentRoot {
    ContentRoot(const IndexOptions& options, IndexWatcher::Report report)
        : options(options), index(options), watcher(index, WatchOptions{}, std::move(report)) {}

    const IndexOptions options;
    FileIndex index;
    IndexWatcher watcher;

    /// Opens an indexed file for reading, links contained as the options say. Worker threads.
    Result<os::File> open(std::string_view relative) const;
};

} // namespace saker::routing
