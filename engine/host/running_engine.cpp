#include "host/running_engine.h"

#include "base/text.h"
#include "host/first_site.h"
#include "observe/log.h"
#include "observe/log_setup.h"
#include "os/affinity.h"
#include "os/memory.h"
#include "os/paths.h"
#include "os/privileges.h"
#include "os/process.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <tuple>

#include <fmt/format.h>

namespace saker::host {

namespace {

using std::chrono::milliseconds;

// New clients that the system has queued on a listener get so long to be served when it closes for good.
constexpr unsigned kStopGraceMs = 100;
constexpr milliseconds kPhpGrace{500};
constexpr unsigned kReloadGraceMs = 500;
// A stop that takes longer than this says what it waits for.
constexpr auto kSilentWait = milliseconds(250);

loop::BackendKind backendOf(EventBackend backend) {
    switch (backend) {
    case EventBackend::epoll:
        return loop::BackendKind::epoll;
    case EventBackend::ioUring:
        return loop::BackendKind::ioUring;
    case EventBackend::fault:
        return loop::BackendKind::fault;
    case EventBackend::automatic:
        break;
    }
    return loop::BackendKind::automatic;
}

std::uint64_t monotonicSeconds() {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now().time_since_epoch())
            .count());
}

/// Where the server keeps what it makes; "" when there is no such place.
std::string dataFolder(const ProcessOptions& options) {
    if (!options.dataDir.empty()) {
        return options.dataDir;
    }
    const char* given = std::getenv("STATE_DIRECTORY"); // systemd.exec(5): folders, separated by colons
    const std::string_view first = split(given ? given : "", ':').front();
    return os::isAbsolute(first)   ? std::string(first)
           : os::isAdministrator() ? os::systemDataDirectory()
                                   : os::userDataDirectory();
}

bool hasTls(const std::vector<BoundPoint>& points) {
    return std::any_of(points.begin(), points.end(), [](const BoundPoint& one) { return one.asked.tls; });
}

/// There are files that PHP answers for.
bool hasPhp(const Runtime& runtime) {
    std::vector<std::string> endings;
    for (const auto& [extension, value] : runtime.options.forward.forwardExt) {
        if (equalsIgnoreCase(value, "auto")) {
            endings.push_back("." + toLowerAscii(extension));
        }
    }
    bool found = false;
    for (const auto& root : runtime.roots) {
        const routing::Quiescence::Reader reader(root->index.quiescence());
        root->index.forEach("", [&](std::string_view path) {
            found = found || std::any_of(endings.begin(), endings.end(), [&](const std::string& ending) {
                        return path.size() >= ending.size() &&
                               equalsIgnoreCase(path.substr(path.size() - ending.size()), ending);
                    });
        });
    }
    return found;
}

/// As many connections as there are descriptors, less those that answering them takes: files, logs,
/// listeners, watches.
std::uint64_t connectionsByDescriptors(std::size_t loops) {
    auto limit = os::raiseDescriptorLimit();
    if (!limit) {
        return 0;
    }
    const std::uint64_t reserve = std::min<std::uint64_t>(128 + 16 * loops, limit->now / 2);
    return limit->now - reserve;
}

} // namespace

Result<std::unique_ptr<Engine>> Engine::create(const LoadedConfig& config, const Overrides& overrides,
                                               EngineOwner& owner) {
    return std::unique_ptr<Engine>(std::make_unique<RunningEngine>(config, overrides, owner));
}

RunningEngine::RunningEngine(const LoadedConfig& config, const Overrides& overrides, EngineOwner& owner)
    : configStore_(overrides), config_(config), owner_(owner) {}

RunningEngine::~RunningEngine() {
    stop(control::StopMode::now);
}

std::shared_ptr<const Runtime> RunningEngine::runtime() const {
    std::lock_guard lock(mutex_);
    return runtime_;
}

void RunningEngine::configureStore(const static_files::StaticOptions& options) {
    static_files::ContentStore::Options limits;
    limits.budget = options.contentCacheSize;
    limits.maxIdentity = options.maxCachedFileSize;
    if (limits.budget == 0) { // nothing is kept, so every request would read and compress anew
        limits.maxIdentity = 0;
        limits.maxCompressible = 0;
    }
    store_.configure(limits);
}

Result<void> RunningEngine::setUpErrorLog(const EngineOptions& options) {
    log::Setup setup;
    setup.level = options.log.logLevel;
    if (options.log.logging) {
        setup.file = options.log.errorLogFile;
    }
    return log::setUp(setup);
}

