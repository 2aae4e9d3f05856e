// Handshakes cost the server far more than the client. While a loop is busy with them, each address gets only
// so many a second (IPv6: each network of 64 bits); at other times nobody is counted. This machine itself is
// never limited. Bounded memory; belongs to one loop.
#pragma once

#include "loop/socket_address.h"

#include <array>
#include <cstdint>
#include <vector>

namespace saker::tls {

class HandshakeLimiter {
public:
    /// From so many handshakes a second on a loop is busy: about a tenth of a processor.
    static constexpr std::uint32_t kBusy = 200;

    /// Handshakes a second and address; 0: no limit. A client that was quiet gets four seconds' worth.
    void setRate(std::uint32_t perSecond) { rate_ = perSecond; }
    /// Takes a handshake into account: false when it must not take place.
    bool allows(const loop::SocketAddress& peer, std::uint64_t nowMs);

private:
    static constexpr std::size_t kSets = 1024;
    static constexpr std::size_t kWays = 4;
    struct Bucket {
        std::uint64_t address = 0; // hashed; 0: unused
        std::uint64_t seenMs = 0;
        std::uint64_t milliTokens = 0;
    };

    bool isBusy(std::uint64_t nowMs);
    Bucket& bucketOf(std::uint64_t address, std::uint64_t nowMs);

    std::uint32_t rate_ = 0;
    std::uint64_t second_ = 0;
    std::uint32_t thisSecond_ = 0;
    std::uint32_t lastSecond_ = 0;
    std::vector<std::array<Bucket, kWays>> sets_; // made when first needed
};

} // namespace saker::tls
