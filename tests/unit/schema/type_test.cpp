#include "schema/type.h"

#include "unit/schema/sample_options.h"

#include <gmock/gmock.h>

namespace saker::schema {
namespace {

TEST(Type, ReadsWholeNumbersExactlyUpTo64Bits) {
    struct Case {
        const char* text;
        std::optional<std::uint64_t> value;
    };
    const Case cases[] = {{"0", 0},      {"18446744073709551615", 18446744073709551615u},
                          {"1e3", 1000}, {"8.0e9", 8'000'000'000},
                          {"-1", {}},    {"18446744073709551616", {}},
                          {"1.25", {}},  {"1e300", {}},
                          {"true", {}},  {"\"5\"", {}},
                          {"-0", 0},     {"9007199254740993", 9007199254740993u}};
    for (const Case& c : cases) {
        auto document = read(c.text).document;
        Problems problems;
        Decoder decoder(document, problems);
        std::uint64_t value = 77;
        typeOf<std::uint64_t>().decode(decoder, document.root(), &value, {});
        EXPECT_EQ(problems.empty(), c.value.has_value()) << c.text;
        EXPECT_EQ(value, c.value.value_or(77)) << c.text;
    }
}

TEST(Type, ReadsNegativeNumbersIntoSignedMembers) {
    auto document = read("[-128, 127, -129, 128]").document;
    Problems problems;
    Decoder decoder(document, problems);
    std::vector<std::int8_t> values;
    typeOf<std::vector<std::int8_t>>().decode(decoder, document.root(), &values, {});
    EXPECT_EQ(problems.size(), 2u);
    EXPECT_EQ(values[0], -128);
    EXPECT_EQ(values[1], 127);
}

TEST(Type, TextsHoldNoNul) {
    auto document = read(R"(["\u0000"])").document;
    Problems problems;
    Decoder decoder(document, problems);
    std::vector<std::string> values;
    typeOf<std::vector<std::string>>().decode(decoder, document.root(), &values, {});
    EXPECT_EQ(problems.size(), 1u);
}

TEST(Type, VisitsTextsAndObjectsInside) {
    testing::Sample sample;
    sample.sites = {{"a", {testing::Inner{"f", 1}, {}}}, {"b", {}}};
    int objects = 0;
    Visitor visitor;
    visitor.object = [&](const Description& description, void*) {
        EXPECT_EQ(&description, &testing::Inner::fields());
        ++objects;
    };
    typeOf<decltype(sample.sites)>().visit(&sample.sites, visitor);
    EXPECT_EQ(objects, 1);
    visitor.text = [](std::string& text) { text += "!"; };
    typeOf<decltype(sample.headers)>().visit(&sample.headers, visitor);
    EXPECT_EQ(sample.headers[0].second, "b!");
}

} // namespace
} // namespace saker::schema
