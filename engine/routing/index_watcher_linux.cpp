#include "os/inotify.h"
#include "os/wakeup.h"
#include "routing/index_observer.h"
#include "routing/index_root_watch.h"
#include "routing/index_watch_table.h"
#include "routing/index_watcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <set>
#include <thread>
#include <unordered_set>
#include <utility>

#include <poll.h>
#include <sys/inotify.h>

namespace saker::routing {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kDirectoryMask = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO |
                                         IN_CLOSE_WRITE | IN_MODIFY | IN_ATTRIB | IN_DELETE_SELF |
                                         IN_MOVE_SELF | IN_EXCL_UNLINK | IN_ONLYDIR;
constexpr std::uint32_t kFileMask = IN_CLOSE_WRITE | IN_MODIFY | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF;

/// While a batch fills, events are fetched this often: seldom enough that the system joins repeated ones,
/// often enough that its queue does not run over.
constexpr std::chrono::milliseconds kFetchEvery{10};
/// Folders without a watch may take this part of the thread's time.
constexpr int kRescanShare = 20;

std::string limitText(const char* name) {
    std::ifstream file(fmt::format("/proc/sys/fs/inotify/{}", name));
    std::string value;
    return std::getline(file, value) ? fmt::format("fs.inotify.{} is {}", name, value)
                                     : fmt::format("fs.inotify.{}", name);
}

std::string joined(std::string_view directory, std::string_view name) {
    return directory.empty() ? std::string(name) : fmt::format("{}/{}", directory, name);
}

} // namespace

struct IndexWatcher::State final : IndexObserver {
    State(FileIndex& watched, WatchOptions given, Report reportTo)
        : index(watched), options(given), report(std::move(reportTo)), root(watched.root()) {
        if (inotify.error() != 0) {
            report(
                Severity::warning,
                fmt::format(
                    "The system gives no means to watch folders ({}): {} is looked at every {} ms instead. "
                    "Raise it with: sysctl fs.inotify.max_user_instances=1024",
                    limitText("max_user_instances"), index.root(), options.rescanEvery.count()));
            saidNoWatches = true;
        }
    }

    // ---- the index tells what it reads; on the thread that scans ----

    void willRead(std::string_view directory) override { watch(directory, kDirectoryMask, false); }
    void linkedFile(std::string_view path) override { watch(path, kFileMask, true); }
    void lookAgain(std::string_view path) override {
        std::lock_guard lock(mutex);
        recheck.emplace(path);
    }
    void gone(std::string_view path) override {
        std::lock_guard lock(mutex);
        for (int descriptor : table.remove(path)) {
            inotify.remove(descriptor);
        }
        if (auto entry = unwatched.find(path); entry != unwatched.end()) {
            unwatched.erase(entry);
        }
    }

    void watch(std::string_view path, std::uint32_t mask, bool linkedFile);
    void sayNoWatches(bool ownLimit);

    // ---- the thread ----

    void run();
    void wait(Clock::time_point until, bool forEvents);
    void fetch();
    void take(const os::Inotify::Event& event);
    void apply();
    void rescanUnwatched();
    bool hasUnwatched();

    FileIndex& index;
    const WatchOptions options;
    const Report report;
    os::Inotify inotify;
    IndexRootWatch root;
    os::Wakeup wakeup;

    std::mutex mutex; // down to the blank line
    IndexWatchTable table;
    std::set<std::string, std::less<>> unwatched; // directories and linked files
    std::set<std::string, std::less<>> recheck;   // paths to refresh some time later
    bool saidNoWatches = false;

    // Of the thread only: what has changed and is not applied.
    std::unordered_set<std::string> names;  // files, and directories with all below
    std::unordered_set<std::string> levels; // directories themselves
    bool everything = false;

    std::atomic<std::uint64_t> batches{0};
    std::atomic<std::uint64_t> rescans{0};

    std::mutex settleMutex;
    std::condition_variable settled;
    std::uint64_t settleAsked = 0, settleDone = 0;

    std::atomic<bool> stopping{false};
    std::thread thread;
};

