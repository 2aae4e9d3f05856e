// The sending end of a connection: whether what it wrote is still waiting in front of the client, how much
// may wait, and whether the client takes it fast enough.
#pragma once

#include "http/loop_context.h"
#include "http/rate_watch.h"
#include "net/transport.h"

namespace saker::http {

class Outlet {
public:
    /// A client that asks faster than it takes answers waits once this much is unsent.
    static constexpr std::uint64_t kMaxUnsent = 256 * 1024;

    Outlet(net::Transport& transport, LoopContext& context) : transport_(transport), context_(context) {}

    /// Sends all of the chain. pending: isTooSlow() has to be asked every kWatchInterval until
    /// onDrained(); failed: the connection is broken.
    loop::Submitted send(BufferChain& chain);
    /// TransportUser::onDrained.
    void onDrained() { isWaiting_ = false; }
    /// The transport owes an onDrained.
    bool isWaiting() const { return isWaiting_; }
    bool isFull() const { return isWaiting_ && transport_.bytesPending() >= kMaxUnsent; }
    /// REQUIRES: isWaiting().
    bool isTooSlow(const ConnectionSettings& settings);

private:
    net::Transport& transport_;
    LoopContext& context_;
    RateWatch watch_; // while isWaiting_
    bool isWaiting_ = false;
};

} // namespace saker::http
