#include "routing/error_pages.h"

#include "base/text.h"
#include "http/status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace saker::routing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kAttack = "\"><script>alert('x')</script>&";
constexpr const char* kHarmless = "&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;";

TEST(ErrorPages, EveryStatusHasASmallPageOfItsOwn) {
    for (int status = 400; status <= 511; ++status) {
        ErrorFacts facts;
        facts.status = status;
        facts.host = "example.com";
        facts.path = "/some/path.html";
        facts.reference = "2f6c01a4e9";
        Page page = errorPage(facts, PageFormat::html);
        EXPECT_EQ(page.contentType, "text/html; charset=utf-8");
        EXPECT_LE(page.body.size(), 2048u) << status;
        EXPECT_THAT(page.body, HasSubstr("<title>" + std::to_string(status) + " "));
        EXPECT_THAT(page.body, HasSubstr("example.com/some/path.html<br>2f6c01a4e9"));
        EXPECT_THAT(page.body, Not(HasSubstr("${")));
        EXPECT_THAT(page.body, Not(HasSubstr("http"))); // nothing remote
        EXPECT_TRUE(isUtf8(page.body));
        EXPECT_THAT(std::string(errorSentence(status)), EndsWith("."));
    }
}

TEST(ErrorPages, OptionalPartsAreLeftOut) {
    ErrorFacts facts;
    facts.status = 404;
    Page page = errorPage(facts, PageFormat::html);
    EXPECT_THAT(page.body, Not(HasSubstr("<pre>")));
    EXPECT_THAT(page.body, Not(HasSubstr("<br>")));
    facts.detail = "handler: static\nrule: none";
    facts.sentence = "Another sentence.";
    page = errorPage(facts, PageFormat::html);
    EXPECT_THAT(page.body, HasSubstr("<pre>handler: static\nrule: none</pre>"));
    EXPECT_THAT(page.body, HasSubstr("Another sentence."));
}

TEST(ErrorPages, NothingOfARequestIsMarkup) {
    ErrorFacts facts;
    facts.status = 404;
    facts.host = facts.path = facts.referer = facts.reference = facts.detail = facts.sentence = kAttack;
    Page page = errorPage(facts, PageFormat::html);
    EXPECT_THAT(page.body, Not(HasSubstr("<script")));
    EXPECT_THAT(page.body, HasSubstr(kHarmless));
    page = siteErrorPage("${0}|${referer}|${host}|${path}|${reference}", facts);
    std::string one = kHarmless;
    EXPECT_EQ(page.body, one + "|" + one + "|" + one + "|" + one + "|" + one);
}

TEST(ErrorPages, JsonIsProblemDetails) {
    ErrorFacts facts;
    facts.status = 403;
    facts.path = "/a\"b";
    facts.reference = "77";
    Page page = errorPage(facts, PageFormat::json);
    EXPECT_EQ(page.contentType, "application/problem+json");
    EXPECT_EQ(page.body,
              "{\"type\":\"about:blank\",\"status\":403,\"title\":\"Forbidden\",\"detail\":\"You may not see "
              "this page.\",\"instance\":\"/a\\\"b\",\"reference\":\"77\"}\n");
}

TEST(ErrorPages, TextIsShort) {
    ErrorFacts facts;
    facts.status = 501;
    Page page = errorPage(facts, PageFormat::text);
    EXPECT_EQ(page.contentType, "text/plain; charset=utf-8");
    EXPECT_EQ(page.body, "501 Not Implemented\nThe server does not know how to do this.\n");
}

TEST(ErrorPages, SitePagesKeepWhatTheyDoNotName) {
    ErrorFacts facts;
    facts.status = 404;
    facts.referer = "http://other.example/?a=1&b=2";
    Page page = siteErrorPage("<a href=\"${0}\">${status} ${reason}</a><script>`${count}`</script>", facts);
    EXPECT_EQ(page.contentType, "text/html; charset=utf-8");
    EXPECT_EQ(page.body,
              "<a href=\"http://other.example/?a=1&amp;b=2\">404 Not Found</a><script>`${count}`</script>");
    EXPECT_EQ(siteErrorPage("", facts).body, "");
}

TEST(ErrorPages, FilesAreNamedByStatusAndClass) {
    EXPECT_THAT(errorFileNames(404), testing::ElementsAre("error404.html", "error4xx.html"));
    EXPECT_THAT(errorFileNames(503), testing::ElementsAre("error503.html", "error5xx.html"));
}

} // namespace
} // namespace saker::routing
