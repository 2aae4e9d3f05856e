#include "loop/receive_buffers_io_uring.h"

#include <cerrno>
#include <sys/mman.h>

namespace saker::loop {

namespace {

constexpr unsigned kBuffers = 128; // a power of two; more in one turn costs those sockets a second submission
constexpr std::size_t kBufferSize = 4096;
constexpr std::size_t kRingBytes = 4096; // a page, as the ring must be aligned to one
constexpr std::size_t kAllBytes = kRingBytes + kBuffers * kBufferSize;
static_assert(kBuffers * sizeof(io_uring_buf) <= kRingBytes);

} // namespace

ReceiveBuffers::~ReceiveBuffers() {
    if (memory_ != nullptr) {
        ::munmap(memory_, kAllBytes);
    }
}

Result<void> ReceiveBuffers::create(Ring& ring) {
    void* memory = ::mmap(nullptr, kAllBytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0); // all of it is used soon
    if (memory == MAP_FAILED) {
        return systemError(errno, "mapping io_uring's receive buffers");
    }
    memory_ = memory;
    ring_ = static_cast<io_uring_buf_ring*>(memory);
    io_uring_buf_reg registration{};
    registration.ring_addr = reinterpret_cast<std::uintptr_t>(ring_);
    registration.ring_entries = kBuffers;
    registration.bgid = kGroup;
    if (const int result = io_uring_register_buf_ring(&ring.native(), &registration, 0); result != 0) {
        return systemError(-result, "registering io_uring's receive buffers");
    }
    io_uring_buf_ring_init(ring_);
    for (unsigned i = 0; i < kBuffers; ++i) {
        giveBack(i);
    }
    return {};
}

const char* ReceiveBuffers::data(unsigned id) const {
    return static_cast<char*>(memory_) + kRingBytes + id * kBufferSize;
}

void ReceiveBuffers::giveBack(unsigned id) {
    io_uring_buf_ring_add(ring_, const_cast<char*>(data(id)), kBufferSize, static_cast<unsigned short>(id),
                          io_uring_buf_ring_mask(kBuffers), 0);
    io_uring_buf_ring_advance(ring_, 1);
}

} // namespace saker::loop
