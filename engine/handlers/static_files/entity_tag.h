// What tells one version of a file from another, and the ETag made of it (RFC 9110, section 8.8.3).
//
// A tag is strong: size and modification time in nanoseconds, and for a coded body the coding and the level
// it was made with, since another level gives other bytes. The inode is left out: the index does not hold it,
// and a tag should survive a copy that keeps times. What remains is a file rewritten in place, with the same
// size, within one tick of the file system's clock. isSettled() says whether that could still happen to a
// file just read; until it is settled a tag is weak, so that no range is ever joined to another version, and
// ContentStore does not trust what it read for longer than that.
#pragma once

#include "handlers/static_files/compressor.h"
#include "http/negotiate.h"

#include <cstdint>
#include <optional>
#include <string>

namespace saker::static_files {

/// The facts of one version of a file, from the index or from fstat.
struct FileStamp {
    std::uint64_t size = 0;
    std::int64_t modified = 0; ///< nanoseconds since 1970

    friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

/// The file's clock has moved on since `modified`: a later write gets another time. Clocks that count
/// nanoseconds move every few milliseconds, those that count seconds (a time without a fraction) every two
/// seconds at worst. `now`: nanoseconds since 1970.
bool isSettled(const FileStamp& stamp, std::int64_t now);

/// With the quotes: `"5a3-17f0c2d1e4b80000"`, `"5a3-17f0c2d1e4b80000-br0"`. `stamp`: of the file whose bytes
/// are sent or were coded; for a precompressed sibling its own stamp, its coding and no level.
std::string entityTag(const FileStamp& stamp, http::Coding coding,
                      std::optional<CompressionLevel> level = std::nullopt, bool settled = true);

} // namespace saker::static_files
