// Bytes on their way to a socket: ordered pieces, each in memory or a range of a file (the idea of lighttpd's
// chunkqueue and h2o's sendvec). Handlers append, transports consume from the front.
#pragma once

#include "base/ref.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace saker {

/// An open file that pieces refer to; closed with its last reference. The native value is what os::File
/// holds.
class FileHandle : public RefCounted {
public:
    explicit FileHandle(std::intptr_t native) : native_(native) {}
    ~FileHandle() override; // closes
    std::intptr_t native() const { return native_; }

private:
    std::intptr_t native_;
};

/// A string that lives as long as the pieces that point into it.
class StringBlock final : public RefCounted {
public:
    explicit StringBlock(std::string text) : text(std::move(text)) {}
    const std::string text;
};

/// One piece: `file` set: `size` bytes from `offset` of it; else `size` bytes at `data`, kept alive by
/// `keeper` (null for static storage).
struct Piece {
    const char* data = nullptr;
    std::uint64_t size = 0;
    std::uint64_t offset = 0;
    Ref<RefCounted> keeper;
    Ref<FileHandle> file;

    bool isFile() const { return static_cast<bool>(file); }
};

class BufferChain {
public:
    bool empty() const { return first_ == pieces_.size(); }
    /// Bytes left in all pieces.
    std::uint64_t size() const { return size_; }
    std::size_t pieceCount() const { return pieces_.size() - first_; }
    const Piece& piece(std::size_t i) const { return pieces_[first_ + i]; }

    /// Bytes that the keeper keeps alive until they have been sent. No copy.
    void append(std::string_view bytes, Ref<RefCounted> keeper) {
        if (!bytes.empty()) {
            size_ += bytes.size();
            pieces_.push_back(Piece{bytes.data(), bytes.size(), 0, std::move(keeper), {}});
        }
    }
    /// Bytes of static storage (literals). No copy, nothing to keep alive.
    void appendStatic(std::string_view bytes) { append(bytes, {}); }
    /// Takes the string over.
    void append(std::string text) {
        if (!text.empty()) {
            auto block = makeRef<StringBlock>(std::move(text));
            std::string_view bytes = block->text;
            append(bytes, std::move(block));
        }
    }
    void appendFile(Ref<FileHandle> file, std::uint64_t offset, std::uint64_t size) {
        if (size > 0) {
            size_ += size;
            pieces_.push_back(Piece{nullptr, size, offset, {}, std::move(file)});
        }
    }
    /// Moves all of another chain's pieces behind this one's; the other is empty afterwards.
    void append(BufferChain&& other);

    /// Drops n bytes from the front. REQUIRES: n <= size().
    void consume(std::uint64_t n);
    void clear() {
        pieces_.clear(); // keeps the capacity: chains are reused
        first_ = 0;
        size_ = 0;
    }
    void swap(BufferChain& other) noexcept {
        pieces_.swap(other.pieces_);
        std::swap(first_, other.first_);
        std::swap(size_, other.size_);
    }
    /// Frees the storage too; for chains that stay empty for long.
    void release() { BufferChain().swap(*this); }

private:
    std::vector<Piece> pieces_;
    std::size_t first_ = 0;
    std::uint64_t size_ = 0;
};

} // namespace saker
