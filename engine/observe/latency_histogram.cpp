#include "observe/latency_histogram.h"

#include <algorithm>
#include <cmath>

namespace saker::observe {

void LatencyHistogram::addTo(LatencyCounts& counts) const {
    for (std::size_t i = 0; i < kBuckets; ++i) {
        std::uint64_t n = buckets_[i].read();
        counts.buckets_[i] += n;
        counts.count_ += n;
    }
    counts.sumMicros_ += sum_.read();
}

void LatencyCounts::merge(const LatencyCounts& other) {
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
        buckets_[i] += other.buckets_[i];
    }
    count_ += other.count_;
    sumMicros_ += other.sumMicros_;
}

std::uint64_t LatencyCounts::percentileMicros(double share) const {
    if (count_ == 0) {
        return 0;
    }
    double wanted = std::ceil(std::clamp(share, 0.0, 1.0) * static_cast<double>(count_));
    auto rank = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(wanted));
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
        seen += buckets_[i];
        if (seen >= rank) {
            // The middle of the bucket errs by half its width at most.
            std::uint64_t low = LatencyHistogram::lowerBound(i);
            return low + (LatencyHistogram::lowerBound(i + 1) - low) / 2;
        }
    }
    return LatencyHistogram::lowerBound(buckets_.size());
}

std::uint64_t LatencyCounts::countUpTo(std::uint64_t micros) const {
    std::size_t last = LatencyHistogram::bucketOf(micros);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i <= last; ++i) {
        sum += buckets_[i];
    }
    return sum;
}

} // namespace saker::observe
