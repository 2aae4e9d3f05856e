#include "http/slow_clients.h"

#include <gtest/gtest.h>

namespace saker::http {
namespace {

loop::SocketAddress address(std::string_view text, std::uint16_t port = 1) {
    return *loop::SocketAddress::parse(text, port);
}

TEST(SlowClients, TurnsAnAddressAwayForAWhile) {
    SlowClients clients;
    EXPECT_FALSE(clients.isBlocked(address("10.0.0.1"), 1000));
    clients.block(address("10.0.0.1", 5), 1000, 500);
    EXPECT_TRUE(clients.isBlocked(address("10.0.0.1", 6), 1000)) << "the port plays no part";
    EXPECT_FALSE(clients.isBlocked(address("10.0.0.2"), 1000));
    EXPECT_TRUE(clients.isBlocked(address("10.0.0.1"), 1499));
    EXPECT_FALSE(clients.isBlocked(address("10.0.0.1"), 1500));
    EXPECT_FALSE(clients.isBlocked(address("10.0.0.1"), 1499)) << "forgotten";
}

TEST(SlowClients, BlockingAgainBeginsAnew) {
    SlowClients clients;
    clients.block(address("::1"), 0, 100);
    clients.block(address("::1"), 50, 100);
    EXPECT_TRUE(clients.isBlocked(address("::1"), 120));
    EXPECT_FALSE(clients.isBlocked(address("::1"), 150));
}

TEST(SlowClients, IsNoWayToFillTheMemory) {
    SlowClients clients;
    loop::SocketAddress many = address("2001:db8::");
    for (std::uint32_t i = 0; i < 70000; ++i) {
        many.ip[13] = static_cast<std::uint8_t>(i >> 16);
        many.ip[14] = static_cast<std::uint8_t>(i >> 8);
        many.ip[15] = static_cast<std::uint8_t>(i);
        clients.block(many, 0, 1000);
    }
    EXPECT_TRUE(clients.isBlocked(many, 10)) << "the last one is known";
    EXPECT_FALSE(clients.isBlocked(address("2001:db8::"), 10)) << "the table has started over";
}

} // namespace
} // namespace saker::http
