#include "host/engine_application.h"

#include "base/text.h"
#include "base/version.h"
#include "control/server/command_table.h"
#include "observe/log.h"
#include "os/process.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>

#include <fmt/format.h>

namespace saker::host {

namespace {

using Clock = std::chrono::steady_clock;
using control::StopMode;

constexpr auto kProgressInterval = std::chrono::seconds(1);
constexpr auto kStatusInterval = std::chrono::microseconds(std::chrono::seconds(5));

int urgency(StopMode mode) {
    switch (mode) {
    case StopMode::drain:
        return 0;
    case StopMode::graceful:
        return 1;
    case StopMode::now:
        return 2;
    }
    return 2;
}

/// A line of the log for each line of the text: a configuration can be wrong in many places.
void logError(std::string_view source, const Error& error) {
    std::string text = error.text();
    for (std::string_view part : split(text, '\n')) {
        log::error(source, "{}", trim(part));
    }
}

/// "http://127.0.0.1:8080/": what a browser on this machine opens.
std::string urlOf(const ListeningAddress& listening) {
    const loop::SocketAddress& address = listening.address;
    bool isIpv6 = address.family == loop::SocketAddress::Family::ipv6;
    std::string host = address.host();
    if (address.isAny()) {
        host = isIpv6 ? "::1" : "127.0.0.1";
    }
    if (isIpv6) {
        host = "[" + host + "]";
    }
    bool usualPort = address.port == (listening.tls ? 443 : 80);
    return fmt::format("{}://{}{}/", listening.tls ? "https" : "http", host,
                       usualPort ? std::string() : fmt::format(":{}", address.port));
}

} // namespace

EngineApplication::EngineApplication(CommandLine commandLine, ApplicationParts parts)
    : commandLine_(std::move(commandLine)), parts_(std::move(parts)) {}

EngineApplication::~EngineApplication() = default;

int EngineApplication::run() {
    for (const std::string& note : commandLine_.notes) {
        parts_.complain(note + "\n");
    }
    switch (commandLine_.action) {
    case CommandLine::Action::help:
        parts_.print(helpText());
        return 0;
    case CommandLine::Action::version:
        parts_.print(versionText());
        return 0;
    case CommandLine::Action::printSchema:
        parts_.print(parts_.schema());
        return 0;
    case CommandLine::Action::printDefaultConfig:
        parts_.print(parts_.defaultConfig());
        return 0;
    case CommandLine::Action::check: {
        auto verdict = parts_.checkConfig(commandLine_);
        if (!verdict) {
            parts_.complain(verdict.error().text() + "\n");
            return exitCode(verdict.error().kind);
        }
        parts_.print(*verdict);
        return 0;
    }
    case CommandLine::Action::run:
        break;
    }
    return serve();
}

int EngineApplication::serve() {
    auto fail = [this](const Error& error) {
        parts_.complain(fmt::format("sakerd: {}\n", error.text()));
        return exitCode(error.kind);
    };
    const auto limit = os::raiseDescriptorLimit();
    if (!limit) {
        log::warning("start", "{}", limit.error().text());
    }
    auto prepared = parts_.prepare(commandLine_, *this);
    if (!prepared) {
        return fail(prepared.error());
    }
    if (auto up = bringUp(std::move(*prepared)); !up) {
        return fail(up.error());
    }
    if (limit) { // now that the configured level holds
        log::debug("start", "{} can be open at a time{}.", counted(limit->now, "descriptor"),
                   limit->now == limit->before ? std::string()
                                               : fmt::format(" (raised from {})", limit->before));
    }
    startConsole();
    auto ended = runUntilStopped();
    closeConsole();
    if (!ended) {
        return fail(ended.error());
    }
    takeDown(stopMode_.value_or(StopMode::graceful));
    parts_.print("Saker has stopped.\n");
    return 0;
}

// ---- the engine ----

Result<void> EngineApplication::bringUp(PreparedEngine prepared) {
    current_ = std::move(prepared);
    startedAt_ = progressSaidAt_ = Clock::now();
    for (const std::string& warning : current_.warnings) {
        log::warning("configuration", "{}", warning);
    }
    if (auto started = current_.engine->start(); !started) {
        current_ = {};
        return started;
    }
    {
        std::lock_guard lock(mutex_);
        running_ = true;
    }
    for (const std::string& warning : current_.engine->warnings()) {
        log::warning("start", "{}", warning);
    }
    writePidFile();
    announce();
    offerServices(&current_.engine->services());
    parts_.notifier.ready("Serving");
    return {};
}

void EngineApplication::announce() {
    std::string text = fmt::format("Saker {}\n", kVersion);
    if (current_.configFile.empty()) {
        text += "No configuration file, using the defaults\n";
    } else {
        text += fmt::format("Configuration: {}{}\n", current_.configFile,
                            current_.configWritten ? " (there was none: written with all defaults)" : "");
    }
    double seconds = std::chrono::duration<double>(Clock::now() - startedAt_).count();
    text += fmt::format("Files indexed: {} (ready after {:.2f} s)\n",
                        current_.engine->services().countFiles({}), seconds);
    auto listening = current_.engine->listening();
    for (const ListeningAddress& one : listening) {
        text += fmt::format("Listening for {} on IP {} and port {}\n", one.tls ? "HTTPS" : "HTTP",
                            one.address.host(), one.address.port);
    }
    if (!listening.empty()) {
        text += fmt::format("Open {} in a browser on this machine.\n", urlOf(listening.front()));
    }
    parts_.print(text);
}

void EngineApplication::onStartProgress(const StartProgress& progress) {
    auto now = Clock::now();
    if (now - progressSaidAt_ < kProgressInterval) {
        return;
    }
    progressSaidAt_ = now;
    std::string text = fmt::format("Indexing: {} in {} so far", counted(progress.files, "file"),
                                   counted(progress.directories, "folder"));
    parts_.print(text + "\n");
    parts_.notifier.status(text);
}

void EngineApplication::takeDown(StopMode mode) {
    auto setStopping = [this](Engine* engine) {
        std::lock_guard lock(stoppingMutex_);
        stopping_ = engine;
    };
    setStopping(current_.engine.get());
    current_.engine->stop(mode);
    setStopping(nullptr);
    removePidFile();
    current_ = {};
}

void EngineApplication::reload() {
    parts_.notifier.reloading();
    auto report = current_.engine->reload();
    if (!report) {
        logError("reload", report.error());
        log::error("reload", "Not reloaded: the configuration from before stays in use.");
        parts_.notifier.ready("Serving; the last reload failed");
        return;
    }
    for (const std::string& warning : report->warnings) {
        log::warning("reload", "{}", warning);
    }
    for (const std::string& site : report->keptSites) {
        log::warning("reload", "Keeps its last good version: {}", site);
    }
    for (const std::string& change : report->applied) {
        log::info("reload", "Changed: {}", change);
    }
    for (const std::string& key : report->needsRestart) {
        log::warning("reload", "Takes effect with the next start: {}", key);
    }
    log::info("reload", "The configuration has been read again.");
    parts_.notifier.ready("Serving");
}

Result<void> EngineApplication::restart() {
    auto prepared = parts_.prepare(commandLine_, *this);
    if (!prepared) {
        logError("restart", prepared.error());
        log::error("restart", "Not restarted: the server goes on as it was.");
        return {};
    }
    control::EngineServices* services = &current_.engine->services();
    offerServices(nullptr);
    if (!waitForIdleConsole()) { // asked to stop meanwhile
        offerServices(services);
        return {};
    }
    parts_.notifier.reloading();
    takeDown(StopMode::graceful);
    parts_.print("Successfully shutdown. Starting now..\n");
    return bringUp(std::move(*prepared));
}

// ---- what the main thread waits for ----

Result<void> EngineApplication::runUntilStopped() {
    for (;;) {
        switch (nextRequest()) {
        case Request::stop:
            parts_.notifier.stopping();
            return {};
        case Request::reload:
            reload();
            break;
        case Request::restart:
            if (auto restarted = restart(); !restarted) {
                return restarted;
            }
            break;
        case Request::reopenLogs:
            current_.engine->reopenLogs();
            break;
        }
    }
}

EngineApplication::Request EngineApplication::nextRequest() {
    auto hasRequest = [this] { return stopMode_ || !requests_.empty(); };
    auto interval = std::min(parts_.notifier.watchdogInterval().value_or(kStatusInterval), kStatusInterval);
    std::unique_lock lock(mutex_);
    if (!parts_.notifier.isActive()) {
        changed_.wait(lock, hasRequest);
    } else {
        while (!changed_.wait_for(lock, interval, hasRequest)) {
            lock.unlock();
            tellStatus();
            lock.lock();
        }
    }
    if (stopMode_) {
        return Request::stop;
    }
    Request request = requests_.front();
    requests_.pop_front();
    return request;
}

void EngineApplication::tellStatus() {
    parts_.notifier.watchdog();
    auto stats = current_.engine->services().stats(std::chrono::milliseconds(0));
    parts_.notifier.status(fmt::format(
        "{} a second, {}", counted(static_cast<std::uint64_t>(std::llround(stats.perSecond)), "request"),
        counted(stats.connections, "connection")));
}

void EngineApplication::requestStop(StopMode mode) {
    {
        std::lock_guard lock(mutex_);
        if (!stopMode_ || urgency(mode) > urgency(*stopMode_)) {
            stopMode_ = mode;
        }
    }
    changed_.notify_all();
    if (mode == StopMode::now) {
        hurry();
    }
}

void EngineApplication::requestRestart() {
    std::lock_guard lock(mutex_);
    requests_.push_back(Request::restart);
    changed_.notify_all();
}

void EngineApplication::onSignal(os::Signal signal) {
    auto push = [this](Request request) {
        std::lock_guard lock(mutex_);
        // One that waits already covers this one; a storm of signals costs nothing.
        if (std::find(requests_.begin(), requests_.end(), request) == requests_.end()) {
            requests_.push_back(request);
        }
        changed_.notify_all();
    };
    switch (signal) {
    case os::Signal::terminate:
    case os::Signal::interrupt: {
        bool atOnce = false;
        {
            std::lock_guard lock(mutex_);
            atOnce = !running_ || stopMode_.has_value();
        }
        if (!atOnce) {
            requestStop(StopMode::graceful);
        } else if (!hurry()) {
            parts_.exitNow(0);
        }
        break;
    }
    case os::Signal::quit:
        requestStop(StopMode::drain);
        break;
    case os::Signal::hangUp:
        push(Request::reload);
        break;
    case os::Signal::user1:
        push(Request::reopenLogs);
        break;
    case os::Signal::user2:
    case os::Signal::windowChange: // comes with every change of a terminal's size
        break;
    }
}

bool EngineApplication::hurry() {
    std::lock_guard lock(stoppingMutex_);
    if (!stopping_) {
        return false;
    }
    stopping_->stop(StopMode::now);
    return true;
}

// ---- the console ----

void EngineApplication::startConsole() {
    auto device = parts_.makeConsoleDevice();
    if (!device) {
        return;
    }
    if (device->isInteractive()) {
        parts_.print("Type 'help' for the commands of this console. Ctrl+C stops the server.\n");
    }
    console_ =
        std::make_unique<Console>(std::move(device), [this](std::string_view line, control::Output& output) {
            executeLine(line, output);
        });
    console_->start();
}

void EngineApplication::closeConsole() {
    {
        std::lock_guard lock(mutex_);
        consoleClosed_ = true;
        services_ = nullptr;
    }
    changed_.notify_all();
    console_.reset();
}

void EngineApplication::executeLine(std::string_view line, control::Output& output) {
    control::EngineServices* services = nullptr;
    {
        std::unique_lock lock(mutex_);
        // During a restart, the next command waits for the new engine.
        changed_.wait(lock, [this] { return services_ != nullptr || consoleClosed_; });
        if (!services_) {
            return;
        }
        services = services_;
        consoleBusy_ = true;
    }
    control::execute(*services, line, output);
    {
        std::lock_guard lock(mutex_);
        consoleBusy_ = false;
    }
    changed_.notify_all();
}

void EngineApplication::offerServices(control::EngineServices* services) {
    {
        std::lock_guard lock(mutex_);
        services_ = services;
    }
    changed_.notify_all();
}

bool EngineApplication::waitForIdleConsole() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !consoleBusy_ || stopMode_; });
    return !consoleBusy_;
}

// ---- the file that names the process ----

void EngineApplication::writePidFile() {
    if (current_.pidFile.empty()) {
        return;
    }
    std::ofstream file(current_.pidFile, std::ios::trunc);
    file << os::processId() << '\n';
    file.flush();
    if (!file) {
        log::warning("start",
                     "{}: the process id cannot be written there. Serving goes on without that file.",
                     current_.pidFile);
    }
}

void EngineApplication::removePidFile() {
    if (!current_.pidFile.empty()) {
        std::remove(current_.pidFile.c_str());
    }
}

} // namespace saker::host
