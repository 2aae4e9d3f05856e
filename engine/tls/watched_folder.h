// A folder in which changes matter.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace saker::tls {

struct WatchedFolder {
    std::string path;
    std::vector<std::string> names; ///< of the entries that matter; empty: all of them

    bool operator==(const WatchedFolder&) const = default;
};

/// The folders in which a change may make the path mean another file: where the path itself lies, and every
/// symbolic link that it leads through, with what that leads to. Where a part is missing, the folder it is
/// missing in.
std::vector<WatchedFolder> foldersOfPath(const std::string& path);

/// Puts together what concerns the same folder.
std::vector<WatchedFolder> joined(std::vector<WatchedFolder> folders);

} // namespace saker::tls
