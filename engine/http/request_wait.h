// How long a connection has been waiting for a request, or for the rest of a request's head. Knows the
// times, not the timer: its owner asks when to look again.
#pragma once

#include <cstdint>

namespace saker::http {

/// In ms; 0: none. LoopContext::waitLimits() has those in force.
struct WaitLimits {
    std::uint64_t head = 0; ///< from the first byte of a head (or the accept) to its end
    std::uint64_t idle = 0; ///< between requests
};

class RequestWait {
public:
    static constexpr std::uint64_t kNever = ~std::uint64_t{0};
    enum class Due : std::uint8_t {
        nothing,
        head, ///< the head took too long
        idle, ///< no request came for too long
    };

    /// The wait for the first head begins with the connection. Times are milliseconds of the loop.
    explicit RequestWait(std::uint64_t now) : activeAt_(now), headSince_(now) {}

    /// The connection did something.
    void setActive(std::uint64_t now) { activeAt_ = now; }
    std::uint64_t activeAt() const { return activeAt_; }
    /// Part of a head is there, since the last activity at most.
    void beginHead() {
        if (headSince_ == 0) {
            headSince_ = activeAt_;
        }
    }
    void endHead() { headSince_ = 0; }

    /// `hasPart`: bytes of the next request are there, so that it is not idle.
    Due due(std::uint64_t now, bool hasPart, WaitLimits limits) const;
    /// When due() may say something else; kNever without limits.
    std::uint64_t deadline(bool hasPart, WaitLimits limits) const;

private:
    std::uint64_t activeAt_;  // last byte in, or last answer out
    std::uint64_t headSince_; // first byte of an incomplete head (or the accept); 0: between requests
};

} // namespace saker::http
