// Addresses that are turned away for a while because they kept a connection below the minimum rate. Shared by
// all loops; while nobody is blocked, asking costs one relaxed load.
#pragma once

#include "loop/socket_address.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>

namespace saker::http {

class SlowClients {
public:
    /// Times are milliseconds of one monotonic clock.
    void block(const loop::SocketAddress& client, std::uint64_t now, std::uint64_t duration);
    bool isBlocked(const loop::SocketAddress& client, std::uint64_t now);

private:
    static constexpr std::size_t kMaxEntries =
        65536; // beyond it the table starts over: it must not be a way to fill memory

    std::atomic<std::size_t> count_{0};
    std::mutex mutex_;
    std::map<std::array<std::uint8_t, 16>, std::uint64_t> until_;
};

} // namespace saker::http
