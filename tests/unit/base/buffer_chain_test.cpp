#include "base/buffer_chain.h"

#include <gtest/gtest.h>

namespace saker {
namespace {

std::string text(const BufferChain& chain) {
    std::string out;
    for (std::size_t i = 0; i < chain.pieceCount(); ++i) {
        out.append(chain.piece(i).data, chain.piece(i).size);
    }
    return out;
}

TEST(BufferChainTest, ConsumesAcrossPieces) {
    BufferChain chain;
    chain.appendStatic("abc");
    chain.append(std::string("defg"));
    chain.appendStatic("");
    EXPECT_EQ(chain.size(), 7U);
    EXPECT_EQ(chain.pieceCount(), 2U);
    chain.consume(2);
    EXPECT_EQ(text(chain), "cdefg");
    chain.consume(3);
    EXPECT_EQ(text(chain), "fg");
    chain.consume(2);
    EXPECT_TRUE(chain.empty());
    EXPECT_EQ(chain.size(), 0U);
}

TEST(BufferChainTest, KeepsAFileRangesPlace) {
    BufferChain chain;
    chain.appendFile(makeRef<FileHandle>(-1), 100, 50);
    chain.consume(20);
    EXPECT_EQ(chain.piece(0).offset, 120U);
    EXPECT_EQ(chain.piece(0).size, 30U);
}

TEST(BufferChainTest, MovesAnotherChainBehind) {
    BufferChain first, second;
    first.appendStatic("one ");
    second.appendStatic("xx");
    second.appendStatic("two");
    second.consume(2);
    first.append(std::move(second));
    EXPECT_EQ(text(first), "one two");
    EXPECT_EQ(first.size(), 7U);
}

TEST(BufferChainTest, KeepsAliveWhatItRefersToAndNoLonger) {
    struct Watched final : RefCounted {
        bool& isGone;
        explicit Watched(bool& isGone) : isGone(isGone) {}
        ~Watched() override { isGone = true; }
    };
    bool isGone = false;
    BufferChain chain;
    chain.append("text", makeRef<Watched>(isGone));
    chain.appendStatic("more");
    EXPECT_FALSE(isGone);
    chain.consume(4);
    EXPECT_TRUE(isGone);
}

} // namespace
} // namespace saker
