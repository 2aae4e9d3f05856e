// The engine: loops, listeners, the current Runtime, and the services that commands ask for.
#pragma once

#include "host/certificates.h"
#include "host/config_store.h"
#include "host/engine.h"
#include "host/listen_plan.h"
#include "host/loop_thread.h"
#include "host/runtime.h"

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace saker::host {

class RunningEngine final : public Engine, private control::EngineServices {
public:
    RunningEngine(const LoadedConfig& config, const Overrides& overrides, EngineOwner& owner);
    ~RunningEngine() override;

    Result<void> start() override;
    Result<control::ReloadReport> reload() override;
    void stop(control::StopMode mode) override;
    void reopenLogs() override;
    std::vector<ListeningAddress> listening() const override;
    std::vector<std::string> warnings() const override;
    control::EngineServices& services() override { return *this; }

private:
    // control::EngineServices
    void listFiles(std::string_view search, const std::function<bool(std::string_view)>& visit) override;
    std::uint64_t countFiles(std::string_view search) override;
    Result<std::string> indexFolder(std::string_view sub) override;
    Result<control::IndexReport> indexFiles(std::string_view sub) override;
    Result<control::IndexReport> indexOneLevel(std::string_view sub) override;
    void shutdown(control::StopMode mode) override { owner_.requestStop(mode); }
    void restart() override { owner_.requestRestart(); }
    control::StatsSnapshot stats(std::chrono::milliseconds window) override;
    std::uint64_t collectGarbage() override;
    control::CertificateList certificates() override { return certificates_->list(); }
    void clearCertificates() override { certificates_->clear(); }
    Result<control::CertificateList> loadCertificates() override { return certificates_->load(); }
    Result<control::AuthorityReport> authority() override { return certificates_->authority(); }
    Result<std::vector<std::string>> changeTrust(bool install, bool onlySay) override {
        return certificates_->changeTrust(install, onlySay);
    }

    void configureStore(const static_files::StaticOptions& options);
    static Result<void> setUpErrorLog(const EngineOptions& options);
    void applyEverywhere(const std::shared_ptr<const Runtime>& runtime);
    Result<void> openListeners(ListenPlan& plan);
    std::vector<BoundPoint> boundWith(const ListenPlan& plan) const;
    RuntimeParts partsFor(const EngineOptions& options, const ListenPlan& plan, RootPool::Progress progress);
    Result<std::string> subFolder(const routing::ContentRoot& root, std::string_view sub) const;
    std::shared_ptr<routing::ContentRoot> firstRoot() const;
    std::shared_ptr<const Runtime> runtime() const;
    void keepHouse();
    bool waitUntilEmpty(std::chrono::milliseconds limit);

    const ConfigStore configStore_;
    LoadedConfig config_; // the one in use
    EngineOwner& owner_;

    observe::Metrics metrics_;
    static_files::ContentStore store_;
    std::unique_ptr<loop::WorkerPool> workers_;
    std::unique_ptr<LoopShared> shared_;
    RootPool roots_;
    LogPool logs_;
    PhpService php_; // the loops refer to it
    std::vector<std::unique_ptr<LoopThread>> loops_;
    std::vector<BoundPoint> listening_;
    std::shared_ptr<Certificates> certificates_; // a Runtime's TLS may outlive this object
    std::shared_ptr<tls::SessionTickets> tickets_;
    /// An address that is no longer listened on, while its sockets may still be closing.
    struct Leaving {
        loop::SocketAddress address;
        std::chrono::steady_clock::time_point until;
    };
    std::vector<Leaving> leaving_;
    std::vector<std::string> warnings_;

    mutable std::mutex mutex_; // runtime_; held for moments
    std::shared_ptr<const Runtime> runtime_;
    std::mutex changeMutex_; // one reload or stop at a time; loops_ stays as it is while it is held

    std::thread house_;
    std::mutex houseMutex_;
    std::condition_variable houseWake_;
    bool houseEnds_ = false;
    std::atomic<bool> cutShort_{false}; // stop(now) while another stop waits
};

} // namespace saker::host
