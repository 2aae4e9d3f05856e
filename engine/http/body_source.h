// A body that is made while it is sent: pulled when there is room for more, so a slow client slows its maker
// down.
#pragma once

#include "base/buffer_chain.h"

#include <cstddef>
#include <functional>

namespace saker::http {

class BodySource {
public:
    enum class Pull : unsigned char {
        more,   ///< something was appended, there may be more
        wait,   ///< nothing yet: `ready` will be called
        end,    ///< the body is complete (something may have been appended)
        failed, ///< the answer must be cut off: the client must not take it for complete
    };

    /// Destroying it cancels: the client is gone.
    virtual ~BodySource() = default;
    /// Appends up to about `want` bytes to the chain.
    virtual Pull pull(BufferChain& chain, std::size_t want) = 0;
    /// Set once before the first pull; call it on the loop's thread, not from within pull().
    std::function<void()> ready;
};

/// Receives a request's body as it arrives.
class BodyReader {
public:
    virtual ~BodyReader() = default;
    /// Decoded bytes, lent for the call.
    virtual void onBody(std::string_view bytes) = 0;
    /// Complete.
    virtual void onBodyEnd() = 0;
    /// It will never be complete: the client went away or sent nonsense.
    virtual void onBodyFailed() = 0;
};

} // namespace saker::http
