#include "os/standard_error.h"

#include <gtest/gtest.h>

namespace saker::os {
namespace {

TEST(JournalStream, OnlyTheSameStream) {
    EXPECT_TRUE(isJournalStream("9:12345", 9, 12345));
    for (const char* text : {"", ":", "9", "9:", ":12345", "9:12346", "8:12345", "9:12345x", "9:12345:1"}) {
        EXPECT_FALSE(isJournalStream(text, 9, 12345)) << text;
    }
}

TEST(StandardError, WritesAllOfIt) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(standardErrorKind(), StandardErrorKind::other); // a file
    writeStandardError("one\n");
    writeStandardError("");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "one\n");
}

} // namespace
} // namespace saker::os
