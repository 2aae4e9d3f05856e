#include "http/authority.h"

#include <gtest/gtest.h>

namespace saker::http {
namespace {

struct Case {
    std::string_view text, host;
    std::optional<std::uint16_t> port;
    bool isIpv6;
};

TEST(Authority, IsTakenApart) {
    const Case cases[] = {
        {"example.com", "example.com", std::nullopt, false},
        {"Example.COM:8080", "Example.COM", 8080, false},
        {"example.com.", "example.com.", std::nullopt, false},
        {"example.com:", "example.com", std::nullopt, false},
        {"127.0.0.1:80", "127.0.0.1", 80, false},
        {"a_b-c~d:0", "a_b-c~d", 0, false},
        {"a:65535", "a", 65535, false},
        {"[::1]", "::1", std::nullopt, true},
        {"[::]:80", "::", 80, true},
        {"[2001:db8::8:800:200C:417A]:443", "2001:db8::8:800:200C:417A", 443, true},
        {"[1:2:3:4:5:6:7:8]", "1:2:3:4:5:6:7:8", std::nullopt, true},
        {"[1:2:3:4:5:6:7::]", "1:2:3:4:5:6:7::", std::nullopt, true},
        {"[::ffff:192.0.2.1]", "::ffff:192.0.2.1", std::nullopt, true},
        {"[1:2:3:4:5:6:1.2.3.4]:", "1:2:3:4:5:6:1.2.3.4", std::nullopt, true},
    };
    for (const Case& c : cases) {
        auto authority = splitAuthority(c.text);
        ASSERT_TRUE(authority) << c.text;
        EXPECT_EQ(authority->host, c.host);
        EXPECT_EQ(authority->port, c.port) << c.text;
        EXPECT_EQ(authority->isIpv6, c.isIpv6) << c.text;
    }
}

TEST(Authority, IsRefused) {
    for (std::string_view text : {"",
                                  ":80",
                                  "a b",
                                  "a/b",
                                  "a\\b",
                                  "u@a",
                                  "u:p@a",
                                  "a:b",
                                  "a:80:80",
                                  "a:65536",
                                  "a:000080",
                                  "a:+80",
                                  "a:-1",
                                  "..",
                                  ".",
                                  ".a",
                                  "a..b",
                                  "a..",
                                  "%61",
                                  "a%00",
                                  "a,b c",
                                  "a?b",
                                  "a#b",
                                  "caf\xc3\xa9",
                                  "::1",
                                  "[",
                                  "[]",
                                  "[::1",
                                  "[:]",
                                  "[:::]",
                                  "[1::2::3]",
                                  "[12345::]",
                                  "[1:2:3:4:5:6:7]",
                                  "[1:2:3:4:5:6:7:8:9]",
                                  "[1:2:3:4:5:6:7:8::]",
                                  "[1:2:3:4:5:6:7:]",
                                  "[::1%eth0]",
                                  "[::g]",
                                  "[::1]x",
                                  "[::1]80",
                                  "[::256.0.0.1]",
                                  "[::1.2.3]",
                                  "[::1.2.3.4.5]",
                                  "[::01.2.3.4]",
                                  "[1.2.3.4]",
                                  "[v1.a]",
                                  "[::1.2.3.4:1]",
                                  "\"a\"",
                                  "<a>"}) {
        EXPECT_FALSE(splitAuthority(text)) << text;
        EXPECT_FALSE(isAuthority(text)) << text;
    }
}

TEST(Authority, HostsAreFolded) {
    std::string scratch;
    std::string_view clean = "example.com";
    EXPECT_EQ(foldHost(clean, scratch).data(), clean.data());
    EXPECT_EQ(foldHost("example.com.", scratch), "example.com");
    EXPECT_EQ(foldHost("EXAMPLE.com.", scratch), "example.com");
    EXPECT_EQ(foldHost("", scratch), "");
}

} // namespace
} // namespace saker::http