Result<void> RunningEngine::start() {
    std::lock_guard change(changeMutex_);
    const EngineOptions& options = config_.options;
    metrics_.setDetailed(options.log.serverMetrics);
    const std::size_t count =
        options.process.workers != 0 ? options.process.workers : os::defaultWorkerCount();

    // Bound first: a port that cannot be had should be said before thousands of files are read. The system
    // queues no client yet: that begins with listen().
    auto plan = planListeners(options.listen, {config_.httpPortsGiven, config_.httpsPortsGiven}, {}, count);
    if (!plan) {
        return plan.error();
    }
    warnings_ = plan->warnings;
    // Keys are often for root only.
    certificates_ = std::make_shared<Certificates>(dataFolder(options.process));
    certificates_->configure(options.certificates, hasTls(boundWith(*plan)));
    if (auto prepared = php_.prepare(options.process.user); !prepared) {
        warnings_.push_back(prepared.error().text());
    }
    if (!options.process.user.empty() && os::isAdministrator()) {
        if (auto dropped = os::dropPrivileges(options.process.user); !dropped) {
            return dropped;
        }
    }
    if (auto opened = setUpErrorLog(options); !opened) {
        return opened;
    }
    php_.start(options);

    if (options.routing.wwwDir.empty() && !options.routing.backendDir.empty() && !config_.backendDirGiven) {
        auto made = makeFirstSite(options.routing.backendDir);
        if (!made) {
            return made.error();
        }
        if (*made) {
            log::info("start", "{} was made, with a sample site in {}/localhost.", options.routing.backendDir,
                      options.routing.backendDir);
        }
    }
    auto built = buildRuntime(options, nullptr,
                              partsFor(options, *plan, [this](const routing::FileIndex::Progress& progress) {
                                  owner_.onStartProgress({progress.files, progress.directories});
                              }));
    if (!built) {
        return built.error();
    }
    runtime_ = *built;
    warnings_.insert(warnings_.end(), runtime_->warnings.begin(), runtime_->warnings.end());

    configureStore(options.staticFiles);
    workers_ =
        std::make_unique<loop::WorkerPool>(static_cast<unsigned>(std::clamp<std::size_t>(count, 2, 8)));
    shared_ = std::make_unique<LoopShared>(metrics_, store_, *workers_, php_);
    shared_->loopCount = count;
    loop::LoopOptions loopOptions;
    loopOptions.workers = workers_.get();
    loopOptions.backend = backendOf(options.process.eventBackend);
    for (std::size_t i = 0; i < count; ++i) {
        loopOptions.faultSeed = i + 1;
        auto loop = LoopThread::create(loopOptions, *shared_);
        if (!loop) {
            return loop.error();
        }
        loops_.push_back(std::move(*loop));
        loops_.back()->start();
    }
    log::info("start", "{} on {}.", counted(count, "event loop"),
              loop::EventLoop::backendName(loops_.front()->backendKind()));
    applyEverywhere(runtime_);
    if (hasPhp(*runtime_)) { // otherwise nobody needs to wait for its being found
        php_.wait();
    }
    if (auto opened = openListeners(*plan); !opened) {
        return opened;
    }
    certificates_->watch();
    metrics_.tick(monotonicSeconds());
    house_ = std::thread([this] { keepHouse(); });
    return {};
}

void RunningEngine::applyEverywhere(const std::shared_ptr<const Runtime>& runtime) {
    const auto& limit = runtime->options.http.maxConcurrentConnections;
    shared_->maxConnections = limit.value_or(connectionsByDescriptors(loops_.size()));
    for (auto& loop : loops_) {
        loop->call([&] { loop->apply(runtime); });
    }
}

Result<void> RunningEngine::openListeners(ListenPlan& plan) {
    for (ListenPlan::Opening& opening : plan.open) {
        const loop::SocketAddress actual = opening.sockets.front().address();
        const bool tls = opening.point.tls;
        for (std::size_t i = 0; i < loops_.size(); ++i) {
            Result<void> opened;
            loops_[i]->call([&] { opened = loops_[i]->listen(std::move(opening.sockets[i]), tls); });
            if (!opened) {
                return opened;
            }
        }
        listening_.push_back({opening.point, actual});
    }
    return {};
}

/// The listeners that there are with this plan carried out.
std::vector<BoundPoint> RunningEngine::boundWith(const ListenPlan& plan) const {
    std::vector<BoundPoint> bound;
    for (const BoundPoint& one : listening_) {
        if (std::find(plan.keep.begin(), plan.keep.end(), one.asked) != plan.keep.end()) {
            bound.push_back(one);
        }
    }
    for (const ListenPlan::Opening& opening : plan.open) {
        bound.push_back({opening.point, opening.sockets.front().address()});
    }
    return bound;
}

