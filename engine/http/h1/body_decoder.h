// The body of an HTTP/1 request or response by its framing (RFC 9112, sections 6-7). Bytes in, bytes out; no
// socket, no copy: decoded data are views of the input. Resumable at every byte.
#pragma once

#include "http/rejection.h"
#include "http/request.h"

#include <cstdint>
#include <string>
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

    /// maxBody: decoded bytes allowed; 0 means no limit. A body that is known to be longer is refused before
    /// its first byte: rejection() says so right after this call.
    void start(BodyFraming framing, std::uint64_t contentLength, std::uint64_t maxBody);
    /// Trailer fields are kept as they come, their lines' ends included, in place of being dropped. After
    /// start(); the text outlives the decoding.
    void keepTrailers(std::string& text) { trailers_ = &text; }
    /// One step; call again with the rest of the input until `more` (feed more input), `end` or `rejected`.
    /// Chunk extensions are skipped, and refused once they outweigh the data; trailer fields are checked,
    /// bounded and dropped (but see keepTrailers). Line ends are CRLF and nothing else; no blanks around a
    /// size.
    Step next(std::string_view input);
    Rejection rejection() const { return rejection_; }
    bool isDone() const { return phase_ == Phase::done; }
    /// Decoded bytes so far.
    std::uint64_t received() const { return received_; }

private:
    // The phases of a chunked body in the order of its bytes; in `length` and `chunk`, left_ bytes of data
    // follow.
    enum class Phase : std::uint8_t {
        length,
        size,      // hexadecimal digits
        extension, // up to the size line's end
        sizeLf,
        chunk,
        chunkCr,
        chunkLf,
        trailerStart, // a field or the empty line
        trailerName,
        trailerValue,
        trailerLf,
        lastLf,
        done,
        failed
    };

    Step fail(Rejection rejection, std::size_t consumed);
    Step takeData(std::string_view input, std::size_t at, Phase after);
    Rejection takeFraming(char c);
    Rejection takeSizeDigit(char c);
    Rejection beginChunk();
    void keep(char c);

    Phase phase_ = Phase::done;
    Rejection rejection_ = Rejection::none;
    std::uint8_t digits_ = 0;    // of the chunk's size
    std::uint16_t overhead_ = 0; // bytes of extensions that no data made up for; then bytes of the trailer
    std::uint64_t left_ = 0;
    std::uint64_t received_ = 0;
    std::uint64_t maxBody_ = 0;
    std::string* trailers_ = nullptr;
};

} // namespace saker::http
