#include "http/h2/frame_output.h"

#include <cstring>
#include <string>

#include <gtest/gtest.h>

namespace saker::http {
namespace {

std::string textOf(const BufferChain& chain) {
    std::string text;
    for (std::size_t i = 0; i < chain.pieceCount(); ++i) {
        text.append(chain.piece(i).data, chain.piece(i).size);
    }
    return text;
}

class FrameOutputTest : public testing::Test {
protected:
    std::string take() {
        BufferChain chain;
        output.moveTo(chain);
        for (std::size_t i = 0; i < chain.pieceCount(); ++i) {
            EXPECT_LE(chain.piece(i).size, FrameOutput::kBlock);
        }
        std::string text = textOf(chain);
        chain.clear();
        output.recycle();
        return text;
    }
    FrameOutput output;
};

TEST_F(FrameOutputTest, GathersInOrder) {
    EXPECT_TRUE(output.empty());
    output.append("one");
    const std::span<char> space = output.reserve(100);
    std::memcpy(space.data(), "two", 3);
    output.commit(3);
    output.append("three");
    EXPECT_EQ(output.size(), 11U);
    EXPECT_EQ(take(), "onetwothree");
    EXPECT_TRUE(output.empty());
}

TEST_F(FrameOutputTest, FillsBlocks) {
    std::string all;
    for (int i = 0; i < 9; ++i) {
        const std::string part(5000, static_cast<char>('a' + i));
        output.append(part);
        all += part;
    }
    EXPECT_EQ(output.size(), all.size());
    BufferChain chain;
    output.moveTo(chain);
    EXPECT_EQ(chain.pieceCount(), 3U);
    EXPECT_EQ(chain.piece(0).size, FrameOutput::kBlock);
    EXPECT_EQ(textOf(chain), all);
}

TEST_F(FrameOutputTest, SpaceThatDoesNotFitBeginsTheNextBlock) {
    output.append(std::string(FrameOutput::kBlock - 10, 'x'));
    EXPECT_EQ(output.room(), 10U);
    output.reserve(11);
    output.commit(11);
    EXPECT_EQ(output.room(), FrameOutput::kBlock - 11);
    EXPECT_EQ(take().size(), FrameOutput::kBlock + 1);
}

TEST_F(FrameOutputTest, DoesNotTouchBytesThatAreStillOnTheirWay) {
    output.append("held");
    BufferChain held;
    output.moveTo(held);
    output.recycle(); // the transport still has it
    output.append("next");
    EXPECT_EQ(take(), "next");
    EXPECT_EQ(textOf(held), "held");
}

TEST_F(FrameOutputTest, ClearDropsEverything) {
    output.append(std::string(50'000, 'x'));
    output.clear();
    EXPECT_TRUE(output.empty());
    output.append("fresh");
    EXPECT_EQ(take(), "fresh");
}

} // namespace
} // namespace saker::http
