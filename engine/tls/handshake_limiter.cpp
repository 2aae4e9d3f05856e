#include "tls/handshake_limiter.h"

#include "base/hash.h"

#include <algorithm>
#include <string_view>

namespace saker::tls {

namespace {

constexpr std::uint32_t kToken = 1000;
constexpr std::uint32_t kBurstSeconds = 4;

/// Whoever has an IPv6 address has a network of them.
std::uint64_t hashOf(const loop::SocketAddress& peer) {
    const std::size_t size = peer.family == loop::SocketAddress::Family::ipv6 ? 8 : 4;
    const std::string_view bytes(reinterpret_cast<const char*>(peer.ip.data()), size);
    return hashBytes(bytes, processHashKey()) | 1; // never 0
}

} // namespace

bool HandshakeLimiter::isBusy(std::uint64_t nowMs) {
    const std::uint64_t second = nowMs / 1000;
    if (second != second_) {
        lastSecond_ = second == second_ + 1 ? thisSecond_ : 0;
        thisSecond_ = 0;
        second_ = second;
    }
    ++thisSecond_;
    return std::max(thisSecond_, lastSecond_) > kBusy;
}

bool HandshakeLimiter::allows(const loop::SocketAddress& peer, std::uint64_t nowMs) {
    if (!isBusy(nowMs) || rate_ == 0 || peer.isLoopback()) {
        return true;
    }
    Bucket& bucket = bucketOf(hashOf(peer), nowMs);
    const std::uint64_t most = std::uint64_t{rate_} * kBurstSeconds * kToken;
    const std::uint64_t refill = (nowMs - bucket.seenMs) * rate_; // a thousandth of a token a millisecond
    bucket.seenMs = nowMs;
    bucket.milliTokens = std::min(most, bucket.milliTokens + std::min(refill, most));
    if (bucket.milliTokens < kToken) {
        return false;
    }
    bucket.milliTokens -= kToken;
    return true;
}

/// The address's bucket, or a full one instead of the one of its set that was not used for longest.
HandshakeLimiter::Bucket& HandshakeLimiter::bucketOf(std::uint64_t address, std::uint64_t nowMs) {
    if (sets_.empty()) {
        sets_.resize(kSets);
    }
    auto& set = sets_[(address >> 1) % kSets];
    Bucket* oldest = set.data();
    for (Bucket& bucket : set) {
        if (bucket.address == address) {
            return bucket;
        }
        if (bucket.seenMs < oldest->seenMs) {
            oldest = &bucket;
        }
    }
    *oldest = Bucket{address, nowMs, std::uint64_t{rate_} * kBurstSeconds * kToken};
    return *oldest;
}

} // namespace saker::tls
