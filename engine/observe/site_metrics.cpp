#include "observe/site_metrics.h"

#include <numeric>

namespace saker::observe {

/// One loop's counters of one site: exactly a cache line.
struct alignas(64) SiteMetrics::Line {
    std::array<Cell, 5> byStatusClass;
    Cell bytesReceived;
    Cell bytesSent;
    Cell durationMicros;
};

std::uint64_t SiteTotals::requests() const {
    return std::accumulate(byStatusClass.begin(), byStatusClass.end(), std::uint64_t{0});
}

SiteMetrics::SiteMetrics(std::string name, std::size_t maxLoops)
    : name_(std::move(name)), maxLoops_(maxLoops), lines_(std::make_unique<std::atomic<Line*>[]>(maxLoops)) {}

SiteMetrics::~SiteMetrics() {
    for (std::size_t i = 0; i < maxLoops_; ++i) {
        std::unique_ptr<Line> owned(lines_[i].load(std::memory_order_relaxed));
    }
}

SiteMetrics::Line* SiteMetrics::makeLine(std::size_t index) {
    auto line = std::make_unique<Line>();
    // Release: a reader that sees the pointer sees the zeros behind it.
    lines_[index].store(line.get(), std::memory_order_release);
    return line.release();
}

void SiteMetrics::onRequest(const LoopCounters& loop, unsigned status, std::uint64_t bytesReceived,
                            std::uint64_t bytesSent, std::uint64_t durationMicros) {
    if (loop.index() >= maxLoops_) {
        return;
    }
    Line* line = lines_[loop.index()].load(std::memory_order_relaxed); // stored by this thread
    if (!line) {
        line = makeLine(loop.index());
    }
    line->byStatusClass[statusClassIndex(status)].add(1);
    line->bytesReceived.add(bytesReceived);
    line->bytesSent.add(bytesSent);
    line->durationMicros.add(durationMicros);
}

SiteTotals SiteMetrics::read() const {
    SiteTotals totals;
    totals.name = name_;
    for (std::size_t i = 0; i < maxLoops_; ++i) {
        const Line* line = lines_[i].load(std::memory_order_acquire);
        if (!line) {
            continue;
        }
        for (std::size_t c = 0; c < totals.byStatusClass.size(); ++c) {
            totals.byStatusClass[c] += line->byStatusClass[c].read();
        }
        totals.bytesReceived += line->bytesReceived.read();
        totals.bytesSent += line->bytesSent.read();
        totals.durationMicros += line->durationMicros.read();
    }
    return totals;
}

} // namespace saker::observe
