#include "host/php_service.h"

#include "base/text.h"
#include "observe/log.h"
#include "os/paths.h"
#include "os/privileges.h"
#include "os/runtime_folder.h"

#include <algorithm>

namespace saker::host {

PhpService::~PhpService() {
    stop(std::chrono::milliseconds(0));
}

bool PhpService::isWanted(const EngineOptions& options) {
    return options.php.mode != php::PhpMode::off &&
           std::any_of(options.forward.forwardExt.begin(), options.forward.forwardExt.end(),
                       [](const auto& entry) { return equalsIgnoreCase(entry.second, "auto"); });
}

Result<void> PhpService::prepare(const std::string& user) {
    if (!os::isAdministrator()) {
        folder_ = os::userRuntimeDirectory();
        return {};
    }
    folder_ = os::systemRuntimeDirectory();
    if (user.empty()) {
        return {};
    }
    folder_ += "-" + user; // servers of other users have their own
    return os::RuntimeFolder::makeShared(folder_, user);
}

void PhpService::start(const EngineOptions& options) {
    if (!isWanted(options)) {
        return;
    }
    pools_ =
        std::make_unique<php::PhpPools>(php::PhpPools::Place{folder_, php::usualPhpFolders(), php::PhpLog()});
    looking_ = std::thread([this, php = options.php] {
        for (const std::string& problem : pools_->configure(php)) {
            log::warning("php", "{}", problem);
        }
        isReady_ = true;
    });
}

void PhpService::finishLooking() {
    if (looking_.joinable()) {
        looking_.join();
    }
}

std::vector<std::string> PhpService::configure(const EngineOptions& options) {
    finishLooking();
    if (!pools_ && !isWanted(options)) {
        return {};
    }
    if (!pools_) {
        pools_ = std::make_unique<php::PhpPools>(
            php::PhpPools::Place{folder_, php::usualPhpFolders(), php::PhpLog()});
    }
    named_ = {std::string()};
    for (const auto& [name, site] : options.routing.sites) {
        if (site.value) {
            named_.insert(site.value->phpVersion);
        }
    }
    std::vector<std::string> problems = pools_->configure(options.php);
    isReady_ = true;
    return problems;
}

void PhpService::settle() {
    if (!isReady_) {
        return;
    }
    std::unique_lock lock(mutex_);
    std::erase_if(asked_, [this](const std::string& version) { return !named_.contains(version); });
    const std::set<std::string> asked = asked_;
    lock.unlock();
    for (const std::string& version : asked) {
        static_cast<void>(pools_->pool(version)); // whose clients come under the new configuration too
    }
    pools_->settle();
}

void PhpService::stop(std::chrono::milliseconds grace) {
    finishLooking();
    if (pools_) {
        pools_->stop(grace);
    }
}

Result<std::shared_ptr<const php::PhpPool>> PhpService::pool(const std::string& version) const {
    if (!isReady_) {
        return Error{ErrorKind::notRunning, "PHP is still being looked for; try again in a moment.", {}};
    }
    {
        std::lock_guard lock(mutex_);
        asked_.insert(version);
    }
    auto pool = pools_->pool(version);
    if (pool && (*pool)->state() == php::PhpState::failed) {
        return Error{ErrorKind::failure, (*pool)->status().lastError, {}};
    }
    return pool;
}

} // namespace saker::host
