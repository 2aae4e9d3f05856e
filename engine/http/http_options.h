// Limits and time-outs of HTTP connections. A zero time-out or rate means "no limit".
#pragma once

#include "schema/types.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace saker::http {

struct HttpOptions {
    schema::Duration keepAliveTimeout = std::chrono::seconds(130);
    schema::Duration requestHeadersTimeout = std::chrono::seconds(30);
    schema::Duration requestTimeout{0}; ///< 0: none
    double bytesPerSecond = 1.0;        ///< minimum rate in either direction; 0: none
    schema::Duration gracePeriod = std::chrono::seconds(5);
    schema::Duration stallTimeout = std::chrono::seconds(60); ///< no byte moved while data waits; 0: none
    schema::Duration slowClientBlockSeconds{0};               ///< 0: do not turn away
    std::uint64_t maxRequestBodySize = 8'000'000'000;
    std::optional<std::uint64_t> maxConcurrentConnections; ///< empty: the descriptor limit
    std::uint64_t maxRequestLineSize = 8 * 1024;
    std::uint64_t maxRequestHeadersSize = 32 * 1024; ///< all fields together, without the request line
    std::uint32_t maxRequestHeaderCount = 100;
    bool http2 = true;
    std::vector<std::string> trustedProxies; ///< addresses and networks

    void check(schema::Checker& checker) const;
    bool operator==(const HttpOptions&) const = default;
    static const schema::Description& fields();
};

} // namespace saker::http
