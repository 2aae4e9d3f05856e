#include "http/web_socket_handshake.h"

#include <gtest/gtest.h>

namespace saker::http {
namespace {

TEST(WebSocketHandshake, AcceptsKeys) {
    EXPECT_EQ(webSocketAccept("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="); // RFC 6455
    EXPECT_EQ(webSocketAccept(""), "Kfh9QIsMVZcl6xEPYxPHzW8SZ8w=");
    // Around the size at which another block is needed: computed with another implementation.
    EXPECT_EQ(webSocketAccept(std::string(19, 'a')), "yzaGyu0mcUukN7CdsSwa30tnCpc=");
    EXPECT_EQ(webSocketAccept(std::string(20, 'a')), "dUYRM7bOMwDmbriNIPr11x+r3E0=");
    EXPECT_EQ(webSocketAccept(std::string(28, 'a')), "xMWmCBqYJY4uXzUs8PNU1t+Pzro=");
    EXPECT_EQ(webSocketAccept(std::string(100, 'a')), "+taVhj8zzaJPYE6HHo1ugamK/Ug=");
}

TEST(WebSocketHandshake, MakesKeysThatDiffer) {
    const std::string key = makeWebSocketKey();
    EXPECT_EQ(key.size(), 24U);
    EXPECT_TRUE(key.ends_with("=="));
    EXPECT_NE(makeWebSocketKey(), key);
}

} // namespace
} // namespace saker::http
