#include "tls/plain_http.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace saker::tls {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(PlainHttp, leadsToTheAddressThatWasMeant) {
    struct Case {
        std::string head;
        std::uint16_t port;
        std::string link;
    };
    for (const Case& one : {
             Case{"GET /a/b?c HTTP/1.1\r\nHost: example.com\r\n\r\n", 443, "https://example.com/a/b?c"},
             Case{"GET / HTTP/1.1\r\nhost:  example.com:8443 \r\n\r\n", 8443, "https://example.com:8443/"},
             Case{"GET / HTTP/1.1\nHost: example.com\n\n", 8443, "https://example.com:8443/"},
             Case{"GET / HTTP/1.1\r\nHost: [::1]\r\n\r\n", 8443, "https://[::1]:8443/"},
             Case{"GET / HTTP/1.1\r\nHost: [::1]:90\r\n\r\n", 90, "https://[::1]:90/"},
             Case{"GET //evil.test/ HTTP/1.1\r\nHost: example.com\r\n\r\n", 443, "https://example.com/\""},
             Case{"PRI * HTTP/2.0\r\nHost: example.com\r\n\r\n", 443, "https://example.com/\""},
             Case{"GET /\"><script> HTTP/1.1\r\nHost: example.com\r\n\r\n", 443,
                  "https://example.com/&quot;&gt;&lt;script&gt;"},
         }) {
        const std::string answer = plainHttpAnswer(one.head, one.port, 784111777);
        EXPECT_THAT(answer, HasSubstr("HTTP/1.1 400 Bad Request\r\n"));
        EXPECT_THAT(answer, HasSubstr("\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"));
        EXPECT_THAT(answer, HasSubstr("\r\nConnection: close\r\n"));
        EXPECT_THAT(answer, HasSubstr(one.link));
    }
}

TEST(PlainHttp, hasNoLinkWithoutAHost) {
    for (const char* head : {"GET / HTTP/1.0\r\n\r\n", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
                             "GET / HTTP/1.1\r\nHost: \"><b>\r\n\r\n", "x", ""}) {
        EXPECT_THAT(plainHttpAnswer(head, 443, 0), Not(HasSubstr("href")));
    }
}

TEST(PlainHttp, sendsNoBodyToHead) {
    EXPECT_TRUE(plainHttpAnswer("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n", 443, 0).ends_with("\r\n\r\n"));
}

TEST(PlainHttp, knowsWhenAHeadIsComplete) {
    EXPECT_TRUE(isPlainHeadComplete("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
    EXPECT_TRUE(isPlainHeadComplete("GET /\n\n"));
    EXPECT_FALSE(isPlainHeadComplete("GET / HTTP/1.1\r\nHost: a\r\n"));
    EXPECT_TRUE(isPlainHeadComplete(std::string(kMaxPlainHead, 'x')));
    EXPECT_TRUE(beginsPlainHttp('G') && beginsPlainHttp('z'));
    EXPECT_FALSE(beginsPlainHttp('\x16') || beginsPlainHttp('\x80') || beginsPlainHttp('\0'));
}

} // namespace
} // namespace saker::tls
