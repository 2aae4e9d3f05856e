// Reading from a place in an open file, without moving anything that other readers share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace saker::os {

struct ReadAt {
    enum class Kind : std::uint8_t {
        some,  ///< `size` bytes; 0 at the end of the file
        cold,  ///< it is not in memory, and reading it would wait for a disk
        failed ///< `error`
    };
    Kind kind = Kind::some;
    std::size_t size = 0;
    int error = 0; ///< errno value
};

/// Reads once, into up to the whole of `into`. `onlyFromMemory`: never waits for a disk where the system can
/// tell. `file`: what a FileHandle holds.
ReadAt readAt(std::intptr_t file, std::uint64_t offset, std::span<char> into, bool onlyFromMemory);

/// Reads that part only to have it in memory; waits for the disk. Errors are for the next readAt() to find.
void readThrough(std::intptr_t file, std::uint64_t offset, std::uint64_t size);

} // namespace saker::os
