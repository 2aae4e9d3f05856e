#include "observe/metrics.h"

#include <algorithm>

namespace saker::observe {

Metrics::Metrics(std::size_t maxLoops) : maxLoops_(maxLoops) {}

LoopCounters& Metrics::addLoop() {
    std::lock_guard lock(mutex_);
    // The place of a loop that has ended is used again, so that indices stay below maxLoops.
    auto place = std::find(loops_.begin(), loops_.end(), nullptr);
    if (place == loops_.end()) {
        place = loops_.emplace(loops_.end());
    }
    *place = std::make_unique<LoopCounters>(static_cast<std::size_t>(place - loops_.begin()));
    (*place)->setDetailed(detailed_);
    return **place;
}

void Metrics::removeLoop(LoopCounters& counters) {
    std::lock_guard lock(mutex_);
    endedTotals_ += counters.read();
    counters.addLatency(endedLatency_);
    loops_[counters.index()].reset();
}

std::shared_ptr<SiteMetrics> Metrics::site(std::string_view name) {
    std::lock_guard lock(mutex_);
    std::weak_ptr<SiteMetrics>& known = sites_[std::string(name)];
    std::shared_ptr<SiteMetrics> site = known.lock();
    if (!site) {
        site = std::make_shared<SiteMetrics>(std::string(name), maxLoops_);
        known = site;
    }
    return site;
}

void Metrics::setDetailed(bool on) {
    std::lock_guard lock(mutex_);
    detailed_ = on;
    for (auto& loop : loops_) {
        if (loop) {
            loop->setDetailed(on);
        }
    }
}

bool Metrics::isDetailed() const {
    std::lock_guard lock(mutex_);
    return detailed_;
}

CounterTotals Metrics::totalsLocked() const {
    CounterTotals totals = endedTotals_;
    for (const auto& loop : loops_) {
        if (loop) {
            totals += loop->read();
        }
    }
    return totals;
}

std::uint64_t Metrics::totalRequests() const {
    std::lock_guard lock(mutex_);
    return totalsLocked().requests();
}

void Metrics::tick(std::uint64_t nowSeconds) {
    os::ProcessUsage usage = os::processUsage();
    std::lock_guard lock(mutex_);
    rates_.sample(nowSeconds, totalsLocked().requests());
    if (lastUsage_.takenMicros != 0) {
        cpuPercent_ = os::cpuPercent(lastUsage_, usage);
    }
    lastUsage_ = usage;
    std::erase_if(sites_, [](const auto& entry) { return entry.second.expired(); });
}

MetricsSnapshot Metrics::snapshot() const {
    MetricsSnapshot result;
    result.process = os::processUsage();
    result.uptimeSeconds = os::uptimeSeconds();
    std::vector<std::shared_ptr<SiteMetrics>> sites;
    {
        std::lock_guard lock(mutex_);
        result.totals = totalsLocked();
        result.rates = rates_.rates();
        result.detailed = detailed_;
        result.cpuPercent = cpuPercent_;
        result.latency = endedLatency_;
        for (const auto& loop : loops_) {
            if (loop) {
                loop->addLatency(result.latency);
                ++result.loops;
            }
        }
        for (const auto& [name, weak] : sites_) {
            if (auto site = weak.lock()) {
                sites.push_back(std::move(site));
            }
        }
    }
    for (const auto& site : sites) {
        result.sites.push_back(site->read());
    }
    std::sort(result.sites.begin(), result.sites.end(),
              [](const SiteTotals& a, const SiteTotals& b) { return a.name < b.name; });
    return result;
}

} // namespace saker::observe
