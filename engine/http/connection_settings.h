// What connections of one loop take from the configuration; immutable, swapped whole by a reload. A
// connection picks up the current one with each request.
#pragma once

#include "base/ref.h"
#include "http/h1/request_parser.h"
#include "http/handler.h"

#include <cstdint>
#include <memory>

namespace saker::http {

struct ConnectionSettings final : public RefCounted {
    /// Answers everything; owned by `owner`.
    Handler* handler = nullptr;
    /// Keeps the handler, and through it the configuration's Runtime, alive.
    std::shared_ptr<void> owner;

    RequestLimits limits;
    std::uint64_t maxBody = 0; ///< bytes; 0: no limit

    // Milliseconds; 0 switches the limit off.
    std::uint64_t keepAliveTimeout = 130'000;
    std::uint64_t headTimeout = 30'000; ///< from the first byte of a head (or the accept) to its end
    std::uint64_t requestTimeout = 0;   ///< from the end of the head to the answer
    std::uint64_t stallTimeout =
        60'000; ///< no byte could be sent, or none of an expected body came, for so long
    std::uint64_t gracePeriod = 5'000; ///< before minRate is asked for
    double minRate = 1.0; ///< bytes per second on average while data is waiting, either direction
    std::uint64_t slowClientBlock = 0; ///< a client that was too slow is turned away for so long

    /// A handler answers extended CONNECT (RFC 8441): HTTP/2 clients are told so. Such a request looks as if
    /// it came with Upgrade over HTTP/1.
    bool takesExtendedConnect = false;
    bool measureTime = false; ///< an access log wants durations
};

} // namespace saker::http
