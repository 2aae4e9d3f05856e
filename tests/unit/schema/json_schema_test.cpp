#include "schema/json_schema.h"

#include "schema/document.h"
#include "unit/schema/sample_options.h"

#include <gtest/gtest.h>

namespace saker::schema {
namespace {

TEST(JsonSchema, DescribesEveryKind) {
    auto result = read(toText(jsonSchema(testing::Sample::fields(), "A sample")));
    ASSERT_TRUE(result.ok());
    const Document& document = result.document;
    EXPECT_EQ(document.find("/$schema")->text, "https://json-schema.org/draft/2020-12/schema");
    EXPECT_EQ(document.find("/title")->text, "A sample");
    auto at = [&](std::string_view pointer) {
        const Node* node = document.find("/properties" + std::string(pointer));
        return node ? toText(*node) : "nothing";
    };
    EXPECT_EQ(at("/Port/type"), "\"integer\"");
    EXPECT_EQ(at("/Port/maximum"), "65535");
    EXPECT_EQ(at("/Port/default"), "80");
    EXPECT_EQ(at("/Port/x-saker/apply"), "\"restart\"");
    EXPECT_EQ(at("/Name/description"), "\"The name of it.\"");
    EXPECT_EQ(at("/Color/enum"), R"(["Red","Green","Blue",0,1,7])");
    EXPECT_EQ(at("/Most/anyOf/1/type"), "\"null\"");
    EXPECT_EQ(at("/Most/default"), "null");
    EXPECT_EQ(at("/Wait/anyOf/0/minimum"), "0");
    EXPECT_EQ(at("/Size/anyOf/1/type"), "\"string\"");
    EXPECT_EQ(at("/Ports/items/type"), "\"integer\"");
    EXPECT_EQ(at("/Types/additionalProperties/items/type"), "\"string\"");
    EXPECT_EQ(at("/Log/anyOf/0/type"), "\"string\"");
    EXPECT_EQ(at("/Sites/additionalProperties/anyOf/1/properties/Keep/default"), "3");
    EXPECT_EQ(at("/Flag/x-saker/group"), "\"Part\"");
}

} // namespace
} // namespace saker::schema
