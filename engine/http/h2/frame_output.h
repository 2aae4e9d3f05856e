// Frames on their way to a transport, gathered so that several leave in one write. They lie in blocks of the
// size of a TLS record, which nobody needs to copy again; blocks whose bytes have left are used for the next
// frames. One per loop: it is filled and emptied within one call.
#pragma once

#include "base/buffer_chain.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace saker::http {

class FrameOutput {
public:
    static constexpr std::size_t kBlock = 16384; ///< RFC 8446, section 5.1

    FrameOutput() = default;
    FrameOutput(const FrameOutput&) = delete;
    FrameOutput& operator=(const FrameOutput&) = delete;

    bool empty() const { return size_ == 0; }
    std::size_t size() const { return size_; }
    void append(std::string_view bytes);
    /// What goes into one piece, behind what is there; never 0.
    std::size_t room() const { return used_ < kBlock ? kBlock - used_ : kBlock; }
    /// Space of that size in one piece; commit() makes bytes of it. REQUIRES: size <= kBlock.
    std::span<char> reserve(std::size_t size);
    void commit(std::size_t size);

    /// Puts everything into the chain, in order.
    void moveTo(BufferChain& chain);
    /// Drops everything.
    void clear();
    /// Takes blocks back that no chain holds any more.
    void recycle();

private:
    struct Block final : RefCounted {
        char bytes[kBlock];
    };
    static constexpr std::size_t kMostSpares = 20;

    void addBlock();
    void closePiece();

    BufferChain pieces_;             // complete ones
    std::vector<Ref<Block>> blocks_; // in use, the last one is being filled
    std::vector<Ref<Block>> spares_;
    std::size_t used_ = kBlock; // of the last block
    std::size_t begun_ = 0;     // where in it the piece begins that is not in pieces_ yet
    std::size_t size_ = 0;
};

} // namespace saker::http
