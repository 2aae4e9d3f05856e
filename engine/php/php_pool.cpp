#include "php/php_pool.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

namespace saker::php {

std::string_view stateName(PhpState state) {
    switch (state) {
    case PhpState::waiting:
        return "waiting";
    case PhpState::starting:
        return "starting";
    case PhpState::ready:
        return "ready";
    case PhpState::failed:
        return "failed";
    case PhpState::stopped:
        break;
    }
    return "stopped";
}

std::vector<std::string> phpEnvironment(const PhpPoolSettings& settings) {
    std::vector<std::string> environment;
    bool hasPath = false;
    for (const char* name : {"PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "PHPRC", "PHP_INI_SCAN_DIR"}) {
        const char* value = std::getenv(name);
        if (settings.account && std::string_view(name) == "HOME") {
            value = settings.account->home.c_str();
        }
        if (value != nullptr) {
            environment.push_back(fmt::format("{}={}", name, value));
            hasPath = hasPath || std::string_view(name) == "PATH";
        }
    }
    if (!hasPath) {
        environment.emplace_back("PATH=/usr/local/bin:/usr/bin:/bin");
    }
    return environment;
}

PhpPool::PhpPool(os::ChildThread& thread, os::LocalListener listener, PhpPoolSettings settings, PhpLog log)
    : thread_(thread), listener_(std::move(listener)), log_(std::move(log)), children_(settings.children),
      settings_(std::move(settings)) {
    status_.version = settings_.binary.version;
    status_.binary = settings_.binary.path;
    status_.kind = settings_.binary.kind;
    status_.endpoint = listener_.path();
    status_.children = settings_.children;
}

PhpStatus PhpPool::status() const {
    const std::lock_guard lock(mutex_);
    return status_;
}

void PhpPool::startWhenAsked() {
    if (programs_.empty() && !stopping_) {
        thread_.whenReadable(listener_.native(), [this] { startNow(); });
    }
}

void PhpPool::startNow() {
    if (programs_.empty() && !stopping_) {
        thread_.forget(listener_.native());
        addPrograms();
    }
}

void PhpPool::addPrograms() {
    while (programs_.size() < slots()) {
        KeptProgram::Owner owner;
        owner.setup = [this] { return setup(); };
        owner.onLine = [this](std::string_view line) { return onLine(line); };
        owner.onTrouble = [this](const std::string& what) { onTrouble(what); };
        owner.onChange = [this] { onChange(); };
        programs_.push_back(std::make_unique<KeptProgram>(thread_, manner(), std::move(owner)));
        programs_.back()->start();
    }
}

void PhpPool::change(PhpPoolSettings settings) {
    if (settings == settings_ || stopping_) {
        return;
    }
    settings_ = std::move(settings);
    children_.store(settings_.children, std::memory_order_relaxed);
    const bool started = !programs_.empty();
    while (programs_.size() > slots()) {
        retired_.push_back(std::move(programs_.back()));
        programs_.pop_back();
        retired_.back()->stop(manner().forReplaced);
    }
    for (const auto& program : programs_) {
        program->replace();
    }
    if (started) {
        addPrograms();
    }
    onChange();
}

void PhpPool::stop(std::chrono::milliseconds grace, std::function<void()> done) {
    stopping_ = true;
    if (done) {
        whenStopped_.push_back(std::move(done));
    }
    thread_.forget(listener_.native());
    for (const auto& program : programs_) {
        program->stop(grace);
    }
    for (const auto& program : retired_) {
        program->stop(grace);
    }
    onChange();
}

void PhpPool::say(log::Level level, std::string_view line) {
    if (level <= log::Level::warning) {
        complaint_ = line;
    }
    log_(level, status_.version, line);
}

void PhpPool::onTrouble(const std::string& what) {
    std::string text = fmt::format("{} {}{}{}", settings_.binary.path, what,
                                   complaint_.empty() ? "" : "; before that: ", complaint_);
    complaint_.clear();
    log_(log::Level::error, settings_.binary.version, text);
    const std::lock_guard lock(mutex_);
    status_.lastError = std::move(text);
}

PhpState PhpPool::combinedState() const {
    auto any = [this](KeptProgram::State state) {
        return std::any_of(programs_.begin(), programs_.end(),
                           [state](const auto& program) { return program->state() == state; });
    };
    if (stopping_) {
        auto stopped = [](const auto& program) { return program->state() == KeptProgram::State::stopped; };
        const bool all = std::all_of(programs_.begin(), programs_.end(), stopped) &&
                         std::all_of(retired_.begin(), retired_.end(), stopped);
        return all ? PhpState::stopped : state_.load(std::memory_order_relaxed);
    }
    if (programs_.empty()) {
        return PhpState::waiting;
    }
    return any(KeptProgram::State::ready)      ? PhpState::ready
           : any(KeptProgram::State::starting) ? PhpState::starting
                                               : PhpState::failed;
}

void PhpPool::onChange() {
    const PhpState state = combinedState();
    std::uint64_t replacements = 0;
    for (const auto& program : programs_) {
        replacements += program->replacements();
    }
    generation_.store(std::max(replacements, generation_.load(std::memory_order_relaxed)),
                      std::memory_order_relaxed);
    {
        const std::lock_guard lock(mutex_);
        status_.version = settings_.binary.version;
        status_.binary = settings_.binary.path;
        status_.children = settings_.children;
        status_.state = state;
        status_.processes.clear();
        status_.restarts = 0;
        for (const auto& program : programs_) {
            status_.restarts += program->restarts();
            if (const std::uint64_t process = program->process(); process != 0) {
                status_.processes.push_back(process);
            }
        }
    }
    state_.store(state, std::memory_order_relaxed);
    if (state == PhpState::failed || state == PhpState::stopped) {
        listener_.turnAwayWaiting(); // nobody would answer them for some time
    }
    if (state == PhpState::stopped) {
        for (const auto& done : std::exchange(whenStopped_, {})) {
            done();
        }
    }
}

} // namespace saker::php
