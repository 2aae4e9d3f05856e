// Where the sessions of one loop get their memory: nghttp2 takes and gives back a handful of small blocks for
// every stream. Blocks that were given back wait, by size, for the next stream; never more than kMostKept
// bytes of them.
#pragma once

#include <array>
#include <cstddef>

#include <nghttp2/nghttp2.h>

namespace saker::http {

class SessionMemory {
public:
    SessionMemory();
    /// REQUIRES: all blocks were given back.
    ~SessionMemory();
    SessionMemory(const SessionMemory&) = delete;
    SessionMemory& operator=(const SessionMemory&) = delete;

    /// For nghttp2_session_server_new3(); valid as long as this.
    nghttp2_mem* functions() { return &functions_; }

    /// As those of the standard library: null when there is no memory.
    void* allocate(std::size_t size);
    void* reallocate(void* block, std::size_t size);
    void release(void* block);

    /// Bytes in blocks that wait.
    std::size_t kept() const { return kept_; }

    static constexpr std::size_t kMostKept = std::size_t{2} * 1024 * 1024;

private:
    static constexpr std::size_t kStep = 64;
    static constexpr std::size_t kClasses = 16; ///< of kStep, 2 kStep … bytes; larger blocks are not kept

    /// In front of what is given out, which has to be aligned for anything.
    struct alignas(alignof(std::max_align_t)) Header {
        std::size_t size; ///< that can be used
        Header* next;     ///< of those that wait
    };

    static Header* headerOf(void* block) { return static_cast<Header*>(block) - 1; }
    static std::size_t classOf(std::size_t size) { return size == 0 ? 0 : (size - 1) / kStep; }

    std::array<Header*, kClasses> waiting_{};
    std::size_t kept_ = 0;
    nghttp2_mem functions_;
};

} // namespace saker::http
