#include "http/configured_field.h"

#include <gmock/gmock.h>

namespace saker::http {
namespace {

using ::testing::HasSubstr;

TEST(ConfiguredField, TakesWellFormedLines) {
    for (const char* line :
         {"Content-Type: text/html", "X-Empty:", "X: a\tb", "Link: <a>; rel=\"x\"", "X: \xc3\xa4"}) {
        EXPECT_EQ(fieldLineProblem(line), "") << line;
    }
}

TEST(ConfiguredField, SaysWhatIsWrong) {
    struct Case {
        const char* line;
        const char* problem;
    };
    const Case cases[] = {
        {"no colon", "without a colon"},          {": value", "not a header name"},
        {"A B: c", "not a header name"},          {"A : c", "not a header name"},
        {"A: b\r\nC: d", "control character"},    {"A: \x7f", "control character"},
        {"content-length: 1", "the server sets"}, {"Transfer-Encoding: chunked", "the server sets"},
        {"\xc3\xa4: b", "not a header name"},
    };
    for (const Case& c : cases) {
        EXPECT_THAT(fieldLineProblem(c.line), HasSubstr(c.problem)) << c.line;
    }
}

} // namespace
} // namespace saker::http
