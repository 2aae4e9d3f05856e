#include "http/h2/session_memory.h"

#include <cstdint>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

namespace saker::http {
namespace {

TEST(SessionMemory, GivesABlockOfTheSameSizeAgain) {
    SessionMemory memory;
    void* first = memory.allocate(100);
    memory.release(first);
    EXPECT_EQ(memory.kept(), 128U);
    void* other = memory.allocate(300);
    EXPECT_NE(other, first);
    void* again = memory.allocate(120);
    EXPECT_EQ(again, first);
    EXPECT_EQ(memory.kept(), 0U);
    memory.release(again);
    memory.release(other);
}

TEST(SessionMemory, EverySizeCanBeWrittenAndIsAligned) {
    SessionMemory memory;
    std::vector<void*> blocks;
    for (std::size_t size = 0; size < 3000; size += 7) {
        void* block = memory.allocate(size);
        ASSERT_NE(block, nullptr);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignof(std::max_align_t), 0U) << size;
        std::memset(block, 'x', size);
        blocks.push_back(block);
    }
    for (void* block : blocks) {
        memory.release(block);
    }
}

TEST(SessionMemory, GrowingAndShrinkingKeepsTheBytes) {
    SessionMemory memory;
    auto* text = static_cast<char*>(memory.reallocate(nullptr, 10));
    std::memcpy(text, "0123456789", 10);
    for (const std::size_t size : {50U, 64U, 65U, 1000U, 5000U, 100'000U, 5000U, 12U}) {
        text = static_cast<char*>(memory.reallocate(text, size));
        ASSERT_EQ(std::memcmp(text, "0123456789", 10), 0) << size;
    }
    memory.release(text);
}

TEST(SessionMemory, KeepsNoMoreThanItMay) {
    SessionMemory memory;
    std::vector<void*> blocks(4000);
    for (void*& block : blocks) {
        block = memory.allocate(1000);
    }
    for (void* block : blocks) {
        memory.release(block);
    }
    EXPECT_LE(memory.kept(), SessionMemory::kMostKept);
    EXPECT_GT(memory.kept(), SessionMemory::kMostKept / 2);
}

TEST(SessionMemory, WorksAsTheFunctionsOfALibrary) {
    SessionMemory memory;
    nghttp2_mem* functions = memory.functions();
    auto* zeros = static_cast<char*>(functions->calloc(10, 20, functions->mem_user_data));
    for (int i = 0; i < 200; ++i) {
        EXPECT_EQ(zeros[i], 0);
    }
    std::memset(zeros, 1, 200);
    functions->free(zeros, functions->mem_user_data);
    zeros = static_cast<char*>(functions->calloc(1, 200, functions->mem_user_data));
    EXPECT_EQ(zeros[199], 0) << "of a block that was used before";
    functions->free(zeros, functions->mem_user_data);
    EXPECT_EQ(functions->calloc(SIZE_MAX / 2, 3, functions->mem_user_data), nullptr);
    functions->free(nullptr, functions->mem_user_data);
}

} // namespace
} // namespace saker::http
