// What is counted per site, one cache line per loop. A site holds a shared_ptr to its metrics, so that
// counting needs no look-up; a site that is configured again under the same name goes on with the same
// counters (Metrics::site).
#pragma once

#include "observe/cell.h"
#include "observe/loop_counters.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace saker::observe {

/// Sums over all loops.
struct SiteTotals {
    std::string name;
    std::array<std::uint64_t, 5> byStatusClass{};
    std::uint64_t bytesReceived = 0;
    std::uint64_t bytesSent = 0;
    std::uint64_t durationMicros = 0; ///< of all requests together

    std::uint64_t requests() const;
};

class SiteMetrics {
public:
    /// For loops with an index below maxLoops; requests on others are not counted per site.
    SiteMetrics(std::string name, std::size_t maxLoops);
    ~SiteMetrics();
    SiteMetrics(const SiteMetrics&) = delete;
    SiteMetrics& operator=(const SiteMetrics&) = delete;

    /// The loop's own thread; the first call on a loop allocates its line. Call it when loop.isDetailed().
    void onRequest(const LoopCounters& loop, unsigned status, std::uint64_t bytesReceived,
                   std::uint64_t bytesSent, std::uint64_t durationMicros);

    const std::string& name() const { return name_; }
    /// Any thread.
    SiteTotals read() const;

private:
    struct Line;
    Line* makeLine(std::size_t index);

    std::string name_;
    std::size_t maxLoops_;
    std::unique_ptr<std::atomic<Line*>[]> lines_; // one per loop, owned
};

} // namespace saker::observe
