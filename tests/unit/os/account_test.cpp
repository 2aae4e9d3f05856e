#include "os/account.h"

#include "os/privileges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace saker::os {
namespace {

TEST(Account, OfAUserThatThereIs) {
    auto root = findAccount("root");
    ASSERT_TRUE(root) << root.error().text();
    EXPECT_EQ(root->user, 0u);
    EXPECT_EQ(root->group, 0u);
    EXPECT_THAT(root->groups, ::testing::Contains(0u));
    EXPECT_FALSE(root->home.empty());
    auto self = findAccount(userName());
    EXPECT_TRUE(self) << self.error().text();
}

TEST(Account, ErrorsSayWhatIsMissing) {
    auto user = findAccount("no-such-user");
    ASSERT_FALSE(user);
    EXPECT_EQ(user.error().kind, ErrorKind::notFound);
    EXPECT_THAT(user.error().text(), ::testing::HasSubstr("no-such-user"));
    EXPECT_FALSE(findAccount("root", "no-such-group"));
}

} // namespace
} // namespace saker::os
