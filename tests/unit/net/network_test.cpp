#include "net/network.h"

#include <gtest/gtest.h>

namespace saker::net {
namespace {

TEST(NetworkTest, HoldsItsAddresses) {
    struct Case {
        const char *network, *address;
        bool isIn;
    };
    for (const Case& one :
         {Case{"10.0.0.0/8", "10.255.1.2", true}, Case{"10.0.0.0/8", "11.0.0.0", false},
          Case{"192.0.2.7", "192.0.2.7", true}, Case{"192.0.2.7", "192.0.2.6", false},
          Case{"192.0.2.128/25", "192.0.2.127", false}, Case{"192.0.2.128/25", "192.0.2.200", true},
          Case{"0.0.0.0/0", "1.2.3.4", true}, Case{"0.0.0.0/0", "::1", false},
          Case{"fd00::/8", "fdff::1", true}, Case{"fd00::/8", "fe00::1", false}, Case{"::1", "::1", true},
          Case{"10.0.0.0/8", "::ffff:10.1.1.1", true}}) {
        const auto network = Network::parse(one.network);
        ASSERT_TRUE(network) << one.network;
        EXPECT_EQ(network->contains(*loop::SocketAddress::parse(one.address, 80)), one.isIn)
            << one.network << " " << one.address;
    }
}

TEST(NetworkTest, RefusesWhatIsNone) {
    for (const char* text : {"", "/8", "10.0.0.0/", "10.0.0.0/33", "::/129", "10.0.0.0/-1", "host", "10.0.0",
                             "10.0.0.0/8/8", "unix:"}) {
        EXPECT_FALSE(Network::parse(text)) << text;
    }
}

} // namespace
} // namespace saker::net