void IndexWatcher::State::watch(std::string_view path, std::uint32_t mask, bool linkedFile) {
    std::unique_lock lock(mutex);
    const bool ownLimit = options.maxWatches > 0 && table.size() >= options.maxWatches;
    const int descriptor = ownLimit ? -ENOSPC : inotify.add(joined(index.root(), path), mask);
    if (descriptor >= 0) {
        std::optional<int> unused =
            linkedFile ? table.putFile(path, descriptor) : table.put(path, descriptor);
        if (unused) {
            inotify.remove(*unused);
        }
        if (auto entry = unwatched.find(path); entry != unwatched.end()) {
            unwatched.erase(entry);
        }
        return;
    }
    if (descriptor == -ENOSPC || descriptor == -ENOMEM || inotify.error() != 0) {
        unwatched.emplace(path);
        if (!std::exchange(saidNoWatches, true)) {
            lock.unlock();
            sayNoWatches(ownLimit);
        }
    }
    // Else it is not there or must not be read, and the folder it is in tells when that changes.
}

void IndexWatcher::State::sayNoWatches(bool ownLimit) {
    const std::string which =
        ownLimit ? fmt::format("the limit of {} watches is reached", options.maxWatches)
                 : fmt::format("the system gives no more watches, {}", limitText("max_user_watches"));
    report(Severity::warning,
           fmt::format(
               "Not every folder below {} can be watched: {}. The others are looked at every {} ms or less "
               "often. "
               "{}",
               index.root(), which, options.rescanEvery.count(),
               ownLimit
                   ? "Raise or remove the limit."
                   : "Raise it with: sysctl fs.inotify.max_user_watches=1048576 (and in /etc/sysctl.d/)"));
}

void IndexWatcher::State::take(const os::Inotify::Event& event) {
    if (event.mask & IN_Q_OVERFLOW) {
        if (!std::exchange(everything, true)) {
            report(
                Severity::warning,
                fmt::format(
                    "So much changed below {} at once that the system lost track ({}); everything is being "
                    "scanned again.",
                    index.root(), limitText("max_queued_events")));
        }
        return;
    }
    std::lock_guard lock(mutex);
    if (event.mask & IN_IGNORED) {
        table.forget(event.descriptor);
        return;
    }
    const bool directoryItself = (event.mask & IN_ISDIR) && (event.mask & IN_ATTRIB);
    for (const std::string& path : table.pathsOf(event.descriptor)) {
        if (event.name.empty() && path.empty() && !directoryItself) {
            everything = true; // the root was moved or deleted
        } else {
            (directoryItself ? levels : names).insert(event.name.empty() ? path : joined(path, event.name));
        }
    }
}

void IndexWatcher::State::fetch() {
    inotify.drain([this](const os::Inotify::Event& event) { take(event); });
    everything |= root.changed();
}

void IndexWatcher::State::apply() {
    if (names.empty() && levels.empty() && !everything) {
        return;
    }
    if (everything) {
        rescans.fetch_add(1, std::memory_order_relaxed);
        if (Result<FileIndex::Progress> scanned = index.scan(); !scanned.ok()) {
            report(Severity::warning, scanned.error().text() + "; waiting for it to come back");
        }
    } else {
        index.refresh(std::vector<std::string>(names.begin(), names.end()));
        for (const std::string& directory : levels) {
            if (!names.contains(directory)) {
                (void)index.scanOneLevel(directory); // an error: it is gone, and the index knows
            }
        }
    }
    names.clear();
    levels.clear();
    everything = false;
    index.quiescence().collect();
    batches.fetch_add(1, std::memory_order_relaxed);
}

bool IndexWatcher::State::hasUnwatched() {
    std::lock_guard lock(mutex);
    return !unwatched.empty() || !recheck.empty();
}

