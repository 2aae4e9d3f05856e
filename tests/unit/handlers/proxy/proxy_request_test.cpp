#include "handlers/proxy/proxy_request.h"

#include "http/h1/request_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace saker::proxy {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class ProxyRequestTest : public ::testing::Test {
protected:
    std::string passed(std::string text) {
        text_ = std::move(text);
        http::RequestParser parser(limits_);
        EXPECT_EQ(parser.parse(text_, head_), http::RequestParser::State::complete) << text_;
        std::string out;
        context_.upstreamAuthority = "backend:8080";
        appendProxyHead(context_, out);
        return out;
    }

    http::RequestLimits limits_;
    http::RequestHead head_;
    std::string text_;
    loop::SocketAddress peer_ = *loop::SocketAddress::parse("198.51.100.7", 40000);
    loop::SocketAddress local_ = *loop::SocketAddress::parse("192.0.2.1", 443);
    ProxyContext context_{head_, peer_, local_};
};

TEST_F(ProxyRequestTest, passesARequestOn) {
    context_.isEncrypted = true;
    EXPECT_EQ(passed("GET /a%20b?c=%3F HTTP/1.1\r\nHost: example.com\r\nAccept: */*\r\nCookie: a=1\r\n\r\n"),
              "GET /a%20b?c=%3F HTTP/1.1\r\n"
              "Host: backend:8080\r\n"
              "Accept: */*\r\n"
              "Cookie: a=1\r\n"
              "X-Forwarded-For: 198.51.100.7\r\n"
              "X-Forwarded-Proto: https\r\n"
              "X-Forwarded-Host: example.com\r\n"
              "X-Forwarded-Port: 443\r\n"
              "X-Real-IP: 198.51.100.7\r\n"
              "CF-Connecting-IP: 198.51.100.7\r\n"
              "Forwarded: for=198.51.100.7;proto=https;host=\"example.com\"\r\n"
              "Via: 1.1 saker\r\n");
}

TEST_F(ProxyRequestTest, dropsWhatBelongsToTheClientsConnection) {
    const std::string out = passed(
        "POST / HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, X-Private , close\r\nX-Private: x\r\n"
        "X-Public: y\r\nKeep-Alive: 5\r\nProxy-Connection: x\r\nTE: gzip\r\nTrailer: z\r\nUpgrade: h2c\r\n"
        "HTTP2-Settings: x\r\nProxy-Authorization: x\r\nContent-Length: 3\r\nExpect: 100-continue\r\n"
        "Proxy: http://evil\r\n\r\n");
    EXPECT_THAT(out, HasSubstr("\r\nX-Public: y\r\n"));
    for (const char* gone : {"X-Private", "Keep-Alive", "Proxy", "TE:", "Trailer", "Upgrade", "HTTP2",
                             "Connection:", "Content-Length", "Expect"}) {
        EXPECT_THAT(out, Not(HasSubstr(gone)));
    }
}

TEST_F(ProxyRequestTest, believesOnlyTrustedProxies) {
    const std::string request =
        "GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 1.1.1.1\r\nX_Forwarded_For: 2.2.2.2\r\n"
        "x-forwarded-for: 3.3.3.3\r\nX-Forwarded-Proto: https\r\nForwarded: for=4.4.4.4\r\nVia: 1.0 other\r\n"
        "X-Real-IP: 5.5.5.5\r\n\r\n";
    std::string out = passed(request);
    for (const char* claimed : {"1.1.1.1", "2.2.2.2", "3.3.3.3", "4.4.4.4", "5.5.5.5", "https"}) {
        EXPECT_THAT(out, Not(HasSubstr(claimed)));
    }
    EXPECT_THAT(out, HasSubstr("Via: 1.0 other, 1.1 saker\r\n"));
    context_.isPeerTrusted = true;
    out = passed(request);
    EXPECT_THAT(out, HasSubstr("\r\nX-Forwarded-For: 1.1.1.1, 3.3.3.3, 198.51.100.7\r\n"));
    EXPECT_THAT(out, HasSubstr("\r\nX-Forwarded-Proto: https\r\n"));
    EXPECT_THAT(out, HasSubstr("\r\nForwarded: for=4.4.4.4, for=198.51.100.7;proto=http;host=\"a\"\r\n"));
    EXPECT_THAT(out, HasSubstr("\r\nX-Real-IP: 5.5.5.5\r\n"));
    EXPECT_THAT(out, Not(HasSubstr("2.2.2.2")));
}

