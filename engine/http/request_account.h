// What remains of a request once it has been answered: counters, and a line in the access log. The same for
// every version of HTTP.
#pragma once

#include "http/exchange.h"
#include "http/loop_context.h"
#include "net/transport.h"

#include <cstdint>

namespace saker::http {

/// What a connection notes of an answer.
struct Tally {
    std::uint64_t startMicros = 0;    ///< 0: nobody wants to know how long it took
    std::uint64_t answeredMicros = 0; ///< when an exchange became a tunnel, else 0: its end says nothing of
                                      ///< how fast answers are
    std::uint64_t received = 0;       ///< of the request, head included
    std::uint64_t bytes = 0;          ///< of the answer, head included
    std::uint64_t bodyBytes = 0;
    int status = 0;

    /// For a request that begins now; looks at the clock only if somebody wants durations.
    static Tally start(const LoopContext& context);
    /// For an exchange that becomes a tunnel now.
    void setAnswered();
    /// Bytes that never left do not count.
    void takeBack(std::uint64_t unsent);
};

/// Once for each answered exchange.
void accountFor(const Exchange& exchange, const Tally& tally, const net::Transport& transport,
                LoopContext& context);

} // namespace saker::http
