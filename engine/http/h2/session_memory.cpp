#include "http/h2/session_memory.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace saker::http {

namespace {

SessionMemory& of(void* user) {
    return *static_cast<SessionMemory*>(user);
}

} // namespace

SessionMemory::SessionMemory() : functions_{} {
    functions_.mem_user_data = this;
    functions_.malloc = [](std::size_t size, void* user) { return of(user).allocate(size); };
    functions_.free = [](void* block, void* user) { of(user).release(block); };
    functions_.calloc = [](std::size_t count, std::size_t size, void* user) -> void* {
        if (size != 0 && count > SIZE_MAX / size) {
            return nullptr;
        }
        void* block = of(user).allocate(count * size);
        return block != nullptr ? std::memset(block, 0, count * size) : nullptr;
    };
    functions_.realloc = [](void* block, std::size_t size, void* user) {
        return of(user).reallocate(block, size);
    };
}

SessionMemory::~SessionMemory() {
    for (Header* header : waiting_) {
        while (header != nullptr) {
            std::free(std::exchange(header, header->next));
        }
    }
}

void* SessionMemory::allocate(std::size_t size) {
    const std::size_t index = classOf(size);
    if (index < kClasses) {
        if (Header* header = waiting_[index]; header != nullptr) {
            waiting_[index] = header->next;
            kept_ -= header->size;
            return header + 1;
        }
        size = (index + 1) * kStep;
    } else if (size > SIZE_MAX - sizeof(Header)) {
        return nullptr;
    }
    auto* header = static_cast<Header*>(std::malloc(sizeof(Header) + size));
    if (header == nullptr) {
        return nullptr;
    }
    header->size = size;
    return header + 1;
}

void* SessionMemory::reallocate(void* block, std::size_t size) {
    if (block == nullptr) {
        return allocate(size);
    }
    const std::size_t had = headerOf(block)->size;
    if (size <= had && had < 2 * size + kStep) {
        return block;
    }
    void* made = allocate(size);
    if (made != nullptr) {
        std::memcpy(made, block, std::min(had, size));
        release(block);
    }
    return made;
}

void SessionMemory::release(void* block) {
    if (block == nullptr) {
        return;
    }
    Header* header = headerOf(block);
    const std::size_t index = classOf(header->size);
    if (index >= kClasses || kept_ + header->size > kMostKept) {
        std::free(header);
        return;
    }
    header->next = waiting_[index];
    waiting_[index] = header;
    kept_ += header->size;
}

} // namespace saker::http
