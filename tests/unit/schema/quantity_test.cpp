#include "schema/quantity.h"

#include <gtest/gtest.h>

namespace saker::schema {
namespace {

TEST(Quantity, ReadsDurations) {
    struct Case {
        const char* text;
        std::optional<std::int64_t> milliseconds;
    };
    const Case cases[] = {
        {"30s", 30'000},
        {"5m", 300'000},
        {"5min", 300'000},
        {"250ms", 250},
        {"1h30m", 5'400'000},
        {"2d", 172'800'000},
        {" 1.5 s ", 1500},
        {"1h 2m 3s", 3'723'000},
        {"5M", 300'000},
        {"0s", 0},
        {"", {}},
        {"30", {}},
        {"s", {}},
        {"-1s", {}},
        {"5x", {}},
        {"1..2s", {}},
        {"1s2", {}},
        {"99999999999999999d", {}},
        {"1e5s", {}},
        {"nans", {}},
    };
    for (const Case& c : cases) {
        auto duration = parseDuration(c.text);
        EXPECT_EQ(duration ? std::optional(static_cast<std::int64_t>(duration->count())) : std::nullopt,
                  c.milliseconds)
            << c.text;
    }
}

TEST(Quantity, ReadsSizes) {
    struct Case {
        const char* text;
        std::optional<std::uint64_t> bytes;
    };
    const Case cases[] = {
        {"8GB", 8'000'000'000},
        {"512KiB", 524'288},
        {"64k", 65'536},
        {"1 MiB", 1'048'576},
        {"1.5kB", 1500},
        {"100", 100},
        {"7B", 7},
        {"1T", 1ull << 40},
        {"", {}},
        {"KB", {}},
        {"-1", {}},
        {"1PB", {}},
        {"9999999999TB", {}},
        {"1 2", {}},
    };
    for (const Case& c : cases) {
        EXPECT_EQ(parseSize(c.text), c.bytes) << c.text;
    }
}

TEST(Quantity, ConvertsNumbersOfUnits) {
    EXPECT_EQ(durationOf(1.5, Unit::minutes), Duration(90'000));
    EXPECT_EQ(durationOf(0.0004, Unit::seconds), Duration(0));
    EXPECT_EQ(durationOf(1e300, Unit::seconds), std::nullopt);
    EXPECT_EQ(inUnit(Duration(90'000), Unit::minutes), 1.5);
    EXPECT_EQ(parseNumber("1e400"), std::nullopt);
    EXPECT_EQ(parseNumber("-0.5"), -0.5);
}

} // namespace
} // namespace saker::schema
