#include "routing/site.h"

#include <gtest/gtest.h>

namespace saker::routing {
namespace {

TEST(SiteRules, DefaultHeadersReplaceWhatIsThere) {
    SiteRules rules;
    rules.defaultHeaders = {{"server", "Mine"}, {"vary", "Accept-Encoding"}, {"Cache-Control", "max-age=1"}};
    http::ResponseHead head;
    head.set("Cache-Control", "no-store");
    rules.addDefaultHeaders(head);
    EXPECT_EQ(head.get("Cache-Control"), "max-age=1");
    EXPECT_EQ(head.get("Server"), "Mine");
    EXPECT_EQ(head.fields.size(), 3u);
}

TEST(SiteRules, ErrorsGetTheServerFieldOnly) {
    SiteRules rules;
    rules.defaultHeaders = {{"Cache-Control", "max-age=1"}, {"server", "Mine"}, {"X-A", "b"}};
    http::ResponseHead head;
    rules.addServer(head);
    EXPECT_EQ(head.get("Server"), "Mine");
    EXPECT_EQ(head.fields.size(), 1u);
    http::ResponseHead none;
    SiteRules().addServer(none);
    EXPECT_TRUE(none.fields.empty()) << "who takes the field out of DefaultHeaders wants none";
}

TEST(SiteRules, CaseModes) {
    SiteRules rules;
    EXPECT_EQ(rules.caseMode(), CaseMode::fold);
    rules.casePolicy = CasePolicy::redirect;
    EXPECT_EQ(rules.caseMode(), CaseMode::fold);
    rules.casePolicy = CasePolicy::sensitive;
    EXPECT_EQ(rules.caseMode(), CaseMode::exact);
}

TEST(SiteRulesTest, LeavesToProgramsWhatOnlyTheyKnow) {
    SiteRules rules;
    rules.defaultHeaders = {{"Server", "Saker"},
                            {"vary", "Accept-Encoding"},
                            {"cache-control", "max-age=300"},
                            {"Accept-Ranges", "bytes"},
                            {"Access-Control-Allow-Origin", "*"}};
    http::ResponseHead head;
    head.set("Vary", "Cookie");
    rules.addDynamicHeaders(head);
    EXPECT_EQ(head.get("Vary"), "Cookie");
    EXPECT_EQ(head.get("Server"), "Saker");
    EXPECT_EQ(head.fields.size(), 2U);
}

} // namespace
} // namespace saker::routing
