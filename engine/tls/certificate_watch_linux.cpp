#include "os/inotify.h"
#include "os/wakeup.h"
#include "tls/certificate_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <limits>
#include <map>
#include <thread>
#include <utility>

#include <poll.h>
#include <sys/inotify.h>

namespace saker::tls {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kMask = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_CLOSE_WRITE |
                                IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF | IN_EXCL_UNLINK | IN_ONLYDIR;
/// Folders that appear while others are being added call for another look; this many in a row, then events
/// decide.
constexpr int kMostLooks = 8;

} // namespace

struct CertificateWatch::State {
    State(Options given, Look lookAt, Report reportTo)
        : options(given), look(std::move(lookAt)), report(std::move(reportTo)) {}

    void run();
    void lookNow();
    bool watch(const std::vector<WatchedFolder>& folders);
    bool fetch();
    void wait(Clock::time_point until);
    void letThemFinish();

    const Options options;
    const Look look;
    const Report report;
    os::Inotify inotify;
    os::Wakeup wakeup;
    std::atomic<bool> stopping{false};

    // Of the thread only.
    std::map<std::string, int> descriptors;        // by folder
    std::map<int, std::vector<std::string>> names; // by descriptor: those that matter; empty: all
    bool isBlind = false;                          // a folder could not be watched
    bool saidBlind = false;
    Clock::time_point lookAt = Clock::time_point::min();

    std::thread thread;
};

/// Watches these folders and no others; true when one of them was not watched before.
bool CertificateWatch::State::watch(const std::vector<WatchedFolder>& folders) {
    bool isNew = false;
    std::map<std::string, int> now;
    names.clear();
    isBlind = false;
    for (const WatchedFolder& folder : folders) {
        const int descriptor = inotify.add(folder.path, kMask);
        if (descriptor < 0) {
            // One that is not there is seen by the folder it is missing in.
            isBlind |= descriptor == -ENOSPC || descriptor == -ENOMEM || inotify.error() != 0;
            continue;
        }
        auto before = descriptors.find(folder.path);
        isNew |= before == descriptors.end() || before->second != descriptor;
        now[folder.path] = descriptor;
        auto [entry, first] = names.try_emplace(descriptor, folder.names);
        if (!first && (entry->second.empty() || folder.names.empty())) {
            entry->second.clear(); // two paths to one folder
        } else if (!first) {
            entry->second.insert(entry->second.end(), folder.names.begin(), folder.names.end());
        }
    }
    for (const auto& [path, descriptor] : descriptors) {
        if (!names.contains(descriptor)) {
            inotify.remove(descriptor);
        }
    }
    descriptors = std::move(now);
    if (isBlind && !std::exchange(saidBlind, true)) {
        report(Severity::warning,
               fmt::format(
                   "The system gives no more means to watch folders, so certificates are looked at every {} "
                   "ms. Raise the limits with: sysctl fs.inotify.max_user_watches=1048576 "
                   "fs.inotify.max_user_instances=1024",
                   options.pollEvery.count()));
    }
    return isNew;
}

/// Whether something happened that matters.
bool CertificateWatch::State::fetch() {
    bool matters = false;
    inotify.drain([&](const os::Inotify::Event& event) {
        if (event.mask & IN_Q_OVERFLOW) {
            matters = true;
            return;
        }
        auto entry = names.find(event.descriptor);
        if (entry == names.end() || (event.mask & IN_IGNORED)) {
            return;
        }
        const std::vector<std::string>& wanted = entry->second;
        matters |= wanted.empty() || event.name.empty() ||
                   std::find(wanted.begin(), wanted.end(), event.name) != wanted.end();
    });
    return matters;
}

/// Folders are watched before they are read: what was not watched at the last look is looked at again.
void CertificateWatch::State::lookNow() {
    std::chrono::milliseconds next{0};
    for (int looks = 0; looks < kMostLooks && !stopping.load(std::memory_order_relaxed); ++looks) {
        Next found = look();
        next = found.lookAgain;
        if (!watch(found.folders)) {
            break;
        }
    }
    if (isBlind) {
        next = std::min(next, options.pollEvery);
    }
    lookAt = Clock::now() + next;
}

void CertificateWatch::State::wait(Clock::time_point until) {
    std::array<pollfd, 2> handles{pollfd{wakeup.handle(), POLLIN, 0}, pollfd{inotify.handle(), POLLIN, 0}};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    ::poll(handles.data(), handles.size(), // a negative handle is ignored
           static_cast<int>(std::clamp<std::int64_t>(left, 0, std::numeric_limits<int>::max())));
}

/// A key and its certificate are two files: the second one comes a moment after the first.
void CertificateWatch::State::letThemFinish() {
    const Clock::time_point end = Clock::now() + options.patience;
    Clock::time_point quietAt = Clock::now() + options.quiet;
    while (!stopping.load(std::memory_order_relaxed) && Clock::now() < std::min(quietAt, end)) {
        wait(std::min(quietAt, end));
        if (fetch()) {
            quietAt = Clock::now() + options.quiet;
        }
    }
}

void CertificateWatch::State::run() {
    while (!stopping.load(std::memory_order_acquire)) {
        if (Clock::now() >= lookAt) {
            lookNow();
        }
        wait(lookAt);
        pollfd woken{wakeup.handle(), POLLIN, 0};
        if (::poll(&woken, 1, 0) > 0) {
            wakeup.clear();
            lookAt = Clock::time_point::min();
        }
        if (fetch()) {
            letThemFinish();
            lookAt = Clock::time_point::min();
        }
    }
}

CertificateWatch::CertificateWatch(Options options, Look look, Report report)
    : state_(std::make_unique<State>(options, std::move(look), std::move(report))) {
    State* state = state_.get();
    state->thread = std::thread([state] { state->run(); });
}

CertificateWatch::~CertificateWatch() {
    state_->stopping.store(true, std::memory_order_release);
    state_->wakeup.signal();
    state_->thread.join();
}

void CertificateWatch::wake() {
    state_->wakeup.signal();
}

} // namespace saker::tls
