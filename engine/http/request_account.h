// What remains of a request once it has been answered: counters, and a line in the access log. The same for
// every version of HTTP.
#pragma once

#include "http/exchange.h"
#include "http/loop_context.h"
#include "net/transport.h"

#include <cstdint>

namespace saker::http {

/// A finished exchange in numbers.
struct FinishedRequest {
    const RequestHead& head;
    const Exchange::Account& account;
    const net::Transport& transport;
    int status = 0;
    std::uint64_t bytesReceived = 0; ///< head and body
    std::uint64_t bytesSent = 0;     ///< head and body
    std::uint64_t bodyBytes = 0;     ///< sent
    std::uint64_t startMicros = 0;   ///< steadyMicros() when it began; 0: nobody wants to know
};

/// Microseconds of a clock that never goes back.
std::uint64_t steadyMicros();

/// Counts and logs it.
void accountFor(const FinishedRequest& request, LoopContext& context);

} // namespace saker::http