/// What a Runtime is made with, when these listeners are there with it.
RuntimeParts RunningEngine::partsFor(const EngineOptions& options, const ListenPlan& plan,
                                     RootPool::Progress progress) {
    const std::vector<BoundPoint> bound = boundWith(plan);
    RuntimeParts parts{roots_, logs_, metrics_, std::move(progress)};
    if (!hasTls(bound)) {
        return parts;
    }
    const auto lifetime = std::chrono::duration_cast<std::chrono::seconds>(options.tls.sessionLifetime);
    if (!tickets_) {
        tickets_ = std::make_shared<tls::SessionTickets>(lifetime);
    }
    tickets_->setLifetime(lifetime);
    parts.secure.credentials =
        std::shared_ptr<tls::CredentialSource>(certificates_, &certificates_->source());
    parts.secure.tickets = tickets_;
    parts.secure.securePorts = pairPorts(options.listen, bound);
    return parts;
}

Result<control::ReloadReport> RunningEngine::reload() {
    std::lock_guard change(changeMutex_);
    if (loops_.empty()) {
        return Error{ErrorKind::notRunning, "The engine is stopping.", ""};
    }
    control::ReloadReport report;
    std::shared_ptr<const Runtime> before = runtime();
    auto loaded = configStore_.reload(config_);
    if (!loaded) {
        return loaded.error();
    }
    EngineOptions options = loaded->options;
    for (const schema::Problem& warning : loaded->warnings) {
        report.warnings.push_back(warning.sentence());
    }
    for (const schema::Change& change : diff(config_.options, options)) {
        (change.apply == schema::Apply::restart ? report.needsRestart : report.applied).push_back(change.key);
    }
    // What cannot change while running stays as it is.
    options.process = before->options.process;
    options.process.shutdownTimeout = loaded->options.process.shutdownTimeout;

    std::vector<ListenPoint> present;
    for (const BoundPoint& bound : listening_) {
        present.push_back(bound.asked);
    }
    std::erase_if(leaving_, [](const Leaving& one) { return one.until < std::chrono::steady_clock::now(); });
    std::vector<loop::SocketAddress> leaving;
    for (const Leaving& one : leaving_) {
        leaving.push_back(one.address);
    }
    auto plan = planListeners(options.listen, {loaded->httpPortsGiven, loaded->httpsPortsGiven}, present,
                              loops_.size(), leaving);
    if (!plan) {
        return plan.error();
    }
    auto built = buildRuntime(options, before.get(), partsFor(options, *plan, {}));
    if (!built) {
        return built.error();
    }
    if (auto opened = setUpErrorLog(options); !opened) {
        return opened.error();
    }
    const std::vector<std::string> phpProblems = php_.configure(options);
    report.warnings.insert(report.warnings.end(), phpProblems.begin(), phpProblems.end());
    // From here on nothing can fail but an accept on a socket that is bound already. Certificates come first:
    // the new listeners' first handshakes want them.
    certificates_->configure(options.certificates, hasTls(boundWith(*plan)));
    {
        std::lock_guard lock(mutex_);
        runtime_ = *built;
    }
    config_ = std::move(*loaded);
    configureStore(options.staticFiles);
    metrics_.setDetailed(options.log.serverMetrics);
    applyEverywhere(*built);
    php_.settle();
    if (auto opened = openListeners(*plan); !opened) {
        return opened.error();
    }
    for (const ListenPoint& point : plan->close) {
        auto bound = std::find_if(listening_.begin(), listening_.end(),
                                  [&](const BoundPoint& one) { return one.asked == point; });
        for (auto& loop : loops_) {
            loop->call([&] { loop->retire(bound->actual, point.tls, kReloadGraceMs); });
        }
        leaving_.push_back(
            {bound->actual, std::chrono::steady_clock::now() + milliseconds(4 * kReloadGraceMs)});
        listening_.erase(bound);
    }
    report.keptSites = (*built)->keptSites;
    report.warnings.insert(report.warnings.end(), plan->warnings.begin(), plan->warnings.end());
    report.warnings.insert(report.warnings.end(), (*built)->warnings.begin(), (*built)->warnings.end());
    return report;
}