void IndexWatcher::State::rescanUnwatched() {
    std::vector<std::string> directories;
    std::vector<std::string> paths;
    {
        std::lock_guard lock(mutex);
        directories.assign(unwatched.begin(), unwatched.end());
        paths.assign(recheck.begin(), recheck.end());
        unwatched.clear(); // what is still so comes back
        recheck.clear();
    }
    for (std::string& path : directories) {
        if (stopping.load(std::memory_order_relaxed)) {
            return;
        }
        if (!index.scanOneLevel(path).ok()) {
            paths.push_back(std::move(path)); // a linked file, or gone
        }
    }
    index.refresh(paths);
    index.quiescence().collect();
}

/// Until the time, a wake-up, or with `forEvents` an event.
void IndexWatcher::State::wait(Clock::time_point until, bool forEvents) {
    std::array<pollfd, 3> handles{pollfd{wakeup.handle(), POLLIN, 0}, pollfd{inotify.handle(), POLLIN, 0},
                                  pollfd{root.handle(), POLLIN, 0}};
    int milliseconds = -1;
    if (until != Clock::time_point::max()) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
        milliseconds = static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
    }
    ::poll(handles.data(), forEvents ? handles.size() : 1, milliseconds); // negative handles are ignored
    wakeup.clear();
}

void IndexWatcher::State::run() {
    constexpr Clock::time_point kNever = Clock::time_point::max();
    Clock::time_point applyAt = kNever;
    Clock::time_point rescanAt = kNever;
    while (!stopping.load(std::memory_order_acquire)) {
        std::uint64_t asked = 0;
        {
            std::lock_guard lock(settleMutex);
            asked = settleAsked;
        }
        const bool settling = asked != settleDone;
        fetch();
        const bool pending = !names.empty() || !levels.empty() || everything;
        if (pending && applyAt == kNever) {
            applyAt = Clock::now() + options.batch;
        }
        if (settling || Clock::now() >= applyAt) {
            apply();
            applyAt = kNever;
        }
        const bool unwatchedLeft = hasUnwatched();
        if (unwatchedLeft && (settling || Clock::now() >= rescanAt)) {
            const Clock::time_point start = Clock::now();
            rescanUnwatched();
            const Clock::time_point end = Clock::now();
            rescanAt = end + std::max<Clock::duration>(options.rescanEvery, (end - start) * kRescanShare);
        } else if (!unwatchedLeft) {
            rescanAt = kNever;
        } else if (rescanAt == kNever) {
            rescanAt = Clock::now() + options.rescanEvery;
        }
        if (settling) {
            std::lock_guard lock(settleMutex);
            settleDone = asked;
            settled.notify_all();
            continue; // events of the meantime
        }
        if (applyAt != kNever) {
            wait(std::min(applyAt, Clock::now() + kFetchEvery), false);
        } else {
            wait(rescanAt, true);
        }
    }
}

IndexWatcher::IndexWatcher(FileIndex& index, WatchOptions options, Report report)
    : state_(std::make_unique<State>(index, options, std::move(report))) {
    index.observe(state_.get());
}

IndexWatcher::~IndexWatcher() {
    state_->stopping.store(true, std::memory_order_release);
    state_->wakeup.signal();
    if (state_->thread.joinable()) {
        state_->thread.join();
    }
    state_->index.observe(nullptr);
}

void IndexWatcher::start() {
    State* state = state_.get();
    state->thread = std::thread([state] { state->run(); });
}

std::uint64_t IndexWatcher::batches() const {
    return state_->batches.load(std::memory_order_relaxed);
}

std::uint64_t IndexWatcher::rescans() const {
    return state_->rescans.load(std::memory_order_relaxed);
}

std::size_t IndexWatcher::watched() const {
    std::lock_guard lock(state_->mutex);
    return state_->table.size();
}

std::size_t IndexWatcher::unwatched() const {
    std::lock_guard lock(state_->mutex);
    return state_->unwatched.size();
}

bool IndexWatcher::settle(std::chrono::milliseconds timeout) {
    State& state = *state_;
    std::unique_lock lock(state.settleMutex);
    const std::uint64_t ticket = ++state.settleAsked;
    state.wakeup.signal();
    return state.settled.wait_for(lock, timeout, [&] { return state.settleDone >= ticket; });
}

} // namespace saker::routing
