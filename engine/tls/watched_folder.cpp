#include "tls/watched_folder.h"

#include "os/paths.h"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <map>
#include <system_error>

namespace saker::tls {

namespace {

namespace fs = std::filesystem;

/// As many links as Linux follows.
constexpr int kMostLinks = 40;

} // namespace

std::vector<WatchedFolder> foldersOfPath(const std::string& path) {
    std::vector<WatchedFolder> folders;
    std::deque<std::string> names; // still to go
    auto goFirst = [&names](const fs::path& more) {
        std::vector<std::string> parts;
        for (const fs::path& part : more) {
            if (part != "/" && part != "." && !part.empty()) {
                parts.push_back(part.string());
            }
        }
        names.insert(names.begin(), parts.begin(), parts.end());
    };
    goFirst(os::absolutePath(path));
    std::string at = "/";
    int links = 0;
    while (!names.empty()) {
        std::string name = std::move(names.front());
        names.pop_front();
        if (name == "..") {
            at = os::parentPath(at);
            continue;
        }
        const std::string full = os::joinPath(at, name);
        std::error_code failed;
        const fs::file_status status = fs::symlink_status(full, failed);
        const bool isLink = fs::is_symlink(status);
        if (isLink || names.empty() || !fs::exists(status)) {
            folders.push_back({at, {name}});
        }
        if (!isLink) {
            if (!fs::exists(status)) {
                break;
            }
            at = full;
            continue;
        }
        const fs::path target = fs::read_symlink(full, failed);
        if (failed || ++links > kMostLinks) {
            break;
        }
        if (target.is_absolute()) {
            at = "/";
        }
        goFirst(target);
    }
    return folders;
}

std::vector<WatchedFolder> joined(std::vector<WatchedFolder> folders) {
    std::map<std::string, std::vector<std::string>> byPath;
    for (WatchedFolder& folder : folders) {
        auto [entry, isNew] = byPath.try_emplace(std::move(folder.path), std::move(folder.names));
        if (isNew || entry->second.empty()) {
            continue;
        }
        if (folder.names.empty()) {
            entry->second.clear(); // all of them
        } else {
            entry->second.insert(entry->second.end(), folder.names.begin(), folder.names.end());
        }
    }
    std::vector<WatchedFolder> out;
    for (auto& [path, names] : byPath) {
        std::sort(names.begin(), names.end());
        names.erase(std::unique(names.begin(), names.end()), names.end());
        out.push_back({path, std::move(names)});
    }
    return out;
}

} // namespace saker::tls
