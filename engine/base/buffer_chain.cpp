#include "base/buffer_chain.h"

#include <cassert>

namespace saker {

void BufferChain::append(BufferChain&& other) {
    if (empty()) {
        clear();
        swap(other);
        return;
    }
    for (std::size_t i = other.first_; i < other.pieces_.size(); ++i) {
        pieces_.push_back(std::move(other.pieces_[i]));
    }
    size_ += other.size_;
    other.clear();
}

void BufferChain::consume(std::uint64_t n) {
    assert(n <= size_);
    size_ -= n;
    while (n > 0) {
        Piece& front = pieces_[first_];
        if (n < front.size) {
            front.size -= n;
            if (front.isFile()) {
                front.offset += n;
            } else {
                front.data += n;
            }
            return;
        }
        n -= front.size;
        front = Piece{};
        ++first_;
    }
    if (empty()) {
        clear();
    }
}

} // namespace saker
