#include "os/child_thread.h"

#include "base/line_reader.h"
#include "os/wakeup.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <poll.h>
#include <unistd.h>

namespace saker::os {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t kLongestLine = 8 * 1024;
/// Where the system does not tell the end of a program, it is looked at this often.
constexpr milliseconds kLookEvery{20};
constexpr milliseconds kFromTerminateToKill{1000};
/// Of one program in one turn, so that one that chatters does not keep the others waiting.
constexpr int kReadsInATurn = 16;

} // namespace

struct ChildThread::State {
    struct Child {
        Child(ChildProcess started, Callbacks given)
            : process(std::move(started)), callbacks(std::move(given)),
              lines(
                  kLongestLine, [this](std::string_view line) { callbacks.onLine(line); },
                  [this] { callbacks.onLine("(a line of more than 8 KiB was left out)"); }) {}

        /// False at the end of the output.
        bool read() {
            std::array<char, 4096> buffer;
            for (int i = 0; i < kReadsInATurn; ++i) {
                const ssize_t size =
                    ::read(static_cast<int>(process.outputHandle()), buffer.data(), buffer.size());
                if (size < 0) {
                    return errno == EAGAIN || errno == EINTR;
                }
                if (size == 0) {
                    return false;
                }
                lines.feed({buffer.data(), static_cast<std::size_t>(size)});
            }
            return true;
        }

        ChildProcess process;
        Callbacks callbacks;
        LineReader lines;
        bool speaks = true; ///< the output is open
        bool ended = false;
        bool asked = false; ///< to end
    };

    State() : thread([this] { run(); }) {}
    ~State() {
        {
            const std::lock_guard lock(mutex);
            stopping = true;
        }
        wakeup.signal();
        thread.join();
    }

    void run() {
        std::vector<pollfd> waiting;
        std::vector<ChildId> ids;
        for (;;) {
            if (!runPosted()) {
                children.clear(); // here: the system counts the end of this thread as our death
                return;
            }
            runTimers();
            waiting.assign({{wakeup.handle(), POLLIN, 0}});
            for (const auto& [handle, callback] : readers) {
                waiting.push_back({handle, POLLIN, 0});
            }
            ids.clear();
            for (const auto& [id, child] : children) {
                ids.push_back(id);
                waiting.push_back(
                    {child->speaks ? static_cast<int>(child->process.outputHandle()) : -1, POLLIN, 0});
                waiting.push_back(
                    {child->ended ? -1 : static_cast<int>(child->process.endHandle()), POLLIN, 0});
            }
            ::poll(waiting.data(), waiting.size(), timeToWait());
            if (waiting.front().revents != 0) {
                wakeup.clear();
            }
            const std::size_t firstChild = waiting.size() - 2 * ids.size();
            for (std::size_t i = 1; i < firstChild; ++i) {
                if (waiting[i].revents != 0) {
                    callReader(waiting[i].fd);
                }
            }
            for (std::size_t i = 0; i < ids.size(); ++i) {
                lookAfter(ids[i], waiting[firstChild + 2 * i].revents != 0,
                          waiting[firstChild + 2 * i + 1].revents != 0);
            }
        }
    }

    /// False when the thread is to end.
    bool runPosted() {
        std::vector<std::function<void()>> jobs;
        {
            const std::lock_guard lock(mutex);
            if (stopping) {
                return false;
            }
            jobs.swap(posted);
        }
        for (const auto& job : jobs) {
            job();
        }
        return true;
    }

    void runTimers() {
        const Clock::time_point now = Clock::now();
        while (!timers.empty() && timers.begin()->first.first <= now) {
            const std::function<void()> callback = std::move(timers.begin()->second);
            timers.erase(timers.begin());
            callback();
        }
    }

    int timeToWait() const {
        milliseconds most{-1};
        const bool looks = std::any_of(children.begin(), children.end(), [](const auto& entry) {
            return !entry.second->ended && entry.second->process.endHandle() < 0;
        });
        if (looks) {
            most = kLookEvery;
        }
        if (!timers.empty()) {
            const auto left = std::chrono::ceil<milliseconds>(timers.begin()->first.first - Clock::now());
            const milliseconds wait = std::clamp(left, milliseconds(0), milliseconds(std::chrono::hours(1)));
            most = looks ? std::min(most, wait) : wait;
        }
        return static_cast<int>(most.count());
    }

