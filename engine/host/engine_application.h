// The life of sakerd from a parsed command line to the exit code: build the engine, start it, say what it
// does, wait for signals and commands, reload, restart, stop. A restart happens within the process:
// everything the engine consists of, ports included, is made anew.
#pragma once

#include "host/command_line.h"
#include "host/console.h"
#include "host/engine.h"
#include "os/service_notify.h"
#include "os/signals.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace saker::host {

/// An engine that is not started yet, and what its configuration says to the application.
struct PreparedEngine {
    std::unique_ptr<Engine> engine;
    std::string configFile;            ///< empty: none (quick mode)
    bool configWritten = false;        ///< there was none; this one was written
    std::string pidFile;               ///< empty: none
    std::vector<std::string> warnings; ///< sentences about the configuration
};

/// What the application is connected to; tests give their own. standard_parts.h has the real ones.
struct ApplicationParts {
    /// Loads the configuration and builds an engine from it.
    std::function<Result<PreparedEngine>(const CommandLine&, EngineOwner&)> prepare;
    /// Text for standard output; for Action::check the verdict. An error decides the exit code.
    std::function<Result<std::string>(const CommandLine&)> checkConfig;
    std::function<std::string()> schema;
    std::function<std::string()> defaultConfig;

    std::function<std::unique_ptr<ConsoleDevice>()> makeConsoleDevice;
    std::function<void(std::string_view)> print;    ///< standard output, as given
    std::function<void(std::string_view)> complain; ///< standard error, as given
    std::function<void(int exitCode)> exitNow;      ///< does not return, or the caller goes on
    os::ServiceNotifier notifier;
};

class EngineApplication final : private EngineOwner {
public:
    EngineApplication(CommandLine commandLine, ApplicationParts parts);
    ~EngineApplication();

    /// Everything; returns the exit code.
    int run();

    /// A signal has arrived; on any thread but run()'s. TERM and INT: stop within ShutdownTimeout, a second
    /// one at once. QUIT: drain, without a limit. HUP: reload. USR1: reopen logs.
    void onSignal(os::Signal signal);

private:
    enum class Request : std::uint8_t { stop, restart, reload, reopenLogs };

    void onStartProgress(const StartProgress& progress) override;
    void requestStop(control::StopMode mode) override;
    void requestRestart() override;

    int serve();
    Result<void> bringUp(PreparedEngine prepared);
    void announce();
    Result<void> runUntilStopped();
    Request nextRequest();
    void reload();
    /// An error only where the old engine is gone and no new one could be started.
    Result<void> restart();
    void takeDown(control::StopMode mode);
    bool hurry();
    void tellStatus();

    void startConsole();
    void closeConsole();
    void executeLine(std::string_view line, control::Output& output);
    void offerServices(control::EngineServices* services);
    bool waitForIdleConsole();

    void writePidFile();
    void removePidFile();

    CommandLine commandLine_;
    ApplicationParts parts_;
    PreparedEngine current_; // main thread
    std::unique_ptr<Console> console_;
    std::chrono::steady_clock::time_point startedAt_;
    std::chrono::steady_clock::time_point progressSaidAt_;

    std::mutex mutex_; // all below
    std::condition_variable changed_;
    std::deque<Request> requests_;
    bool running_ = false;                        // before that, a signal to stop just ends the process
    std::optional<control::StopMode> stopMode_;   // the most urgent that was asked for
    control::EngineServices* services_ = nullptr; // for the console; null while there is no started engine
    bool consoleBusy_ = false;
    bool consoleClosed_ = false;

    std::mutex stoppingMutex_;   // held while hurry() is in the engine, so that it is not destroyed meanwhile
    Engine* stopping_ = nullptr; // in its stop()
};

} // namespace saker::host
