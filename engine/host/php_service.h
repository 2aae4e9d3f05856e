// PHP as the engine has it: looked for beside the start, so that a site of plain files need not wait for it,
// and given to the loops by version. Nothing is looked for while no entry of ForwardExt says "auto".
#pragma once

#include "host/engine_options.h"
#include "php/php_pools.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace saker::host {

class PhpService {
public:
    PhpService() = default;
    ~PhpService();
    PhpService(const PhpService&) = delete;
    PhpService& operator=(const PhpService&) = delete;

    /// Before the process becomes `user` ("": it stays who it is): makes the folder in which PHP's sockets
    /// will be.
    Result<void> prepare(const std::string& user);
    /// Once the process is who it stays. Returns at once.
    void start(const EngineOptions& options);
    /// Waits until it is known what PHP there is: for a start that has pages of PHP to serve.
    void wait() { finishLooking(); }
    /// For a reload, before the loops get the new configuration: may take some tenths of a second. Returns
    /// sentences about what is odd.
    std::vector<std::string> configure(const EngineOptions& options);
    /// Once the loops have the new configuration.
    void settle();
    /// Waits for PHP's end, `grace` long for requests under way.
    void stop(std::chrono::milliseconds grace);

    /// Any thread; never blocks. The version as a site names it; "": PhpVersion's. Errors are sentences. The
    /// pool is kept as long as the configuration names the version.
    Result<std::shared_ptr<const php::PhpPool>> pool(const std::string& version) const;

private:
    static bool isWanted(const EngineOptions& options);
    void finishLooking();

    std::string folder_;
    std::unique_ptr<php::PhpPools> pools_; // made when first wanted
    std::thread looking_;
    std::atomic<bool> isReady_{false};
    std::set<std::string> named_; // versions, by the last configuration
    mutable std::mutex mutex_;
    mutable std::set<std::string> asked_; // versions, since the start; guarded by mutex_
};

} // namespace saker::host
