#include "os/run_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace saker::os {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::chrono::minutes kLong{1};

TEST(RunProgram, CollectsWhatItSaysAndHowItEnds) {
    auto outcome = runProgram({"/bin/sh", "-c", "echo out; echo err >&2; exit 3"}, kLong);
    ASSERT_TRUE(outcome) << outcome.error().text();
    EXPECT_EQ(outcome->exitCode, 3);
    EXPECT_EQ(outcome->output, "out\nerr\n");
}

TEST(RunProgram, PassesArgumentsAsTheyAre) {
    auto outcome =
        runProgram({"/bin/sh", "-c", "printf '%s|' \"$@\"", "sh", "a b", "$HOME", "`x`", "*"}, kLong);
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->output, "a b|$HOME|`x`|*|");
}

TEST(RunProgram, GivesItNothingToRead) {
    auto outcome = runProgram({"/bin/sh", "-c", "cat; echo done"}, kLong);
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->output, "done\n");
}

TEST(RunProgram, KeepsABoundedPartOfLongOutput) {
    auto outcome = runProgram({"/bin/sh", "-c", "head -c 1000000 /dev/zero | tr '\\0' x"}, kLong);
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->output.size(), 64u * 1024);
}

TEST(RunProgram, EndsWhatTakesTooLong) {
    auto outcome = runProgram({"/bin/sh", "-c", "exec sleep 1000"}, std::chrono::milliseconds(50));
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().kind, ErrorKind::temporary);
    auto silent =
        runProgram({"/bin/sh", "-c", "exec >&- 2>&-; exec sleep 1000"}, std::chrono::milliseconds(50));
    EXPECT_FALSE(silent);
}

TEST(RunProgram, SaysWhatASignalDid) {
    auto outcome = runProgram({"/bin/sh", "-c", "kill -9 $$"}, kLong);
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->exitCode, 128 + 9);
}

TEST(RunProgram, AMissingProgramIsAnError) {
    auto outcome = runProgram({"/nonexistent/program"}, kLong);
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().kind, ErrorKind::notFound);
    EXPECT_THAT(outcome.error().text(), HasSubstr("/nonexistent/program"));
}

TEST(FindProgram, GivesAFullPath) {
    EXPECT_THAT(findProgram("sh"), EndsWith("/sh"));
    EXPECT_THAT(findProgram("no-such-program-here"), IsEmpty());
}

} // namespace
} // namespace saker::os
