#include "handlers/proxy/route_target.h"

#include "http/h1/request_parser.h"

#include <gtest/gtest.h>

namespace saker::proxy {
namespace {

/// For a request of this target.
std::string targetOf(const RoutePaths& paths, const std::string& target, std::string_view base = {}) {
    const std::string text = "GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n";
    http::RequestHead head;
    const http::RequestLimits limits;
    http::RequestParser parser(limits);
    EXPECT_EQ(parser.parse(text, head), http::RequestParser::State::complete);
    std::string scratch;
    const http::NormalPath path = http::normalisePath(head.path(), scratch);
    return routeTarget(paths, head, path, base);
}

TEST(RouteTargetTest, LeavesWhatTheClientWrote) {
    const RoutePaths paths = RoutePaths::make("/api/", false, "");
    EXPECT_EQ(targetOf(paths, "/api/a%20b/?x=%2f"), "/api/a%20b/?x=%2f");
    EXPECT_EQ(targetOf(paths, "/api"), "/api");
    EXPECT_EQ(targetOf(paths, "/api/x?", "/base"), "/base/api/x?");
}

TEST(RouteTargetTest, TakesAwayOrReplacesThePrefix) {
    const RoutePaths stripped = RoutePaths::make("/api/", true, "");
    EXPECT_EQ(targetOf(stripped, "/api/user?id=1"), "/user?id=1");
    EXPECT_EQ(targetOf(stripped, "/api"), "/");
    EXPECT_EQ(targetOf(stripped, "/api/"), "/");
    EXPECT_EQ(targetOf(stripped, "/%61pi/user/"), "/user/");
    EXPECT_EQ(targetOf(stripped, "/api/x", "/base"), "/base/x");
    const RoutePaths other = RoutePaths::make("/api/v1", false, "/v2/");
    EXPECT_EQ(targetOf(other, "/api/v1/user"), "/v2/user");
    EXPECT_EQ(targetOf(other, "/api/v1"), "/v2");
    EXPECT_EQ(targetOf(RoutePaths::make("/", false, "/app"), "/x"), "/app/x");
    EXPECT_EQ(targetOf(RoutePaths::make("/", true, ""), "/x"), "/x");
}

TEST(RouteTargetTest, SendsNoPathThatMeansAnother) {
    const RoutePaths paths = RoutePaths::make("/api/", true, "");
    EXPECT_EQ(targetOf(paths, "/x/../api/./a%20b//c"), "/a%20b/c");
    EXPECT_EQ(targetOf(paths, "/x/%2e%2e/api/y/"), "/y/");
    EXPECT_EQ(targetOf(paths, "//api//y"), "/y");
}

TEST(RouteTargetTest, LeadsRedirectsBackThroughTheRoute) {
    const RoutePaths stripped = RoutePaths::make("/api/", true, "");
    const std::string origin = "http://127.0.0.1:3000";
    EXPECT_EQ(routeLocation(stripped, "", origin, "/login?x"), "/api/login?x");
    EXPECT_EQ(routeLocation(stripped, "", origin, "http://127.0.0.1:3000/login"), "/api/login");
    EXPECT_EQ(routeLocation(stripped, "", origin, "http://127.0.0.1:3000"), "/api");
    EXPECT_EQ(routeLocation(stripped, "", origin, "http://127.0.0.1:30001/login"), "");
    EXPECT_EQ(routeLocation(stripped, "", origin, "https://elsewhere/login"), "");
    EXPECT_EQ(routeLocation(stripped, "", origin, "//elsewhere/login"), "");
    EXPECT_EQ(routeLocation(stripped, "", origin, "next"), "");
    const RoutePaths kept = RoutePaths::make("/api/", false, "");
    EXPECT_EQ(routeLocation(kept, "", origin, "http://127.0.0.1:3000/api/x"), "/api/x");
    EXPECT_EQ(routeLocation(kept, "/base", origin, "/base/api/x"), "/api/x");
    EXPECT_EQ(routeLocation(kept, "/base", origin, "/other"), "");
    EXPECT_EQ(routeLocation(kept, "/base", origin, "/basement"), "");
}

} // namespace
} // namespace saker::proxy