void RunningEngine::stop(control::StopMode mode) {
    if (mode == control::StopMode::now) {
        cutShort_ = true; // another thread may be waiting below
    }
    std::lock_guard change(changeMutex_);
    if (house_.joinable()) {
        {
            std::lock_guard lock(houseMutex_);
            houseEnds_ = true;
        }
        houseWake_.notify_all();
        house_.join();
    }
    if (!loops_.empty()) {
        for (auto& loop : loops_) {
            loop->call([&] {
                if (mode == control::StopMode::now) {
                    loop->abortAll();
                } else {
                    loop->retireAll(kStopGraceMs);
                    loop->drain();
                }
            });
        }
        if (mode != control::StopMode::now) {
            auto limit =
                mode == control::StopMode::drain
                    ? milliseconds::max()
                    : std::chrono::duration_cast<milliseconds>(runtime()->options.process.shutdownTimeout);
            if (!waitUntilEmpty(limit)) {
                if (std::uint64_t left = shared_->connections.load()) {
                    log::warning("stop", "{} cut off.", counted(left, "connection was", "connections were"));
                }
                for (auto& loop : loops_) {
                    loop->call([&] { loop->abortAll(); });
                }
            }
        }
        // Jobs end while the loops still take their results.
        workers_->finish();
        for (auto& loop : loops_) {
            loop->stop();
        }
        loops_.clear();
        workers_.reset();
    }
    php_.stop(kPhpGrace); // nobody asks it for anything any more
    logs_.drain();
}

bool RunningEngine::waitUntilEmpty(milliseconds limit) {
    const auto start = std::chrono::steady_clock::now();
    bool isSaid = false;
    while (!cutShort_) {
        bool empty = true;
        for (auto& loop : loops_) {
            loop->call([&] { empty = empty && loop->isEmpty(); });
        }
        if (empty) {
            return true;
        }
        const auto waited = std::chrono::steady_clock::now() - start;
        if (limit != milliseconds::max() && waited >= limit) {
            return false;
        }
        const std::uint64_t open = shared_->connections.load();
        if (!isSaid && open > 0 && waited >= kSilentWait) {
            isSaid = true;
            log::info("stop",
                      "Waiting for the answers on {} to finish ({}); Ctrl+C or SIGTERM again ends now.",
                      counted(open, "connection"),
                      limit == milliseconds::max()
                          ? std::string("as long as they need")
                          : fmt::format("up to {:g} s", std::chrono::duration<double>(limit).count()));
        }
        std::this_thread::sleep_for(milliseconds(5));
    }
    return false;
}

void RunningEngine::reopenLogs() {
    log::reopen();
    std::lock_guard change(changeMutex_);
    logs_.reopen();
}

std::vector<ListeningAddress> RunningEngine::listening() const {
    std::vector<ListeningAddress> out;
    for (const BoundPoint& bound : listening_) {
        out.push_back({bound.actual, bound.asked.tls});
    }
    return out;
}

std::vector<std::string> RunningEngine::warnings() const {
    return warnings_;
}

/// Once a second: rates, and log lines on their way.
void RunningEngine::keepHouse() {
    std::unique_lock lock(houseMutex_);
    auto next = std::chrono::steady_clock::now();
    while (!houseEnds_) {
        next += std::chrono::seconds(1);
        if (houseWake_.wait_until(lock, next, [this] { return houseEnds_; })) {
            return;
        }
        metrics_.tick(monotonicSeconds());
        auto current = runtime();
        if (current->accessLog || !current->siteLogs.empty()) {
            for (auto& loop : loops_) {
                loop->call([&] { loop->flushLogs(); });
            }
        }
    }
}

// ---- services ----

std::shared_ptr<routing::ContentRoot> RunningEngine::firstRoot() const {
    auto current = runtime();
    return current && !current->roots.empty() ? current->roots.front() : nullptr;
}

void RunningEngine::listFiles(std::string_view search, const std::function<bool(std::string_view)>& visit) {
    auto current = runtime();
    if (!current) {
        return;
    }
    bool goesOn = true;
    for (const auto& root : current->roots) {
        routing::Quiescence::Reader reader(root->index.quiescence());
        root->index.forEach({}, [&](std::string_view path) {
            if (goesOn && (search.empty() || path.find(search) != std::string_view::npos)) {
                goesOn = visit(path);
            }
        });
    }
}

std::uint64_t RunningEngine::countFiles(std::string_view search) {
    std::uint64_t count = 0;
    listFiles(search, [&](std::string_view) {
        ++count;
        return true;
    });
    return count;
}

Result<std::string> RunningEngine::subFolder(const routing::ContentRoot& root, std::string_view sub) const {
    std::string relative(sub);
    const std::string& top = root.options.root;
    if (relative == top ||
        relative.starts_with(top.ends_with('/') ? top : top + '/')) { // a full path is as good
        relative.erase(0, top.size());
    }
    while (relative.starts_with('/')) {
        relative.erase(0, 1);
    }
    while (relative.ends_with('/')) {
        relative.pop_back();
    }
    if (relative == ".") {
        relative.clear();
    }
    std::string_view rest = relative;
    while (!rest.empty()) {
        std::size_t slash = rest.find('/');
        if (rest.substr(0, slash) == "..") {
            return Error{ErrorKind::notFound, "The path leads out of the served folder.", std::string(sub)};
        }
        rest = slash == std::string_view::npos ? std::string_view() : rest.substr(slash + 1);
    }
    return relative;
}

