// The head of a reply, from HTTP/1 servers and from CGI programs: collects it from pieces of input, and takes
// its fields apart. Knows no socket. More lenient than the request parser, as programs of all kinds write
// such heads and what we pass on is rendered anew: a line may end in LF alone, blanks before a colon are
// dropped (RFC 9112, section 5.1), and folded lines are joined (section 5.2).
#pragma once

#include "http/response.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace saker::http {

struct ReplyLimits {
    std::uint32_t maxHead = 64 * 1024; ///< bytes, line ends included
    std::uint32_t maxFields = 256;
};

/// Finds the empty line that ends a head, wherever the input is cut. Keeps nothing when the head comes in one
/// piece.
class HeadCollector {
public:
    enum class State : std::uint8_t { more, complete, tooLarge };
    struct Step {
        State state;
        std::size_t consumed; ///< all of the input, or up to and with the empty line
        /// State complete: the head with its last line's end, without the empty line; inside the input or
        /// this object, until the next call.
        std::string_view head;
    };

    explicit HeadCollector(std::uint32_t maxBytes) : maxBytes_(maxBytes) {}

    Step next(std::string_view input);
    /// Bytes of an incomplete head have come.
    bool isStarted() const { return size_ > 0; }
    /// For the next head.
    void reset();

private:
    std::string kept_;
    std::uint32_t maxBytes_;
    std::uint32_t size_ = 0;
    bool lineStart_ = true;  // the next byte begins a line
    bool crAtStart_ = false; // the line so far is one CR
    bool stale_ = false;     // kept_ is of the head before
};

/// What to do with a line that is no field.
enum class BadLines : std::uint8_t {
    refuse, ///< for HTTP
    drop,   ///< for CGI, where an application's slip should not cost the page
};

/// Takes lines apart into fields, in order; values without blanks around them. `lines` as HeadCollector gives
/// it (behind a status line, for HTTP). Returns what is wrong, or "".
std::string_view parseFieldLines(std::string_view lines, BadLines badLines, std::uint32_t maxFields,
                                 std::vector<ResponseHead::Field>& out);

} // namespace saker::http
