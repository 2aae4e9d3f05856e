// Parts of served files on their way into TLS records, read without making a loop wait for a disk.
#pragma once

#include "base/buffer_chain.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace saker::tls {

struct FileRead {
    enum class Outcome : std::uint8_t {
        read,   ///< `size` bytes, at least one
        cold,   ///< not in memory
        failed, ///< `error`: an errno value; EIO where the file is shorter than promised
    };
    Outcome outcome = Outcome::read;
    std::size_t size = 0;
    int error = 0;
};

/// Reads some of what fits. `mayWait`: from the disk too, if need be.
FileRead readFilePart(const FileHandle& file, std::uint64_t offset, std::span<char> to, bool mayWait);

/// Has a part of a file in memory afterwards, whatever that takes: for workers. `native`: as FileHandle's.
void warmFilePart(std::intptr_t native, std::uint64_t offset, std::uint64_t size);

} // namespace saker::tls
