#include "tls/handshake_limiter.h"

#include <gtest/gtest.h>

#include <string>

namespace saker::tls {
namespace {

loop::SocketAddress address(const std::string& text) {
    return *loop::SocketAddress::parse(text, 1234);
}

/// How many of so many handshakes at that time are allowed.
int allowed(HandshakeLimiter& limiter, const std::string& from, std::uint64_t nowMs, int count) {
    int yes = 0;
    for (int i = 0; i < count; ++i) {
        yes += limiter.allows(address(from), nowMs) ? 1 : 0;
    }
    return yes;
}

/// Everybody else's handshakes: the loop is busy in this second and the next.
void keepBusy(HandshakeLimiter& limiter, std::uint64_t nowMs) {
    for (std::uint32_t i = 0; i <= HandshakeLimiter::kBusy; ++i) {
        limiter.allows(address("127.0.0.1"), nowMs);
    }
}

TEST(HandshakeLimiter, countsNobodyWhileThereIsLittleToDo) {
    HandshakeLimiter limiter;
    limiter.setRate(10);
    for (std::uint64_t second = 1; second < 10; ++second) {
        EXPECT_EQ(allowed(limiter, "192.0.2.1", second * 1000, 200), 200);
    }
}

TEST(HandshakeLimiter, limitsEachAddressUnderAttack) {
    HandshakeLimiter limiter;
    limiter.setRate(10);
    keepBusy(limiter, 5000);
    EXPECT_EQ(allowed(limiter, "192.0.2.1", 5000, 100), 40); // four seconds' worth at a stretch
    EXPECT_EQ(allowed(limiter, "192.0.2.1", 5500, 100), 5);
    EXPECT_EQ(allowed(limiter, "192.0.2.2", 5500, 10), 10);
    EXPECT_EQ(allowed(limiter, "192.0.2.1", 6500, 100), 10);
    EXPECT_EQ(allowed(limiter, "192.0.2.1", 9000, 100), 100); // quiet again
}

TEST(HandshakeLimiter, takesAnIpv6NetworkForOneClient) {
    HandshakeLimiter limiter;
    limiter.setRate(1);
    keepBusy(limiter, 5000);
    EXPECT_EQ(
        allowed(limiter, "2001:db8:0:1::1", 5000, 3) + allowed(limiter, "2001:db8:0:1:ffff::2", 5000, 3), 4);
    EXPECT_EQ(allowed(limiter, "2001:db8:0:2::1", 5000, 3), 3);
}

TEST(HandshakeLimiter, leavesThisMachineAlone) {
    HandshakeLimiter limiter;
    limiter.setRate(1);
    EXPECT_EQ(allowed(limiter, "127.0.0.1", 5000, 5000), 5000);
    EXPECT_EQ(allowed(limiter, "::1", 5000, 5000), 5000);
}

TEST(HandshakeLimiter, canBeSwitchedOff) {
    HandshakeLimiter limiter;
    EXPECT_EQ(allowed(limiter, "192.0.2.1", 5000, 5000), 5000);
}

TEST(HandshakeLimiter, staysBoundedAmongAnyNumberOfAddresses) {
    HandshakeLimiter limiter;
    limiter.setRate(1);
    for (int i = 0; i < 100'000; ++i) {
        limiter.allows(address("10." + std::to_string(i >> 16) + "." + std::to_string(i >> 8 & 255) + "." +
                               std::to_string(i & 255)),
                       5000);
    }
    EXPECT_EQ(allowed(limiter, "192.0.2.1", 5000, 100), 4);
}

} // namespace
} // namespace saker::tls
