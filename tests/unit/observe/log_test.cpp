#include "observe/log.h"

#include <gtest/gtest.h>

namespace saker::log {
namespace {

TEST(LogLevel, NamesGoBothWays) {
    for (Level level : {Level::error, Level::warning, Level::info, Level::debug}) {
        EXPECT_EQ(parseLevel(levelName(level)), level);
    }
    EXPECT_EQ(parseLevel("WARNING"), Level::warning);
    EXPECT_EQ(parseLevel("loud"), std::nullopt);
    EXPECT_EQ(parseLevel(""), std::nullopt);
}

} // namespace
} // namespace saker::log
