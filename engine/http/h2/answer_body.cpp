#include "http/h2/answer_body.h"

#include "os/read_at.h"

#include <algorithm>
#include <cstring>

namespace saker::http {

namespace {

constexpr std::size_t kFrameHead = 9; // RFC 9113, section 4.1
/// A frame with less of a file than this waits for the next block.
constexpr std::size_t kLeastOfFile = 1024;
/// How much a source is asked for at a time.
constexpr std::size_t kPullSize = std::size_t{64} * 1024;

/// So that a frame ends where its block does, unless that is too near.
std::size_t sizeForBlock(std::size_t most, std::size_t room) {
    return room > kFrameHead + kLeastOfFile ? std::min(most, room - kFrameHead)
                                            : std::min(most, FrameOutput::kBlock - kFrameHead);
}

} // namespace

void AnswerBody::clear() {
    source_.reset();
    chain_.clear();
}

AnswerBody::Next AnswerBody::next(std::size_t most, FrameOutput& output, bool anyway) {
    Next next;
    while (chain_.empty() && source_) {
        const BodySource::Pull pull = source_.pull(chain_, kPullSize);
        if (pull == BodySource::Pull::failed) {
            next.kind = Next::Kind::failed;
            return next;
        }
        if (pull == BodySource::Pull::wait && chain_.empty()) {
            next.kind = Next::Kind::wait;
            return next;
        }
    }
    most = sizeForBlock(most, output.room());
    if (!chain_.empty() && chain_.piece(0).isFile()) {
        const Piece& piece = chain_.piece(0);
        const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(piece.size, most));
        const std::span<char> space = output.reserve(kFrameHead + size).subspan(kFrameHead);
        const os::ReadAt read = os::readAt(piece.file->native(), piece.offset, space, !anyway);
        if (read.kind == os::ReadAt::Kind::cold) {
            next.kind = Next::Kind::cold;
            return next;
        }
        if (read.kind == os::ReadAt::Kind::failed || read.size == 0) { // shorter than it was
            next.kind = Next::Kind::failed;
            return next;
        }
        next.size = read.size;
    } else {
        std::uint64_t size = 0;
        for (std::size_t i = 0; i < chain_.pieceCount() && size < most && !chain_.piece(i).isFile(); ++i) {
            size += chain_.piece(i).size;
        }
        next.size = static_cast<std::size_t>(std::min<std::uint64_t>(size, most));
    }
    next.isLast = next.size == chain_.size() && !source_;
    return next;
}

void AnswerBody::take(std::string_view frameHead, std::size_t size, FrameOutput& output) {
    if (size > 0 && chain_.piece(0).isFile()) { // its bytes are in place
        std::memcpy(output.reserve(kFrameHead + size).data(), frameHead.data(), kFrameHead);
        output.commit(kFrameHead + size);
        chain_.consume(size);
        return;
    }
    output.append(frameHead.substr(0, kFrameHead));
    while (size > 0) {
        const Piece& piece = chain_.piece(0);
        const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(piece.size, size));
        output.append({piece.data, part});
        chain_.consume(part);
        size -= part;
    }
}

} // namespace saker::http
