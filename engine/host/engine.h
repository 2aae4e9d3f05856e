// The engine as the application sees it: made from a configuration, started, reloaded, stopped. One object is
// one run; a restart makes a new one. All functions are called from the application's main thread unless they
// say otherwise.
#pragma once

#include "base/result.h"
#include "control/server/engine_services.h"
#include "host/overrides.h"
#include "loop/socket_address.h"

#include <memory>
#include <string>
#include <vector>

namespace saker::host {

struct LoadedConfig;

/// One address the engine accepts connections on.
struct ListeningAddress {
    loop::SocketAddress address;
    bool tls = false;
};

/// How far the start has come; said while the file index is filled.
struct StartProgress {
    std::uint64_t files = 0;
    std::uint64_t directories = 0;
};

/// What an engine asks of its owner, the application. Outlives the engine.
class EngineOwner {
public:
    /// Now and then during Engine::start(), on the thread that called it.
    virtual void onStartProgress(const StartProgress& progress) = 0;
    /// The commands `shutdown` and `restart`: any thread; returns at once, the main thread then acts.
    virtual void requestStop(control::StopMode mode) = 0;
    virtual void requestRestart() = 0;

protected:
    ~EngineOwner() = default;
};

class Engine {
public:
    virtual ~Engine() = default;

    /// Builds everything that has no effect outside the process. The engine reads the configuration again
    /// from where `config` came from at each reload, and applies the overrides again.
    static Result<std::unique_ptr<Engine>> create(const LoadedConfig& config, const Overrides& overrides,
                                                  EngineOwner& owner);

    /// Fills the index, binds, listens, starts the loops. `cannotBind` errors name the port and its holder.
    virtual Result<void> start() = 0;
    /// Reads the configuration again and swaps to it as a transaction; on failure the old one keeps serving.
    virtual Result<control::ReloadReport> reload() = 0;
    /// Ends and returns when everything is closed. Another thread may call stop(now) meanwhile, which cuts it
    /// short.
    virtual void stop(control::StopMode mode) = 0;
    /// Opens the log files anew (after logrotate has moved them).
    virtual void reopenLogs() = 0;

    /// After start(): what it listens on, and sentences about what could not be had (a default port in use).
    virtual std::vector<ListeningAddress> listening() const = 0;
    virtual std::vector<std::string> warnings() const = 0;
    /// For the console and the control socket; valid as long as the engine.
    virtual control::EngineServices& services() = 0;
};

} // namespace saker::host
