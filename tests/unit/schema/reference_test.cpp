#include "schema/reference.h"

#include "schema/document.h"
#include "unit/schema/sample_options.h"

#include <gmock/gmock.h>

namespace saker::schema {
namespace {

using ::testing::HasSubstr;
using testing::Sample;
using ::testing::StartsWith;

TEST(Reference, HasAChapterAGroupAndASectionAKey) {
    std::string page = referencePage(Sample::fields(), "# Head\n");
    EXPECT_THAT(page, StartsWith("# Head\n\n## Things\n\n### Port\n"));
    EXPECT_THAT(page, HasSubstr("## Part\n\n### Flag\n\nFlag. On or off."));
    EXPECT_THAT(page, HasSubstr("  - `\"Blue\"` or `7`: Cold.\n"));
    EXPECT_THAT(page, HasSubstr("| `Keep` | a whole number from 1 to 9 | `3` | How many. |"));
}

TEST(Reference, WritesAFileThatMeansTheDefaults) {
    const std::string_view first[] = {"Flag", "Headers"};
    std::string text = defaultFile(Sample::fields(), first, "// head\n");
    EXPECT_THAT(text, StartsWith("// head\n{\n  \"Flag\": false, // on or off\n  \"Headers\": { // Headers\n "
                                 "   \"A\": \"b\"\n  },\n  \"Port\": 80, // Port\n"));
    auto result = read(text);
    ASSERT_TRUE(result.ok()) << result.problems[0].text();
    Sample sample;
    sample.port = 1;
    sample.headers.clear();
    EXPECT_TRUE(decode(result.document, sample).empty());
    EXPECT_EQ(sample, Sample());
}

} // namespace
} // namespace saker::schema
