#include "php/php_pools.h"

#include "os/affinity.h"
#include "os/privileges.h"
#include "php/php_cgi_pool.h"
#include "php/php_fpm_pool.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <utility>

#include <fmt/format.h>

namespace saker::php {

namespace {

using std::chrono::milliseconds;

/// Of a pool that no site asks for any more.
constexpr milliseconds kGraceOfUnused{std::chrono::minutes(5)};

/// Scripts wait for databases most of the time, so that more of them fit than there are processors.
std::uint32_t defaultChildren(PhpKind kind) {
    const unsigned cores = os::defaultWorkerCount();
    return kind == PhpKind::fpm ? std::clamp(cores * 8, 16u, 64u) // most of them only while there is work
                                : std::clamp(cores * 2, 4u, 16u); // all of them all the time
}

/// The user that systems have for web servers; the first that there is.
constexpr std::array<const char*, 5> kWebUsers{"www-data", "http", "apache", "nginx", "nobody"};

Result<std::optional<os::Account>> accountFor(const std::string& user) {
    if (!os::isAdministrator()) {
        if (!user.empty() && user != os::userName()) {
            return Error{
                ErrorKind::permission,
                fmt::format("PHP cannot run as the user \"{}\", because the server runs as \"{}\" and not as "
                            "root; leave PhpUser empty",
                            user, os::userName()),
                "PhpUser"};
        }
        return std::optional<os::Account>();
    }
    if (!user.empty()) {
        Result<os::Account> account = os::findAccount(user);
        if (!account) {
            return Error{account.error().kind, account.error().message, "PhpUser"};
        }
        return std::optional(std::move(*account));
    }
    for (const char* name : kWebUsers) {
        if (Result<os::Account> account = os::findAccount(name)) {
            return std::optional(std::move(*account));
        }
    }
    return Error{ErrorKind::notFound, "no user for PHP to run as was found; name one in PhpUser", {}};
}

void writeToErrorLog(log::Level level, std::string_view version, std::string_view line) {
    if (log::isOn(level)) {
        log::write(level, fmt::format("php {}", version), line);
    }
}

} // namespace

PhpPools::PhpPools(Place place) : place_(std::move(place)) {}

PhpPools::~PhpPools() {
    stop(milliseconds(0));
}

std::vector<std::string> PhpPools::configure(const PhpOptions& options) {
    PhpFound found;
    if (options.mode != PhpMode::off) {
        PhpSearch search;
        search.first = options.path;
        search.folders = place_.folders;
        found = findPhp(search);
    }
    const std::lock_guard lock(mutex_);
    options_ = options;
    found_ = std::move(found.binaries);
    for (Kept& kept : pools_) {
        kept.asked = false;
    }
    return std::move(found.problems);
}

Result<PhpPoolSettings> PhpPools::settingsFor(const PhpBinary& binary) const {
    Result<std::optional<os::Account>> account = accountFor(options_.user);
    if (!account) {
        return account.error();
    }
    PhpPoolSettings settings;
    settings.binary = binary;
    settings.children = options_.children > 0 ? options_.children : defaultChildren(binary.kind);
    settings.maxRequests = options_.maxRequests;
    settings.requestTimeout = options_.requestTimeout;
    settings.account = std::move(*account);
    settings.ini = options_.ini;
    return settings;
}

Result<std::shared_ptr<const PhpPool>> PhpPools::pool(std::string_view version) {
    const std::lock_guard lock(mutex_);
    if (stopped_ || options_.mode == PhpMode::off) {
        return Error{ErrorKind::notRunning,
                     stopped_ ? "PHP has been ended, because the server ends"
                              : "PHP is switched off: PhpMode is \"off\"",
                     {}};
    }
    Result<PhpBinary> binary = choosePhp(found_, version.empty() ? options_.version : version, options_.mode);
    if (!binary) {
        return binary.error();
    }
    const std::string series = binary->series();
    for (Kept& kept : pools_) {
        if (kept.settings.binary.series() == series && kept.settings.binary.kind == binary->kind &&
            !kept.ending) {
            kept.asked = true;
            return std::shared_ptr<const PhpPool>(kept.pool);
        }
    }
    Result<PhpPoolSettings> settings = settingsFor(*binary);
    if (!settings) {
        return settings.error();
    }
    Result<std::shared_ptr<PhpPool>> pool = make(*settings);
    if (!pool) {
        return pool.error();
    }
    pools_.push_back({std::move(*settings), *pool});
    return std::shared_ptr<const PhpPool>(std::move(*pool));
}

Result<std::shared_ptr<PhpPool>> PhpPools::make(const PhpPoolSettings& settings) {
    if (!folder_) {
        Result<os::RuntimeFolder> folder = os::RuntimeFolder::make(place_.folder);
        if (!folder) {
            return folder.error();
        }
        folder_.emplace(std::move(*folder));
    }
    if (!thread_) {
        thread_ = std::make_unique<os::ChildThread>();
    }
    const bool fpm = settings.binary.kind == PhpKind::fpm;
    Result<os::LocalListener> listener = os::LocalListener::open(
        folder_->at(fmt::format("{}{}-{}.sock", settings.binary.series(), fpm ? "fpm" : "cgi", ++made_)));
    if (!listener) {
        return listener.error();
    }
    PhpLog log = place_.log ? place_.log : writeToErrorLog;
    std::shared_ptr<PhpPool> pool;
    if (fpm) {
        pool = std::make_shared<PhpFpmPool>(*thread_, std::move(*listener), settings, std::move(log));
    } else {
        pool = std::make_shared<PhpCgiPool>(*thread_, std::move(*listener), settings, std::move(log));
    }
    thread_->post([pool = pool.get()] { pool->startWhenAsked(); });
    return pool;
}

void PhpPools::settle() {
    const std::lock_guard lock(mutex_);
    for (Kept& kept : pools_) {
        if (kept.ending) {
            continue;
        }
        if (!kept.asked) {
            kept.ending = true;
            thread_->post([pool = kept.pool.get()] { pool->stop(kGraceOfUnused); });
            continue;
        }
        const auto binary = std::find_if(found_.begin(), found_.end(), [&kept](const PhpBinary& found) {
            return found.kind == kept.settings.binary.kind && found.series() == kept.settings.binary.series();
        });
        Result<PhpPoolSettings> settings =
            settingsFor(binary != found_.end() ? *binary : kept.settings.binary);
        if (settings && *settings != kept.settings) {
            kept.settings = *settings;
            thread_->post(
                [pool = kept.pool.get(), settings = std::move(*settings)] { pool->change(settings); });
        }
    }
}

void PhpPools::startAll() {
    const std::lock_guard lock(mutex_);
    for (const Kept& kept : pools_) {
        if (!kept.ending) {
            thread_->post([pool = kept.pool.get()] { pool->startNow(); });
        }
    }
}

std::vector<PhpBinary> PhpPools::found() const {
    const std::lock_guard lock(mutex_);
    return found_;
}

std::vector<PhpStatus> PhpPools::status() const {
    const std::lock_guard lock(mutex_);
    std::vector<PhpStatus> result;
    for (const Kept& kept : pools_) {
        PhpStatus status = kept.pool->status();
        if (!kept.ending || status.state != PhpState::stopped) {
            result.push_back(std::move(status));
        }
    }
    return result;
}

void PhpPools::stop(milliseconds grace) {
    struct Waiting {
        std::mutex mutex;
        std::condition_variable changed;
        std::size_t running = 0;
    };
    auto waiting = std::make_shared<Waiting>();
    {
        const std::lock_guard lock(mutex_);
        stopped_ = true;
        if (!thread_) {
            return;
        }
        waiting->running = pools_.size();
        for (const Kept& kept : pools_) {
            thread_->post([pool = kept.pool.get(), grace, waiting] {
                pool->stop(grace, [waiting] {
                    const std::lock_guard waitLock(waiting->mutex);
                    --waiting->running;
                    waiting->changed.notify_all();
                });
            });
        }
    }
    std::unique_lock lock(waiting->mutex);
    waiting->changed.wait(lock, [&] { return waiting->running == 0; });
}

} // namespace saker::php
