// Storage for chains that a backend holds while they are sent. A caller's chain is exchanged for an empty one
// with storage, and the storage comes back when the chain has left: no allocation per write, none held by
// idle sockets.
#pragma once

#include "base/buffer_chain.h"

#include <utility>
#include <vector>

namespace saker::loop {

class SpareChains {
public:
    /// Moves the caller's pieces into `held`, which holds nothing; the caller's chain is empty afterwards.
    void take(BufferChain& held, BufferChain& callers) {
        held.swap(callers);
        if (!spare_.empty()) {
            callers.swap(spare_.back());
            spare_.pop_back();
        }
    }
    /// Empties `held` and keeps its storage.
    void giveBack(BufferChain& held) {
        held.clear();
        if (spare_.size() < kMost) {
            spare_.emplace_back().swap(held);
        } else {
            held.release();
        }
    }

private:
    static constexpr std::size_t kMost = 256;
    std::vector<BufferChain> spare_;
};

} // namespace saker::loop
