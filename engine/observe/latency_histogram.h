// How long requests took, as counts in log-linear buckets of microseconds: exact below 8 µs, then eight
// buckets to each power of two, so that a percentile is off by at most 6.25 %. Written by one thread, read by
// any.
#pragma once

#include "observe/cell.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace saker::observe {

/// Counts taken out of histograms: mergeable, and what percentiles are computed from.
class LatencyCounts;

class LatencyHistogram {
public:
    static constexpr unsigned kSubBits = 3;  ///< 2^3 buckets to each power of two
    static constexpr unsigned kMaxBits = 32; ///< longer than 2^32 µs (71 minutes) counts as that long
    static constexpr std::size_t kBuckets = (kMaxBits - kSubBits + 1) << kSubBits;

    /// The owner's thread.
    void record(std::uint64_t micros) {
        buckets_[bucketOf(micros)].add(1);
        sum_.add(micros);
    }

    /// Any thread: adds what is here to the counts.
    void addTo(LatencyCounts& counts) const;

    static constexpr std::size_t bucketOf(std::uint64_t micros) {
        constexpr std::uint64_t kLast = (std::uint64_t{1} << kMaxBits) - 1;
        std::uint64_t value = micros < kLast ? micros : kLast;
        if (value < (1u << kSubBits)) {
            return static_cast<std::size_t>(value);
        }
        unsigned shift = static_cast<unsigned>(std::bit_width(value)) - 1 - kSubBits;
        return static_cast<std::size_t>((std::uint64_t{shift} << kSubBits) + (value >> shift));
    }
    /// The smallest value of a bucket.
    static constexpr std::uint64_t lowerBound(std::size_t bucket) {
        if (bucket < (2u << kSubBits)) {
            return bucket;
        }
        std::size_t shift = (bucket >> kSubBits) - 1;
        return static_cast<std::uint64_t>(bucket - (shift << kSubBits)) << shift;
    }

private:
    Cell sum_;
    std::array<Cell, kBuckets> buckets_;
};

class LatencyCounts {
public:
    void merge(const LatencyCounts& other);
    std::uint64_t count() const { return count_; }
    std::uint64_t sumMicros() const { return sumMicros_; }
    std::uint64_t meanMicros() const { return count_ == 0 ? 0 : sumMicros_ / count_; }
    /// The duration that this share of the requests (0..1) stayed within; 0 when there were none.
    std::uint64_t percentileMicros(double share) const;
    /// How many took no longer than this (to the precision of a bucket); for exposition in fixed buckets.
    std::uint64_t countUpTo(std::uint64_t micros) const;

private:
    friend class LatencyHistogram;
    std::array<std::uint64_t, LatencyHistogram::kBuckets> buckets_{};
    std::uint64_t count_ = 0;
    std::uint64_t sumMicros_ = 0;
};

} // namespace saker::observe
