// The body of an HTTP/1 request or response by its framing (RFC 9112, sections 6-7). Bytes in, bytes out; no
// socket, no copy: decoded data are views of the input. Resumable at every byte.
#pragma once

#include "http/rejection.h"
#include "http/request.h"

#include <cstdint>
#include <string_view>

namespace saker::http {

class BodyDecoder {
public:
    enum class State : std::uint8_t { more, data, end, rejected };
    struct Step {
        State state;
        std::size_t consumed;  ///< input bytes used up by this step
        std::string_view data; ///< state data: decoded bytes, inside the input
    };

    /// maxBody: decoded bytes allowed (413 beyond); 0 means no limit.
    void start(BodyFraming framing, std::uint64_t contentLength, std::uint64_t maxBody);
    /// One step; call again with the rest of the input until `more` (feed more input), `end` or `rejected`.
    /// Chunk extensions are skipped, bounded; trailer fields are checked, bounded and dropped.
    Step next(std::string_view input);
    Rejection rejection() const { return rejection_; }
    bool isDone() const { return phase_ == Phase::done; }
    /// Decoded bytes so far.
    std::uint64_t received() const { return received_; }

private:
    enum class Phase : std::uint8_t {
        length,
        size,
        extension,
        sizeLf,
        chunk,
        chunkCr,
        chunkLf,
        trailer,
        done,
        failed
    };

    Phase phase_ = Phase::done;
    Rejection rejection_ = Rejection::none;
    std::uint8_t digits_ = 0;
    std::uint16_t line_ = 0; // bytes of extension or trailer so far
    std::uint8_t trailerState_ = 0;
    std::uint64_t left_ = 0;
    std::uint64_t received_ = 0;
    std::uint64_t maxBody_ = 0;
};

} // namespace saker::http
