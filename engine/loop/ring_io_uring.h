// The submission and completion rings of io_uring, and what submissions point to. Private to this library;
// belongs to the thread that enabled it.
#pragma once

#include "base/result.h"
#include "loop/native_address.h"

#include <array>
#include <cstddef>
#include <liburing.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <vector>

namespace saker::loop {

class Ring {
public:
    static constexpr std::size_t kMostPieces = 16;

    /// What a submission points to until the kernel has copied it, which it has when it is submitted.
    struct Message {
        msghdr header;
        std::array<iovec, kMostPieces> vectors;
        NativeAddress address;
    };
    struct Submission {
        io_uring_sqe& entry;
        Message& message;
    };

    Ring() = default;
    Ring(const Ring&) = delete;
    Ring& operator=(const Ring&) = delete;
    ~Ring();

    /// Any thread. The error says what the system lacks.
    Result<void> create();
    /// Makes the calling thread the only one that may submit.
    void enable();

    /// A place for a submission, to be filled by an io_uring_prep function.
    io_uring_sqe& next();
    /// The same with room for what it points to.
    Submission nextWithMessage();
    void submit();
    /// Submits, and waits for a completion: -1 without end, 0 not at all.
    void submitAndWait(int timeoutMs);

    /// Calls consume(const io_uring_cqe&) with every completion.
    template <class Consume>
    void drain(Consume consume) {
        io_uring_cqe* completion = nullptr;
        unsigned head = 0;
        unsigned count = 0;
        io_uring_for_each_cqe(&ring_, head, completion) {
            ++count;
            consume(*completion);
        }
        io_uring_cq_advance(&ring_, count);
    }
    io_uring& native() { return ring_; }

private:
    void submitted();

    io_uring ring_{};
    bool created_ = false;
    std::vector<Message> messages_;
    std::size_t messagesUsed_ = 0;
};

} // namespace saker::loop
