#include "upstream/route_options.h"

#include "schema/description.h"
#include "schema/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace saker::upstream {
namespace {

using testing::HasSubstr;

schema::Problems decode(std::string text, RouteOptions& options) {
    const schema::ReadResult read = schema::read(std::move(text));
    EXPECT_TRUE(read.ok());
    return schema::decode(read.document, options);
}

TEST(RouteOptionsTest, TakesServersAsTextsAndAsObjects) {
    RouteOptions options;
    EXPECT_TRUE(decode(R"({"Path": "/api/", "Proxy": ["http://127.0.0.1:3000",
                        {"Url": "unix:/run/app.sock", "Weight": 3}, "http://{domain}:80"],
                        "Balance": "least-connections", "Buffering": true, "Timeout": "2s"})",
                       options)
                    .empty());
    ASSERT_EQ(options.proxy.size(), 3u);
    EXPECT_EQ(options.proxy[1].weight, 3u);
    EXPECT_EQ(options.balance, BalancePolicy::leastConnections);
    EXPECT_EQ(options.exchangeOptions(std::chrono::seconds(9)).receiveTimeout, 2000u);
    EXPECT_GT(options.exchangeOptions({}).bufferReply, 0u);
}

TEST(RouteOptionsTest, SaysWhereItIsWrong) {
    struct Case {
        std::string text, pointer, message;
    };
    const Case cases[] = {
        {R"({"Path": "api", "Proxy": ["http://a"]})", "/Path", "begins with /"},
        {R"({"Path": "/a?b", "Proxy": ["http://a"]})", "/Path", "? and #"},
        {R"({"Path": "/../a", "Proxy": ["http://a"]})", "/Path", "no path"},
        {R"({"Path": "/"})", "/Proxy", "found 0"},
        {R"({"Path": "/", "Proxy": ["http://a", "ftp://b"]})", "/Proxy/1", "ftp://b"},
        {R"({"Path": "/", "Proxy": ["fcgi://b:1"]})", "/Proxy/0", "FastCGI"},
        {R"({"Path": "/", "Proxy": [{"Url": "http://a", "Weight": 0}]})", "/Proxy/0/Weight", "1"},
        {R"({"Path": "/", "Proxy": ["http://a"], "Balance": "x"})", "/Balance", "round-robin"},
        {R"({"Path": "/", "Proxy": ["http://a"], "Rewrite": "/x", "StripPrefix": true})", "/Rewrite", "both"},
        {R"({"Path": "/", "Proxy": ["http://a"], "RequestHeaders": {"a b": "c"}})", "/RequestHeaders/a b",
         ""},
        {R"({"Path": "/", "Proxy": ["http://a"], "StickyCookie": "a;b"})", "/StickyCookie", "cookie"},
    };
    for (const Case& one : cases) {
        RouteOptions options;
        const schema::Problems problems = decode(one.text, options);
        ASSERT_EQ(problems.size(), 1u) << one.text;
        EXPECT_EQ(problems[0].pointer, one.pointer) << one.text;
        EXPECT_THAT(problems[0].message, HasSubstr(one.message));
    }
}

} // namespace
} // namespace saker::upstream