    void callReader(int handle) {
        auto found = readers.find(handle);
        if (found == readers.end()) {
            return; // forgotten meanwhile
        }
        const std::function<void()> callback = std::move(found->second);
        readers.erase(found);
        callback();
    }

    void lookAfter(ChildId id, bool hasOutput, bool hasEnded) {
        auto found = children.find(id);
        if (found == children.end()) {
            return;
        }
        Child& child = *found->second;
        if (hasOutput && child.speaks) {
            child.speaks = child.read();
        }
        if (child.ended || (!hasEnded && child.process.endHandle() >= 0)) {
            return;
        }
        const std::optional<int> code = child.process.ended();
        if (!code) {
            return;
        }
        child.ended = true;
        if (child.speaks) {
            child.speaks = child.read(); // its last words come before its end
        }
        child.lines.finish();
        const milliseconds grace = child.asked ? milliseconds(0) : child.callbacks.forLeftOvers;
        const std::function<void(int)> onEnd = child.callbacks.onEnd;
        if (grace.count() > 0) {
            child.process.askGroup(ChildRequest::finish);
            addTimer(grace, [this, id] { children.erase(id); });
        } else {
            children.erase(found);
        }
        onEnd(*code);
    }

    TimerId addTimer(milliseconds delay, std::function<void()> callback) {
        const TimerId id = ++lastId;
        timers.emplace(std::pair(Clock::now() + delay, id), std::move(callback));
        return id;
    }

    Child* living(ChildId id) const {
        auto found = children.find(id);
        return found == children.end() || found->second->ended ? nullptr : found->second.get();
    }

    std::mutex mutex;
    std::vector<std::function<void()>> posted; // guarded by mutex
    bool stopping = false;                     // guarded by mutex
    Wakeup wakeup;

    // The thread's own.
    std::uint64_t lastId = 0;
    std::map<ChildId, std::unique_ptr<Child>> children;
    std::map<std::pair<Clock::time_point, TimerId>, std::function<void()>> timers;
    std::map<int, std::function<void()>> readers;

    std::thread thread; // last: runs on all of the above
};

ChildThread::ChildThread() : state_(std::make_unique<State>()) {}

ChildThread::~ChildThread() = default;

void ChildThread::post(std::function<void()> job) {
    {
        const std::lock_guard lock(state_->mutex);
        state_->posted.push_back(std::move(job));
    }
    state_->wakeup.signal();
}

void ChildThread::call(const std::function<void()>& job) {
    std::mutex mutex;
    std::condition_variable done;
    bool isDone = false;
    post([&] {
        job();
        const std::lock_guard lock(mutex);
        isDone = true;
        done.notify_one();
    });
    std::unique_lock lock(mutex);
    done.wait(lock, [&] { return isDone; });
}

Result<ChildThread::ChildId> ChildThread::start(const ChildSetup& setup, Callbacks callbacks) {
    Result<ChildProcess> process = ChildProcess::start(setup);
    if (!process) {
        return process.error();
    }
    const ChildId id = ++state_->lastId;
    state_->children.emplace(id, std::make_unique<State::Child>(std::move(*process), std::move(callbacks)));
    return id;
}

std::uint64_t ChildThread::processOf(ChildId child) const {
    const State::Child* found = state_->living(child);
    return found != nullptr ? found->process.id() : 0;
}

void ChildThread::end(ChildId child, ChildRequest first, milliseconds grace) {
    State::Child* found = state_->living(child);
    if (found == nullptr) {
        return;
    }
    found->asked = true;
    found->process.ask(first);
    if (first != ChildRequest::terminate) {
        after(grace, [this, child] { end(child, ChildRequest::terminate, kFromTerminateToKill); });
        return;
    }
    after(grace, [this, child] {
        if (const State::Child* stubborn = state_->living(child)) {
            stubborn->process.killGroup();
        }
    });
}

ChildThread::TimerId ChildThread::after(milliseconds delay, std::function<void()> callback) {
    return state_->addTimer(delay, std::move(callback));
}

void ChildThread::cancel(TimerId timer) {
    auto found = std::find_if(state_->timers.begin(), state_->timers.end(),
                              [timer](const auto& entry) { return entry.first.second == timer; });
    if (found != state_->timers.end()) {
        state_->timers.erase(found);
    }
}

void ChildThread::whenReadable(std::intptr_t handle, std::function<void()> callback) {
    state_->readers[static_cast<int>(handle)] = std::move(callback);
}

void ChildThread::forget(std::intptr_t handle) {
    state_->readers.erase(static_cast<int>(handle));
}

} // namespace saker::os
