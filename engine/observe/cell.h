// A counter that one thread writes and any thread reads: a relaxed load and store, which compile to a plain
// add in memory; no lock prefix, no ordering. Readers see each cell whole, but not all cells of one moment.
#pragma once

#include <atomic>
#include <cstdint>

namespace saker::observe {

class Cell {
public:
    /// The writing thread only.
    void add(std::uint64_t n) {
        value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
    }
    /// Any thread.
    std::uint64_t read() const { return value_.load(std::memory_order_relaxed); }

private:
    std::atomic<std::uint64_t> value_{0};
};

} // namespace saker::observe
