// The buffers that bytes received by io_uring lie in, shared by all sockets of a loop: handed to the kernel,
// lent to a callback, handed back. Private to this library.
#pragma once

#include "loop/ring_io_uring.h"

namespace saker::loop {

class ReceiveBuffers {
public:
    /// The number by which receives name this group of buffers.
    static constexpr unsigned short kGroup = 0;

    ReceiveBuffers() = default;
    ReceiveBuffers(const ReceiveBuffers&) = delete;
    ReceiveBuffers& operator=(const ReceiveBuffers&) = delete;
    /// After the ring has gone.
    ~ReceiveBuffers();

    Result<void> create(Ring& ring);
    const char* data(unsigned id) const;
    void giveBack(unsigned id);

private:
    void* memory_ = nullptr; // the ring's page, then the buffers
    io_uring_buf_ring* ring_ = nullptr;
};

} // namespace saker::loop
