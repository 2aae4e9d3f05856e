#include "routing/index_directory_reader.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <memory>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace saker::routing {

namespace {

struct CloseDirectory {
    void operator()(DIR* stream) const { ::closedir(stream); }
};

DirectoryIdentity identityOf(const struct stat& facts) {
    return {static_cast<std::uint64_t>(facts.st_dev), static_cast<std::uint64_t>(facts.st_ino)};
}

std::int64_t modifiedOf(const struct stat& facts) {
    return static_cast<std::int64_t>(facts.st_mtim.tv_sec) * 1'000'000'000 + facts.st_mtim.tv_nsec;
}

/// May this process read it? The system is asked only where the mode does not say so for everybody.
bool isReadable(int directory, const char* name, const struct stat& facts) {
    constexpr mode_t kEverybody = S_IRUSR | S_IRGRP | S_IROTH;
    return (facts.st_mode & kEverybody) == kEverybody || ::faccessat(directory, name, R_OK, AT_EACCESS) == 0;
}

IndexDirectoryReader::Outcome outcomeOf(int openError) {
    switch (openError) {
    case ENOENT:
    case ENOTDIR:
    case ELOOP:
        return IndexDirectoryReader::Outcome::vanished;
    case EACCES:
    case EPERM:
    case ENAMETOOLONG:
        return IndexDirectoryReader::Outcome::unreadable;
    default:
        return IndexDirectoryReader::Outcome::failed;
    }
}

bool isBelow(std::string_view path, std::string_view folder) {
    return path == folder || folder == "/" ||
           (path.size() > folder.size() && path.substr(0, folder.size()) == folder &&
            path[folder.size()] == '/');
}

} // namespace

Result<void> IndexDirectoryReader::begin() {
    permitted_.clear();
    char real[PATH_MAX];
    if (!::realpath(options_.root.c_str(), real)) {
        return systemError(errno, "cannot read the folder to serve", options_.root);
    }
    permitted_.emplace_back(real);
    for (const std::string& extra : options_.extraRoots) {
        if (::realpath(extra.c_str(), real)) { // one that does not exist permits nothing
            permitted_.emplace_back(real);
        }
    }
    return {};
}

const std::string& IndexDirectoryReader::fullPath(std::string_view path) {
    full_ = options_.root;
    if (!path.empty()) {
        full_ += '/';
        full_ += path;
    }
    return full_;
}

bool IndexDirectoryReader::leadsInside(std::string_view directory, std::string_view name) {
    std::string link = options_.root;
    for (std::string_view part : {directory, name}) {
        if (!part.empty()) {
            link += '/';
            link += part;
        }
    }
    char real[PATH_MAX];
    if (!::realpath(link.c_str(), real)) {
        return false;
    }
    return std::any_of(permitted_.begin(), permitted_.end(),
                       [&](const std::string& folder) { return isBelow(real, folder); });
}

DiskEntry IndexDirectoryReader::inspectAt(int directory, const char* name, std::string_view pathOfDirectory,
                                          std::string_view plainName) {
    DiskEntry entry;
    entry.name = plainName;
    struct stat facts {};
    if (::fstatat(directory, name, &facts, AT_SYMLINK_NOFOLLOW) != 0) {
        return entry;
    }
    if (S_ISLNK(facts.st_mode)) {
        entry.link = true;
        entry.kind = DiskEntry::Kind::refused;
        if (options_.links == IndexOptions::Links::never) {
            return entry;
        }
        if (::fstatat(directory, name, &facts, 0) != 0) {
            if (errno == ENOENT) {
                entry.kind = DiskEntry::Kind::dangling;
            }
            return entry;
        }
        if (options_.links == IndexOptions::Links::inside && !leadsInside(pathOfDirectory, plainName)) {
            return entry;
        }
    }
    if (S_ISDIR(facts.st_mode)) {
        entry.kind = DiskEntry::Kind::directory;
    } else if (S_ISREG(facts.st_mode)) {
        entry.kind = isReadable(directory, name, facts) ? DiskEntry::Kind::file : DiskEntry::Kind::refused;
        entry.size = static_cast<std::uint64_t>(facts.st_size);
        entry.modified = modifiedOf(facts);
    } else {
        entry.kind = DiskEntry::Kind::none;
    }
    return entry;
}

IndexDirectoryReader::Outcome
IndexDirectoryReader::read(std::string_view path, bool link,
                           const std::function<bool(const DirectoryIdentity&)>& enter,
                           const std::function<void(const DiskEntry&)>& visit) {
    const int flags =
        O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK | (link || path.empty() ? 0 : O_NOFOLLOW);
    const int handle = ::open(fullPath(path).c_str(), flags);
    if (handle < 0) {
        return outcomeOf(errno);
    }
    std::unique_ptr<DIR, CloseDirectory> stream(::fdopendir(handle));
    if (!stream) {
        ::close(handle);
        return Outcome::failed;
    }
    struct stat facts {};
    if (::fstat(handle, &facts) != 0 || !enter(identityOf(facts))) {
        return Outcome::vanished;
    }
    while (const dirent* item = ::readdir(stream.get())) {
        const std::string_view name = item->d_name;
        if (name == "." || name == "..") {
            continue;
        }
        DiskEntry entry;
        switch (item->d_type) {
        case DT_DIR: // needs no further look
            entry.kind = DiskEntry::Kind::directory;
            entry.name = name;
            break;
        case DT_FIFO:
        case DT_SOCK:
        case DT_CHR:
        case DT_BLK:
            continue;
        default:
            entry = inspectAt(handle, item->d_name, path, name);
            break;
        }
        if (entry.kind != DiskEntry::Kind::none) {
            visit(entry);
        }
    }
    return Outcome::read;
}

DiskEntry IndexDirectoryReader::inspect(std::string_view directory, std::string_view name) {
    fullPath(directory);
    full_ += '/';
    full_ += name;
    return inspectAt(AT_FDCWD, full_.c_str(), directory, name);
}

std::optional<DirectoryIdentity> IndexDirectoryReader::identify(std::string_view path) {
    struct stat facts {};
    if (::stat(fullPath(path).c_str(), &facts) != 0 || !S_ISDIR(facts.st_mode)) {
        return std::nullopt;
    }
    return identityOf(facts);
}

bool IndexDirectoryReader::isLink(std::string_view path) {
    struct stat facts {};
    return ::lstat(fullPath(path).c_str(), &facts) == 0 && S_ISLNK(facts.st_mode);
}

} // namespace saker::routing