TEST_F(ProxyRequestTest, choosesTargetAndHost) {
    context_.hostPolicy = HostPolicy::client;
    EXPECT_THAT(passed("GET http://x.example:81/p?q HTTP/1.1\r\nHost: y\r\n\r\n"),
                StartsWith("GET /p?q HTTP/1.1\r\nHost: x.example:81\r\n"));
    EXPECT_THAT(passed("GET http://x.example?q HTTP/1.1\r\nHost: y\r\n\r\n"),
                StartsWith("GET /?q HTTP/1.1\r\n"));
    EXPECT_THAT(passed("OPTIONS * HTTP/1.1\r\nHost: y\r\n\r\n"),
                StartsWith("OPTIONS * HTTP/1.1\r\nHost: y\r\n"));
    EXPECT_THAT(passed("GET / HTTP/1.0\r\n\r\n"), StartsWith("GET / HTTP/1.1\r\nHost: backend:8080\r\n"));
    EXPECT_THAT(passed("GET / HTTP/1.0\r\n\r\n"), HasSubstr("Via: 1.0 saker\r\n"));
    context_.target = "/base/p";
    EXPECT_THAT(passed("BREW /p HTTP/1.1\r\nHost: y\r\n\r\n"), StartsWith("BREW /base/p HTTP/1.1\r\n"));
}

TEST_F(ProxyRequestTest, setsConfiguredFields) {
    const std::vector<std::pair<std::string, std::string>> fields{
        {"X-Env", "test"}, {"cookie", ""}, {"via", ""}};
    context_.fields = &fields;
    const std::string out = passed("GET / HTTP/1.1\r\nHost: y\r\nCookie: a\r\nX-ENV: mine\r\n\r\n");
    EXPECT_THAT(out, HasSubstr("X-Env: test\r\n"));
    EXPECT_THAT(out, Not(HasSubstr("Cookie")));
    EXPECT_THAT(out, Not(HasSubstr("mine")));
    EXPECT_THAT(out, Not(HasSubstr("Via")));
}

TEST_F(ProxyRequestTest, passesUpgradesAndTrailersWhenAsked) {
    EXPECT_THAT(passed("GET / HTTP/1.1\r\nHost: y\r\nTE: gzip, trailers\r\nConnection: TE\r\n\r\n"),
                HasSubstr("TE: trailers\r\nConnection: TE\r\n"));
    context_.isUpgrade = true;
    EXPECT_THAT(passed("GET / HTTP/1.1\r\nHost: y\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"),
                HasSubstr("Connection: upgrade\r\nUpgrade: websocket\r\n"));
    context_.webSocketKey = "ours==";
    const std::string out =
        passed("GET / HTTP/1.1\r\nHost: y\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
               "Sec-WebSocket-Key: theirs==\r\nSec-WebSocket-Protocol: chat\r\n\r\n");
    EXPECT_THAT(out, HasSubstr("Sec-WebSocket-Key: ours==\r\n"));
    EXPECT_THAT(out, HasSubstr("Sec-WebSocket-Protocol: chat\r\n"));
    EXPECT_THAT(out, Not(HasSubstr("theirs")));
}

TEST(ForwardedNodeTest, quotesIpv6) {
    EXPECT_EQ(forwardedNode(*loop::SocketAddress::parse("2001:db8::1", 1)), "\"[2001:db8::1]\"");
    EXPECT_EQ(forwardedNode({}), "unknown");
}

} // namespace
} // namespace saker::proxy
