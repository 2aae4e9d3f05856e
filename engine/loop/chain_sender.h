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

/// What a socket sends in a turn while others wait. Large answers that take turns in such steps keep the
/// receivers busy side by side; a whole socket buffer at a time costs nearly twice the CPU, for waking the
/// receiver anew with each segment.
inline constexpr std::uint64_t kSendPerTurn = kFileWindow;

/// How a call goes on from the ones before it.
struct SendTurn {
    std::uint64_t budget = kSendPerTurn;
    bool warm = false;      ///< the first window of a file piece in front was read just now: do not ask
    bool askMemory = false; ///< stop in front of a file that is not in memory
    bool* corked = nullptr; ///< kept from call to call until the chain is empty; may be null for short ones
};

/// Consumes what it sends. A file that ends before its piece does breaks the connection (EIO): the promised
/// length cannot be kept. Between the windows of a long file no segment leaves that is not full (TCP_CORK):
/// with TCP_NODELAY each window would end with a small one.
SendProgress sendChain(int socket, BufferChain& chain, SendTurn turn);

} // namespace saker::loop
