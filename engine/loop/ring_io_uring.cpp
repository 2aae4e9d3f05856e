#include "loop/ring_io_uring.h"

namespace saker::loop {

namespace {
constexpr unsigned kSubmissions = 1024;
constexpr unsigned kCompletions = 8192;
constexpr std::size_t kMessages = 64; // of one submission call
} // namespace

Ring::~Ring() {
    if (created_) {
        io_uring_queue_exit(&ring_);
    }
}

Result<void> Ring::create() {
    io_uring_params parameters{};
    parameters.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_CQSIZE |
                       IORING_SETUP_R_DISABLED | IORING_SETUP_SUBMIT_ALL;
    parameters.cq_entries = kCompletions;
    if (const int result = io_uring_queue_init_params(kSubmissions, &ring_, &parameters); result != 0) {
        Error error = systemError(-result, "io_uring is not available");
        error.message +=
            "; it needs Linux 6.1 or later and must not be forbidden (kernel.io_uring_disabled, seccomp);"
            " use the event backend \"epoll\" or \"auto\"";
        return error;
    }
    created_ = true;
    messages_.resize(kMessages);
    return {};
}

void Ring::enable() {
    // io_uring_enable_rings() is declared by liburing 2.3 but missing from its shared library.
    io_uring_register(static_cast<unsigned>(ring_.ring_fd), IORING_REGISTER_ENABLE_RINGS, nullptr, 0);
    io_uring_register_ring_fd(&ring_); // spares the look-up of the descriptor in each call
}

io_uring_sqe& Ring::next() {
    io_uring_sqe* entry = io_uring_get_sqe(&ring_);
    while (entry == nullptr) {
        submit();
        entry = io_uring_get_sqe(&ring_);
    }
    return *entry;
}

Ring::Submission Ring::nextWithMessage() {
    // Both at once: submitting frees the messages, also one that no entry points to yet.
    while (messagesUsed_ == messages_.size() || io_uring_sq_space_left(&ring_) == 0) {
        submit();
    }
    return {*io_uring_get_sqe(&ring_), messages_[messagesUsed_++]};
}

void Ring::submit() {
    io_uring_submit(&ring_);
    submitted();
}

void Ring::submitAndWait(int timeoutMs) {
    if (timeoutMs == 0) {
        io_uring_submit_and_get_events(&ring_);
    } else if (timeoutMs < 0) {
        io_uring_submit_and_wait(&ring_, 1);
    } else {
        __kernel_timespec timeout{};
        timeout.tv_sec = timeoutMs / 1000;
        timeout.tv_nsec = static_cast<long long>(timeoutMs % 1000) * 1'000'000;
        io_uring_cqe* first = nullptr;
        io_uring_submit_and_wait_timeout(&ring_, &first, 1, &timeout, nullptr);
    }
    submitted();
}

void Ring::submitted() {
    if (io_uring_sq_ready(&ring_) == 0) {
        messagesUsed_ = 0;
    }
}

} // namespace saker::loop
