#include "upstream/forward_options.h"

#include <gtest/gtest.h>

namespace saker::upstream {
namespace {

std::string targetText(std::string_view value, std::string_view host) {
    const auto target = forwardTarget(value, host);
    return target ? target->text() : "none";
}

TEST(ForwardOptionsTest, PutsTheSitesHostInPlaceOfDomain) {
    EXPECT_EQ(targetText("http://{domain}:7001", "app.test"), "http://app.test:7001");
    EXPECT_EQ(targetText("http://{domain}.{domain}/x", "a"), "http://a.a/x");
    EXPECT_EQ(targetText("unix:/run/{domain}.sock", "app.test"), "unix:/run/app.test.sock");
    EXPECT_EQ(targetText("fcgi://127.0.0.1:9000", "anything at all"), "fcgi://127.0.0.1:9000");
    EXPECT_EQ(targetText("auto", "app.test"), "none");
    EXPECT_EQ(targetText("AUTO", "app.test"), "none");
}

TEST(ForwardOptionsTest, TakesNoHostThatChangesTheTarget) {
    for (std::string_view host : {"", "a:80", "a/b", "user@a", "a?b", "../etc", "a b"}) {
        EXPECT_EQ(targetText("http://{domain}:7001", host), "none") << host;
        EXPECT_EQ(targetText("unix:/run/{domain}.sock", host), "none") << host;
    }
}

TEST(ForwardOptionsTest, SetsLimitsByProtocol) {
    ForwardOptions options;
    options.httpProxyTimeout = std::chrono::seconds(7);
    options.fcgiReceiveTimeout = std::chrono::milliseconds(8);
    options.fcgiSendTimeout = std::chrono::milliseconds(9);
    options.fcgiMaxPoolSize = 3;
    options.bufferFastCGIResponse = true;
    const ExchangeOptions http = options.exchangeOptions(UpstreamTarget::Protocol::http);
    EXPECT_EQ(http.receiveTimeout, 7000U);
    EXPECT_EQ(http.bufferReply, 0U);
    const ExchangeOptions fastCgi = options.exchangeOptions(UpstreamTarget::Protocol::fastCgi);
    EXPECT_EQ(fastCgi.receiveTimeout, 8U);
    EXPECT_EQ(fastCgi.sendTimeout, 9U);
    EXPECT_GT(fastCgi.bufferReply, 0U);
    EXPECT_EQ(options.poolOptions(UpstreamTarget::Protocol::fastCgi).maxIdle, 3U);
    EXPECT_GT(options.poolOptions(UpstreamTarget::Protocol::fastCgi).backloggedAfter, 0U);
    EXPECT_EQ(options.poolOptions(UpstreamTarget::Protocol::http).backloggedAfter, 0U);
}

} // namespace
} // namespace saker::upstream
