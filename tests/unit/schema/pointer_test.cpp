#include "schema/pointer.h"

#include <gmock/gmock.h>

namespace saker::schema {
namespace {

using ::testing::ElementsAre;

TEST(Pointer, SplitsAndJoins) {
    EXPECT_THAT(*splitPointer(""), ElementsAre());
    EXPECT_THAT(*splitPointer("/"), ElementsAre(""));
    EXPECT_THAT(*splitPointer("/a~1b/m~0n/0/"), ElementsAre("a/b", "m~n", "0", ""));
    EXPECT_EQ(splitPointer("a"), std::nullopt);
    EXPECT_EQ(splitPointer("/a~"), std::nullopt);
    EXPECT_EQ(splitPointer("/a~2"), std::nullopt);
    EXPECT_EQ(joinPointer("/x", "a/b~c"), "/x/a~1b~0c");
    EXPECT_THAT(*splitPointer(joinPointer("", "~1/~0")), ElementsAre("~1/~0"));
}

TEST(Pointer, ReadsWellForPeople) {
    EXPECT_EQ(readablePath(""), "");
    EXPECT_EQ(readablePath("/HttpPorts"), "HttpPorts");
    EXPECT_EQ(readablePath("/HttpPorts/0"), "HttpPorts[0]");
    EXPECT_EQ(readablePath("/UrlAlias/a.test~1x~0"), "UrlAlias › \"a.test/x~\"");
    EXPECT_EQ(readablePath("/Sites/localhost/Root"), "Sites › localhost › Root");
    EXPECT_EQ(readablePath("/Sites/a\n\"/Root"), "Sites › \"a\\x0A\\\"\" › Root");
    EXPECT_EQ(readablePath("/Sites//Root"), "Sites › \"\" › Root");
}

} // namespace
} // namespace saker::schema
