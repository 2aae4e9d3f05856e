#include "tls/development_names.h"

#include <gtest/gtest.h>

namespace saker::tls {
namespace {

TEST(DevelopmentNames, MachineNamesAreSingleLabels) {
    EXPECT_EQ(machineDomain("MyLaptop"), "mylaptop");
    EXPECT_EQ(machineDomain("box-1"), "box-1");
    for (const char* name : {"", "a.example", "localhost", "test", "local", "not a name", "*"}) {
        EXPECT_EQ(machineDomain(name), "") << name;
    }
}

TEST(DevelopmentNames, BelowIsByLabels) {
    const std::vector<std::string> domains{"test", "home.arpa"};
    for (const char* name : {"test", "a.test", "a.b.test", "*.test", "home.arpa", "x.home.arpa"}) {
        EXPECT_TRUE(isBelow(name, domains)) << name;
    }
    for (const char* name : {"", "latest", "a.latest", "test.example", "arpa", "*", "nothome.arpa"}) {
        EXPECT_FALSE(isBelow(name, domains)) << name;
    }
}

TEST(DevelopmentNames, AddressesOfOnesOwnNetworks) {
    for (const char* text :
         {"127.0.0.1", "127.9.9.9", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.1.1",
          "::1", "fc00::1", "fdff::1", "fe80::1", "febf::1"}) {
        EXPECT_TRUE(isDevelopmentAddress(*loop::SocketAddress::parse(text, 0))) << text;
    }
    for (const char* text : {"8.8.8.8", "172.15.0.1", "172.32.0.1", "192.169.0.1", "11.0.0.1", "2001:db8::1",
                             "::2", "fec0::1", "fb00::1", "0.0.0.0", "::"}) {
        EXPECT_FALSE(isDevelopmentAddress(*loop::SocketAddress::parse(text, 0))) << text;
    }
    EXPECT_FALSE(isDevelopmentAddress({}));
}

} // namespace
} // namespace saker::tls
