#include "php/kept_program.h"

#include <algorithm>
#include <utility>

namespace saker::php {

namespace {

using std::chrono::milliseconds;

/// Who waits for a program may as well wait this long for its next start; after that it has failed.
constexpr milliseconds kShortPause{1000};
/// Who is asked to end without a grace still has this long.
constexpr milliseconds kToTerminate{1000};

std::string endText(int exitCode) {
    return "ended with " + os::exitText(exitCode);
}

} // namespace

KeptProgram::KeptProgram(os::ChildThread& thread, Manner manner, Owner owner)
    : thread_(thread), manner_(manner), owner_(std::move(owner)) {}

KeptProgram::~KeptProgram() = default;

std::uint64_t KeptProgram::process() const {
    return current_ ? thread_.processOf(current_->child) : 0;
}

void KeptProgram::start() {
    if (!current_ && pause_ == 0 && !stopping_) {
        startCurrent();
    }
}

void KeptProgram::replace() {
    if (stopping_) {
        return;
    }
    if (next_) { // has started with what is out of date by now
        leave(std::exchange(next_, nullptr), milliseconds(0));
    }
    if (!current_ || !current_->ready) { // nothing that serves would be lost
        backoff_.reset();
        if (current_) {
            leave(std::exchange(current_, nullptr), milliseconds(0));
        }
        thread_.cancel(std::exchange(pause_, 0));
        startCurrent();
        return;
    }
    next_ = launch();
    owner_.onChange();
}

void KeptProgram::stop(milliseconds grace) {
    stopping_ = true;
    thread_.cancel(std::exchange(pause_, 0));
    for (const RunPtr& run : all_) {
        leave(run, grace);
    }
    current_.reset();
    next_.reset();
    if (all_.empty()) {
        become(State::stopped);
    }
}

void KeptProgram::startCurrent() {
    current_ = launch();
    if (current_) {
        become(current_->ready ? State::ready : State::starting);
        return;
    }
    become(State::failed);
    pauseBeforeStart(backoff_.after(milliseconds(0)));
}

KeptProgram::RunPtr KeptProgram::launch() {
    Result<os::ChildSetup> setup = owner_.setup();
    if (!setup) {
        owner_.onTrouble(setup.error().text());
        return nullptr;
    }
    auto run = std::make_shared<Run>();
    run->started = std::chrono::steady_clock::now();
    os::ChildThread::Callbacks callbacks;
    callbacks.onLine = [this, run](std::string_view line) {
        if (owner_.onLine(line)) {
            becameReady(run);
        }
    };
    callbacks.onEnd = [this, run](int exitCode) { onEnd(run, exitCode); };
    callbacks.forLeftOvers = manner_.forLeftOvers;
    Result<os::ChildThread::ChildId> child = thread_.start(*setup, std::move(callbacks));
    if (!child) {
        owner_.onTrouble(child.error().text());
        return nullptr;
    }
    run->child = *child;
    all_.push_back(run);
    if (manner_.readyAfter.count() > 0) {
        thread_.after(manner_.readyAfter, [this, weak = std::weak_ptr<Run>(run)] {
            if (const RunPtr standing = weak.lock()) {
                becameReady(standing);
            }
        });
    }
    return run;
}

void KeptProgram::becameReady(const RunPtr& run) {
    if (run->ready || run->leaving || thread_.processOf(run->child) == 0) {
        return;
    }
    run->ready = true;
    if (run == next_) {
        if (current_) {
            leave(current_, manner_.forReplaced);
        }
        current_ = std::exchange(next_, nullptr);
        ++replacements_;
    }
    become(State::ready);
}

void KeptProgram::onEnd(const RunPtr& run, int exitCode) {
    all_.erase(std::remove(all_.begin(), all_.end(), run), all_.end());
    if (stopping_) {
        if (all_.empty()) {
            become(State::stopped);
        }
        return;
    }
    if (run->leaving) {
        owner_.onChange();
        return;
    }
    const auto lived =
        std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - run->started);
    const bool recycled = exitCode == 0 && manner_.recyclesAfter.count() > 0;
    if (run == next_) {
        next_.reset();
        if (!recycled) { // the one before it stays
            owner_.onTrouble(endText(exitCode));
            owner_.onChange();
            return;
        }
        leave(current_, manner_.forReplaced); // it has served, and so has taken over
        ++replacements_;
    } else if (next_) {
        owner_.onTrouble(endText(exitCode));
        current_ = std::exchange(next_, nullptr);
        become(State::starting);
        return;
    }
    current_.reset();
    if (recycled && lived >= manner_.recyclesAfter) {
        backoff_.reset();
        startCurrent();
        return;
    }
    const milliseconds pause = backoff_.after(lived);
    const bool soon = pause <= kShortPause;
    if (!recycled) {
        ++restarts_;
    }
    if (!recycled || !soon) {
        owner_.onTrouble(endText(exitCode));
    }
    become(soon && (run->ready || recycled) ? State::starting : State::failed);
    pauseBeforeStart(pause);
}

void KeptProgram::pauseBeforeStart(milliseconds delay) {
    pause_ = thread_.after(delay, [this] {
        pause_ = 0;
        startCurrent();
    });
}

void KeptProgram::leave(const RunPtr& run, milliseconds grace) {
    run->leaving = true;
    if (grace.count() > 0) {
        thread_.end(run->child, manner_.finish, grace);
    } else {
        thread_.end(run->child, os::ChildRequest::terminate, kToTerminate);
    }
}

void KeptProgram::become(State state) {
    state_ = state;
    owner_.onChange();
}

} // namespace saker::php
