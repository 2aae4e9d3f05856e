#include "http/rejection.h"

#include "http/status.h"

#include <gtest/gtest.h>

namespace saker::http {
namespace {

TEST(Rejection, HasAnErrorStatusAndASentence) {
    for (int i = 1; i < static_cast<int>(Rejection::count_); ++i) {
        const RejectionInfo& info = rejectionInfo(static_cast<Rejection>(i));
        EXPECT_TRUE(isClientError(info.status) || isServerError(info.status)) << i;
        ASSERT_FALSE(info.text.empty()) << i;
        EXPECT_EQ(info.text.back(), '.') << info.text;
    }
}

TEST(Rejection, AnswersWithTheStatusOfTheStandard) {
    EXPECT_EQ(rejectionInfo(Rejection::badRequestLine).status, 400);
    EXPECT_EQ(rejectionInfo(Rejection::badVersion).status, 505);
    EXPECT_EQ(rejectionInfo(Rejection::badHost).status, 400);
    EXPECT_EQ(rejectionInfo(Rejection::badTransferEncoding).status, 400);
    EXPECT_EQ(rejectionInfo(Rejection::unknownCoding).status, 501);
    EXPECT_EQ(rejectionInfo(Rejection::conflictingFraming).status, 400);
    EXPECT_EQ(rejectionInfo(Rejection::badChunk).status, 400);
    EXPECT_EQ(rejectionInfo(Rejection::badExpectation).status, 417);
    EXPECT_EQ(rejectionInfo(Rejection::targetTooLong).status, 414);
    EXPECT_EQ(rejectionInfo(Rejection::headTooLarge).status, 431);
    EXPECT_EQ(rejectionInfo(Rejection::tooManyFields).status, 431);
    EXPECT_EQ(rejectionInfo(Rejection::bodyTooLarge).status, 413);
    EXPECT_EQ(rejectionInfo(Rejection::timeout).status, 408);
    EXPECT_EQ(rejectionInfo(Rejection::notHttp).status, 400);
}

} // namespace
} // namespace saker::http
