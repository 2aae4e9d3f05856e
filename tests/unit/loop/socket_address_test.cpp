#include "loop/socket_address.h"

#include "loop/native_address.h"

#include <gtest/gtest.h>

namespace saker::loop {
namespace {

TEST(SocketAddressTest, parsesAndPrints) {
    const struct {
        const char* given;
        const char* host;
        const char* text;
    } cases[] = {
        {"127.0.0.1", "127.0.0.1", "127.0.0.1:80"},
        {"0.0.0.0", "0.0.0.0", "0.0.0.0:80"},
        {"255.255.255.255", "255.255.255.255", "255.255.255.255:80"},
        {"::1", "::1", "[::1]:80"},
        {"[::1]", "::1", "[::1]:80"},
        {"::", "::", "[::]:80"},
        {"1::", "1::", "[1::]:80"},
        {"2001:DB8:0:0:0:0:0:1", "2001:db8::1", "[2001:db8::1]:80"},
        {"2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1", "[2001:db8::1:0:0:1]:80"},
        {"2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1", "[2001:db8:0:1:1:1:1:1]:80"},
        {"0:0:0:1::", "0:0:0:1::", "[0:0:0:1::]:80"},
        {"fe80::0123:4567", "fe80::123:4567", "[fe80::123:4567]:80"},
        {"1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0", "[1:2:3:4:5:6:7:0]:80"},
        {"64:ff9b::1.2.3.4", "64:ff9b::102:304", "[64:ff9b::102:304]:80"},
        {"::ffff:10.0.0.1", "10.0.0.1", "10.0.0.1:80"},
    };
    for (const auto& c : cases) {
        const auto address = SocketAddress::parse(c.given, 80);
        ASSERT_TRUE(address) << c.given;
        EXPECT_EQ(address->host(), c.host) << c.given;
        EXPECT_EQ(address->text(), c.text) << c.given;
        EXPECT_EQ(*SocketAddress::parse(address->host(), 80), *address) << c.given;
        const NativeAddress native = NativeAddress::from(*address);
        EXPECT_EQ(fromNative(native.storage.data(), native.length), *address) << c.given;
    }
}

TEST(SocketAddressTest, refusesWhatIsNoAddress) {
    for (const char* text : {"",
                             "localhost",
                             "1.2.3",
                             "1.2.3.4.5",
                             "256.0.0.1",
                             "01.2.3.4",
                             "1.2.3.4 ",
                             "1..2.3",
                             ":",
                             ":::",
                             "1:2",
                             "1:2:3:4:5:6:7:8:9",
                             "1::2::3",
                             "12345::",
                             "::g",
                             "1:2:3:4:5:6:7:8::",
                             "[127.0.0.1]",
                             "[::1",
                             "::1]",
                             "::1.2.3",
                             "::1.2.3.4:5",
                             "1:2:3:4:5:6:7:1.2.3.4",
                             "1:",
                             "fe80::1%eth0",
                             "0x7f.1"}) {
        const auto address = SocketAddress::parse(text, 80);
        ASSERT_FALSE(address) << text;
        EXPECT_NE(address.error().message.find(text), std::string::npos);
    }
}

TEST(SocketAddressTest, knowsLoopbackAndAny) {
    const auto of = [](const char* text) { return *SocketAddress::parse(text, 1); };
    EXPECT_TRUE(of("127.0.0.1").isLoopback());
    EXPECT_TRUE(of("127.200.0.9").isLoopback());
    EXPECT_TRUE(of("::1").isLoopback());
    EXPECT_FALSE(of("::2").isLoopback());
    EXPECT_FALSE(of("0.0.0.0").isLoopback());
    EXPECT_TRUE(of("0.0.0.0").isAny());
    EXPECT_TRUE(of("::").isAny());
    EXPECT_FALSE(of("::1").isAny());
    EXPECT_FALSE(SocketAddress{}.isAny());
    EXPECT_EQ(SocketAddress{}.text(), "unknown");
    SocketAddress local;
    local.family = SocketAddress::Family::local;
    EXPECT_EQ(local.text(), "unix:");
    EXPECT_TRUE(local.isLoopback());
}

TEST(SocketAddressTest, isSmall) {
    EXPECT_LE(sizeof(SocketAddress), 20U);
}

} // namespace
} // namespace saker::loop
