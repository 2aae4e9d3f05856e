#include "http/trusted_proxies.h"

#include "http/h1/request_parser.h"

#include <gtest/gtest.h>

namespace saker::http {
namespace {

struct Read {
    std::string client; // "": the peer
    bool isTrusted, isEncrypted;
};

Read readFrom(std::string_view peer, std::string_view fields) {
    const TrustedProxies proxies({"10.0.0.0/8", "::1"});
    const std::string text = "GET / HTTP/1.1\r\nHost: a\r\n" + std::string(fields) + "\r\n";
    const RequestLimits limits;
    RequestHead head;
    RequestParser parser(limits);
    EXPECT_EQ(parser.parse(text, head), RequestParser::State::complete);
    const ForwardedClient told = proxies.read(head, *loop::SocketAddress::parse(peer, 1));
    return {told.client.family == loop::SocketAddress::Family::none ? "" : told.client.host(), told.isTrusted,
            told.isEncrypted};
}

TEST(TrustedProxiesTest, BelievesOnlyTrustedPeers) {
    const Read read = readFrom("192.0.2.1", "X-Forwarded-For: 1.2.3.4\r\nX-Forwarded-Proto: https\r\n");
    EXPECT_EQ(read.client, "");
    EXPECT_FALSE(read.isTrusted);
    EXPECT_FALSE(read.isEncrypted);
}

TEST(TrustedProxiesTest, TakesTheLastAddressThatIsNoProxy) {
    struct Case {
        const char *fields, *client;
        bool isEncrypted;
    };
    const Case cases[] = {
        {"", "", false},
        {"X-Forwarded-For: 1.2.3.4\r\n", "1.2.3.4", false},
        {"X-Forwarded-For: 6.6.6.6, 1.2.3.4\r\nX-Forwarded-Proto: https\r\n", "1.2.3.4", true},
        {"X-Forwarded-For: 6.6.6.6\r\nX-Forwarded-For: 1.2.3.4, 10.1.1.1\r\n", "1.2.3.4", false},
        {"X-Forwarded-For: 10.2.2.2, 10.1.1.1\r\n", "10.2.2.2", false},
        {"X-Forwarded-For: 1.2.3.4, unknown, 10.1.1.1\r\n", "10.1.1.1", false},
        {"X-Forwarded-For: bad\r\n", "", false},
        {"X-Forwarded-For: 1.2.3.4:567\r\n", "1.2.3.4", false},
        {"X-Forwarded-For: [2001:db8::1]:567\r\n", "2001:db8::1", false},
        {"Forwarded: for=6.6.6.6, for=\"[2001:db8::2]:4\";proto=https;by=x\r\n", "2001:db8::2", true},
        {"Forwarded: For=1.2.3.4;Proto=http, for=10.1.1.1;proto=https\r\n", "1.2.3.4", false},
        {"X-Forwarded-For: 1.2.3.4\r\nForwarded: for=6.6.6.6;proto=https\r\n", "1.2.3.4", false},
    };
    for (const Case& one : cases) {
        const Read read = readFrom("10.0.0.1", one.fields);
        EXPECT_TRUE(read.isTrusted);
        EXPECT_EQ(read.client, one.client) << one.fields;
        EXPECT_EQ(read.isEncrypted, one.isEncrypted) << one.fields;
    }
}

} // namespace
} // namespace saker::http