Result<std::string> RunningEngine::indexFolder(std::string_view sub) {
    auto root = firstRoot();
    if (!root) {
        return Error{ErrorKind::notFound, "No folder is served.", ""};
    }
    auto relative = subFolder(*root, sub);
    if (!relative) {
        return relative.error();
    }
    std::string folder = relative->empty() ? root->options.root : root->options.root + "/" + *relative;
    if (std::error_code ignored; !std::filesystem::is_directory(folder, ignored)) {
        return Error{ErrorKind::notFound, "There is no such folder below the served one.", folder};
    }
    return folder;
}

Result<control::IndexReport> RunningEngine::indexFiles(std::string_view sub) {
    auto folder = indexFolder(sub);
    if (!folder) {
        return folder.error();
    }
    auto root = firstRoot();
    auto found = root->index.scan(*subFolder(*root, sub));
    if (!found) {
        return found.error();
    }
    return control::IndexReport{*folder, found->files, found->directories};
}

Result<control::IndexReport> RunningEngine::indexOneLevel(std::string_view sub) {
    auto folder = indexFolder(sub);
    if (!folder) {
        return folder.error();
    }
    auto root = firstRoot();
    auto found = root->index.scanOneLevel(*subFolder(*root, sub));
    if (!found) {
        return found.error();
    }
    return control::IndexReport{*folder, found->files, found->directories};
}

control::StatsSnapshot RunningEngine::stats(milliseconds window) {
    os::ProcessUsage before = os::processUsage();
    if (window.count() > 0) {
        std::this_thread::sleep_for(window);
    }
    observe::MetricsSnapshot now = metrics_.snapshot();
    control::StatsSnapshot out;
    out.detailed = now.detailed;
    out.requests = now.totals.requests();
    out.perSecond = static_cast<double>(now.rates.lastSecond);
    out.perMinute = static_cast<double>(now.rates.lastMinute);
    out.perHour = static_cast<double>(now.rates.lastHour);
    out.statusClasses = now.totals.byStatusClass;
    out.bytesReceived = now.totals.bytesReceived;
    out.bytesSent = now.totals.bytesSent;
    out.connections = now.totals.connectionsActive();
    out.connectionsAccepted = now.totals.connectionsOpened;
    out.webSockets = now.totals.tunnelsActive();
    out.webSocketsOpened = now.totals.tunnelsOpened;
    std::tie(out.tlsOld, out.tls12, out.tls13) =
        std::tie(now.totals.tlsHandshakes[0], now.totals.tlsHandshakes[1], now.totals.tlsHandshakes[2]);
    out.tlsHandshakes = out.tlsOld + out.tls12 + out.tls13;
    out.tlsResumed = now.totals.tlsResumed;
    out.tlsFailed = now.totals.tlsFailed;
    out.tlsLimited = now.totals.tlsLimited;
    for (std::size_t kind = 0; kind < now.totals.http2Floods.size(); ++kind) {
        if (const std::uint64_t count = now.totals.http2Floods[kind]; count > 0) {
            out.http2Floods.emplace_back(observe::http2FloodName(static_cast<observe::Http2Flood>(kind)),
                                         count);
        }
    }
    out.plainOnTlsPort = now.totals.plainOnTlsPort;
    out.memoryBytes = now.process.residentBytes;
    out.cpuPercent = window.count() > 0 ? os::cpuPercent(before, os::processUsage()) : now.cpuPercent;
    out.uptime = std::chrono::seconds(now.uptimeSeconds);
    if (auto current = runtime()) {
        for (const auto& root : current->roots) {
            out.indexedFiles += root->index.fileCount();
        }
    }
    return out;
}

std::uint64_t RunningEngine::collectGarbage() {
    const std::uint64_t before = os::processUsage().residentBytes;
    store_.clear();
    // A stop may wait for clients for long, and the loops go with it: their memory too.
    if (std::unique_lock change(changeMutex_, std::try_to_lock); change) {
        for (auto& loop : loops_) {
            loop->call([&] { loop->trimMemory(); });
        }
    }
    os::releaseFreeMemory();
    const std::uint64_t after = os::processUsage().residentBytes;
    return before > after ? before - after : 0;
}

} // namespace saker::host
