// The body of an answer on its way into DATA frames: bytes, ranges of files, and what a source makes as the
// client takes it.
#pragma once

#include "base/buffer_chain.h"
#include "http/h2/frame_output.h"
#include "http/outgoing_body.h"

#include <cstddef>
#include <cstdint>

namespace saker::http {

class AnswerBody {
public:
    struct Next {
        enum class Kind : std::uint8_t {
            data,   ///< `size` bytes for take()
            wait,   ///< the source has nothing yet
            cold,   ///< the file in front is not in memory: read it, or ask for `anyway`
            failed, ///< the answer must be cut off
        };
        Kind kind = Kind::data;
        std::size_t size = 0;
        bool isLast = false;
    };

    /// What is there at once; more may come from the source.
    BufferChain& chain() { return chain_; }
    const BufferChain& chain() const { return chain_; }
    OutgoingBody& source() { return source_; }
    bool empty() const { return chain_.empty() && !source_; }
    /// Cancels.
    void clear();

    /// What goes into the next frame, `most` bytes at the most; part of a file is read into the output's
    /// space.
    Next next(std::size_t most, FrameOutput& output, bool anyway);
    /// Writes that frame, `size` as next() said. Nothing else may be written to the output in between.
    void take(std::string_view frameHead, std::size_t size, FrameOutput& output);

private:
    BufferChain chain_;
    OutgoingBody source_;
};

} // namespace saker::http
