// Numbers for credentials.
#pragma once

#include <atomic>
#include <cstdint>

namespace saker::tls {

/// Another one at each call, never 0. Any thread.
inline std::uint64_t nextCredentialId() {
    static std::atomic<std::uint64_t> last{0};
    return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

} // namespace saker::tls
