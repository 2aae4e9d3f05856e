// The registry of counters: loops and sites register, a once-a-second tick samples rates and the process, and
// snapshot() merges everything for whoever asks (console, control protocol, status page). Made and owned by
// the host.
//
// Base counters are always on. Detailed ones (latency histogram, per-site counters) follow the key
// ServerMetrics.
#pragma once

#include "observe/loop_counters.h"
#include "observe/rate_windows.h"
#include "observe/site_metrics.h"
#include "os/process.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace saker::observe {

struct MetricsSnapshot {
    CounterTotals totals; ///< since the start, loops that have ended included
    Rates rates;          ///< as of the last tick
    bool detailed = false;
    LatencyCounts latency;         ///< empty unless detailed metrics are or were on
    std::vector<SiteTotals> sites; ///< by name
    std::size_t loops = 0;
    os::ProcessUsage process;
    double cpuPercent = 0; ///< over the last tick, summed over cores: 200 is two cores busy
    std::uint64_t uptimeSeconds = 0;
};

class Metrics {
public:
    /// maxLoops: how many loops can be told apart per site; a pointer per loop and site.
    explicit Metrics(std::size_t maxLoops = 64);
    Metrics(const Metrics&) = delete;
    Metrics& operator=(const Metrics&) = delete;

    /// A loop's counters, for its whole life. Any thread.
    LoopCounters& addLoop();
    /// After the loop's last use of them: its sums stay in the totals. Any thread.
    void removeLoop(LoopCounters& counters);

    /// The counters of the site of that name: the living ones, else new ones. They end with the last holder.
    /// Any thread.
    std::shared_ptr<SiteMetrics> site(std::string_view name);

    /// The key ServerMetrics; may be changed while requests run. Any thread.
    void setDetailed(bool on);
    bool isDetailed() const;

    /// Once a second, by whoever owns this (monotonic seconds). Any one thread.
    void tick(std::uint64_t nowSeconds);
    /// Any thread; takes microseconds, not for the path of a request.
    MetricsSnapshot snapshot() const;
    /// Requests since the start. Any thread.
    std::uint64_t totalRequests() const;

private:
    CounterTotals totalsLocked() const;

    const std::size_t maxLoops_;
    mutable std::mutex mutex_; // all below
    bool detailed_ = false;
    std::vector<std::unique_ptr<LoopCounters>> loops_; // [index]; null where a loop has ended
    CounterTotals endedTotals_;
    LatencyCounts endedLatency_;
    std::unordered_map<std::string, std::weak_ptr<SiteMetrics>> sites_;
    RateWindows rates_;
    os::ProcessUsage lastUsage_;
    double cpuPercent_ = 0;
};

} // namespace saker::observe
