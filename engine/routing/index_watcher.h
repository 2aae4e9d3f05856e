// Keeps a FileIndex in step with the disk while the server runs. One watcher per index, with a thread of its
// own: changes are collected for a moment and applied together, so a thousand new files cost one update per
// folder. Where the system cannot tell about a folder (no watches left, none of this kind), it is looked at
// periodically.
#pragma once

#include "routing/file_index.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace saker::routing {

/// How much a message of the watcher matters.
enum class Severity : std::uint8_t { information, warning, error };

struct WatchOptions {
    std::chrono::milliseconds batch{50};         ///< from the first change to its being applied
    std::chrono::milliseconds rescanEvery{2000}; ///< for folders without a watch; longer when that takes long
    std::uint32_t maxWatches = 0; ///< use no more than this many; 0: as many as the system gives
};

class IndexWatcher {
public:
    /// Any thread. Gets what an administrator should know, one sentence each; called on the watcher's thread,
    /// or on the one that scans.
    using Report = std::function<void(Severity, std::string)>;

    /// Hooks itself into the index: from now on every folder is watched before it is read, so that nothing
    /// which happens in between is lost. REQUIRES: made before the first scan (or scan again afterwards). The
    /// index must outlive the watcher, and no scan may run while it goes.
    IndexWatcher(FileIndex& index, WatchOptions options, Report report);
    IndexWatcher(const IndexWatcher&) = delete;
    IndexWatcher& operator=(const IndexWatcher&) = delete;
    /// Stops the thread.
    ~IndexWatcher();

    /// Starts the thread; changes since the scan are applied first. Once.
    void start();

    /// Batches applied so far.
    std::uint64_t batches() const;
    /// Complete rescans so far: the root was replaced, or the system lost events.
    std::uint64_t rescans() const;
    /// Folders (and targets of linked files) being watched, and those that could not be.
    std::size_t watched() const;
    std::size_t unwatched() const;
    /// Waits until everything that had changed on disk before the call is in the index, without the wait for
    /// a batch to fill; false after the timeout. For tests and for commands that promise an up-to-date index.
    bool settle(std::chrono::milliseconds timeout);

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace saker::routing
