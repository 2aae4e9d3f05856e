// Reads directories below the root of an index from the disk: what is in them, by the rules for symbolic
// links. The system's part of scanning; used by IndexWriter under the index's lock.
#pragma once

#include "base/result.h"
#include "routing/file_index.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace saker::routing {

/// A name as found on disk.
struct DiskEntry {
    enum class Kind : std::uint8_t {
        none,     ///< not there, or nothing that is ever served (fifo, socket, device)
        refused,  ///< there, but unreadable or a link that leads where it must not
        dangling, ///< a permitted link to what does not exist
        file,
        directory,
    };
    Kind kind = Kind::none;
    bool link = false; ///< reached through a symbolic link of this name
    std::string_view name;
    std::uint64_t size = 0;
    std::int64_t modified = 0;
};

/// Which directory it is, whatever path led to it.
struct DirectoryIdentity {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    bool operator==(const DirectoryIdentity&) const = default;
};

class IndexDirectoryReader {
public:
    /// The options must outlive the reader.
    explicit IndexDirectoryReader(const IndexOptions& options) : options_(options) {}

    /// Before a round of reading: finds out where the root and the other permitted folders really are.
    Result<void> begin();

    enum class Outcome : std::uint8_t {
        read,
        vanished,
        unreadable, ///< no permission
        failed,     ///< the system could not now: out of descriptors, memory, or the disk has errors
    };
    /// Reads a directory: `enter` gets its identity and decides whether to go on (else the outcome is
    /// `vanished`), then `visit` gets every name whose kind is not `none`. `link`: the last name of the path
    /// may be a symbolic link.
    Outcome read(std::string_view path, bool link, const std::function<bool(const DirectoryIdentity&)>& enter,
                 const std::function<void(const DiskEntry&)>& visit);
    /// One name; the result's `name` is the argument.
    DiskEntry inspect(std::string_view directory, std::string_view name);
    /// A directory by path, links followed; nothing when it is not there.
    std::optional<DirectoryIdentity> identify(std::string_view path);
    bool isLink(std::string_view path);

private:
    const std::string& fullPath(std::string_view path);
    DiskEntry inspectAt(int directory, const char* name, std::string_view pathOfDirectory,
                        std::string_view plainName);
    bool leadsInside(std::string_view directory, std::string_view name);

    const IndexOptions& options_;
    std::vector<std::string> permitted_; // real paths; the root's is the first
    std::string full_;                   // scratch of fullPath()
};

} // namespace saker::routing
