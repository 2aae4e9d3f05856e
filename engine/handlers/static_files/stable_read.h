// Reads a whole file so that bytes and facts belong together: the facts are taken before and after, and the
// bytes are good only when nothing has changed in between. A template, so that tests can change a file at the
// worst moment.
#pragma once

#include "base/result.h"
#include "handlers/static_files/entity_tag.h"
#include "os/file.h"

#include <cstdint>
#include <string>
#include <utility>

namespace saker::static_files {

struct StableRead {
    enum class Outcome : std::uint8_t { read, tooLarge, unstable };
    Outcome outcome = Outcome::unstable;
    std::string bytes;
    FileStamp stamp; ///< the last facts seen
};

inline constexpr int kReadAttempts = 3;

/// `File`: os::File, or what has its status() and readAt(). An error is the file's.
template <class File>
Result<StableRead> readStable(const File& file, std::uint64_t limit) {
    auto stampOf = [](const os::FileStatus& status) { return FileStamp{status.size, status.modified}; };
    StableRead read;
    for (int attempt = 0; attempt < kReadAttempts; ++attempt) {
        Result<os::FileStatus> before = file.status();
        if (!before) {
            return before.error();
        }
        read.stamp = stampOf(*before);
        if (before->size > limit) {
            read.outcome = StableRead::Outcome::tooLarge;
            return read;
        }
        std::string bytes(before->size, '\0');
        Result<std::size_t> got = file.readAt(0, bytes.data(), bytes.size());
        if (!got) {
            return got.error();
        }
        Result<os::FileStatus> after = file.status();
        if (!after) {
            return after.error();
        }
        bool same = stampOf(*after) == read.stamp && *got == bytes.size();
        read.stamp = stampOf(*after);
        if (same) {
            read.outcome = StableRead::Outcome::read;
            read.bytes = std::move(bytes);
            return read;
        }
    }
    return read;
}

} // namespace saker::static_files
