#include "upstream/body_spool.h"

#include "support/fake_exchange.h"
#include "support/temp_folder.h"

#include <gtest/gtest.h>

namespace saker::upstream {
namespace {

TEST(BodySpoolTest, GoesFromMemoryToAFile) {
    test::TempFolder folder;
    BodySpool spool({10, folder.at("")});
    std::string expected;
    for (int i = 0; i < 6; ++i) {
        expected += "abcd";
        ASSERT_TRUE(spool.append("abcd"));
        EXPECT_EQ(spool.size(), expected.size());
        for (int again = 0; again < 2; ++again) {
            BufferChain chain;
            spool.read(chain);
            EXPECT_EQ(test::bytesOf(chain), expected);
            EXPECT_EQ(chain.piece(0).isFile(), expected.size() > 10);
        }
    }
}

TEST(BodySpoolTest, MayBeEmpty) {
    BufferChain chain;
    BodySpool({}).read(chain);
    EXPECT_TRUE(chain.empty());
}

} // namespace
} // namespace saker::upstream
