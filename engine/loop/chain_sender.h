// Sends a chain on a non-blocking socket as far as it goes: memory by send or sendmsg, files by sendfile.
// What the backends for Linux share; private to this library.
#pragma once

#include "base/buffer_chain.h"

#include <cstdint>

namespace saker::loop {

/// How far a sending went.
struct SendProgress {
    enum class Stop : std::uint8_t {
        finished, ///< the chain is empty
        full,     ///< the socket takes no more for now
        budget,   ///< enough for this turn, others wait too
        cold,     ///< the file piece in front is not in memory; reading it here would block the loop
        broken,   ///< `error`
    };
    Stop stop;
    int error = 0;
    std::uint64_t sent = 0; ///< also when broken
};

/// What a file piece is asked about, read ahead and sent by.
inline constexpr std::uint64_t kFileWindow = std::uint64_t{256} * 1024;

/// Consumes what it sends. `warm`: the first window of a file piece in front was read just now, it is not
/// asked about. A file that ends before its piece does breaks the connection (EIO): the promised length
/// cannot be kept.
SendProgress sendChain(int socket, BufferChain& chain, std::uint64_t budget, bool warm, bool askMemory);

} // namespace saker::loop
