#include "http/h2/frame_output.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace saker::http {

void FrameOutput::addBlock() {
    closePiece();
    if (spares_.empty()) {
        blocks_.push_back(Ref<Block>(makeRef<Block>()));
    } else {
        blocks_.push_back(std::move(spares_.back()));
        spares_.pop_back();
    }
    used_ = begun_ = 0;
}

void FrameOutput::closePiece() {
    if (!blocks_.empty() && used_ > begun_) {
        const Ref<Block>& block = blocks_.back();
        pieces_.append(std::string_view(block->bytes + begun_, used_ - begun_), block);
    }
    begun_ = used_;
}

void FrameOutput::append(std::string_view bytes) {
    while (!bytes.empty()) {
        if (used_ == kBlock) {
            addBlock();
        }
        const std::size_t n = std::min(bytes.size(), kBlock - used_);
        std::memcpy(blocks_.back()->bytes + used_, bytes.data(), n);
        commit(n);
        bytes.remove_prefix(n);
    }
}

std::span<char> FrameOutput::reserve(std::size_t size) {
    assert(size <= kBlock);
    if (kBlock - used_ < size) {
        addBlock();
    }
    return {blocks_.back()->bytes + used_, size};
}

void FrameOutput::commit(std::size_t size) {
    used_ += size;
    size_ += size;
}

void FrameOutput::moveTo(BufferChain& chain) {
    closePiece();
    chain.append(std::move(pieces_));
    size_ = 0;
}

void FrameOutput::clear() {
    pieces_.clear();
    size_ = 0;
    recycle();
}

void FrameOutput::recycle() {
    for (Ref<Block>& block : blocks_) {
        if (!block->isShared() && spares_.size() < kMostSpares) {
            spares_.push_back(std::move(block));
        }
    }
    blocks_.clear();
    used_ = kBlock;
    begun_ = 0;
}

} // namespace saker::http
