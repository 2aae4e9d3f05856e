// Opening below a folder. Linux resolves a path under a rule by itself (openat2); where it does not know the
// call, the path is walked name by name without following links. A link that the kernel will not follow is
// resolved by realpath(), and what it leads to is opened without links: so the judgement and the open are
// about the same file.
#include "os/file.h"
#include "os/file_posix.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include <sys/stat.h>
#include <unistd.h>

#if __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#include <sys/syscall.h>
#endif

namespace saker::os {

namespace {

#ifdef O_PATH
constexpr int kFolderFlags = O_PATH | O_DIRECTORY | O_CLOEXEC;
#else
constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK;
#endif

/// A path with an end mark, without an allocation.
class PathText {
public:
    explicit PathText(std::string_view path) : fits_(path.size() < text_.size()) {
        if (fits_ && !path.empty()) {
            std::memcpy(text_.data(), path.data(), path.size());
        }
        text_[fits_ ? path.size() : 0] = '\0';
    }
    bool fits() const { return fits_; }
    const char* get() const { return text_.data(); }

private:
    std::array<char, PATH_MAX> text_;
    bool fits_;
};

/// Names only: nothing that starts at the root, goes up, or ends early for the system.
bool isRelative(std::string_view path) {
    if (path.empty() || path.front() == '/' || path.find('\0') != std::string_view::npos) {
        return false;
    }
    for (std::size_t start = 0; start <= path.size();) {
        const std::size_t end = std::min(path.find('/', start), path.size());
        if (path.substr(start, end - start) == "..") {
            return false;
        }
        start = end + 1;
    }
    return true;
}

bool isBelow(std::string_view path, std::string_view folder) {
    return path == folder || folder == "/" ||
           (path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/');
}

/// openat2 with rules for the resolution: a descriptor, or a negated errno value (ENOSYS: this system
/// cannot).
int openResolved(int folder, const char* path, [[maybe_unused]] bool links) {
#ifdef RESOLVE_BENEATH
    open_how how{};
    how.flags = kReadFlags;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | (links ? 0 : RESOLVE_NO_SYMLINKS);
    for (int tries = 0;; ++tries) {
        const long handle = ::syscall(SYS_openat2, folder, path, &how, sizeof how);
        if (handle >= 0) {
            return static_cast<int>(handle);
        }
        if (errno != EINTR && (errno != EAGAIN || tries >= 8)) { // EAGAIN: a folder was renamed just then
            return errno == EPERM ? -ENOSYS : -errno; // EPERM: a filter of system calls that does not know it
        }
    }
#else
    (void)folder;
    (void)path;
    return -ENOSYS;
#endif
}

int openWithoutLinks(int folder, std::string_view path) {
    const PathText text(path);
    if (!text.fits()) {
        return -ENAMETOOLONG;
    }
    const int handle = openResolved(folder, text.get(), false);
    return handle == -ENOSYS ? openByNames(folder, path) : handle;
}

/// Follows links as far as what they lead to is below one of the folders; the path counts from the first of
/// them.
int openPermitted(std::string_view path, const std::vector<std::string>& allowed) {
    const std::string full = allowed.front() + '/' + std::string(path);
    std::array<char, PATH_MAX> real;
    if (!::realpath(full.c_str(), real.data())) {
        return -errno;
    }
    const std::string target = real.data();
    const bool permitted = std::any_of(allowed.begin(), allowed.end(), [&](const std::string& one) {
        return ::realpath(one.c_str(), real.data()) &&
               isBelow(target, real.data()); // a missing one permits nothing
    });
    if (!permitted) {
        return -EXDEV;
    }
    const int root = ::open("/", kFolderFlags);
    if (root < 0) {
        return -errno;
    }
    const File keep(root);
    return openWithoutLinks(root, std::string_view(target).substr(1));
}

Error refusal(int error, std::string_view path) {
    if (error == EXDEV || error == ELOOP) {
        return {ErrorKind::permission,
                "a symbolic link on the way leads where this folder's policy does not permit",
                std::string(path)};
    }
    if (error == ENOTDIR || error == ENAMETOOLONG) {
        return {ErrorKind::notFound, "cannot open: " + systemErrorText(error), std::string(path)};
    }
    return systemError(error, "cannot open", std::string(path));
}

} // namespace

int openByNames(int folder, std::string_view path) {
    File current; // keeps the folder on the way open
    for (;;) {
        const int at = current.isOpen() ? static_cast<int>(current.native()) : folder;
        const std::size_t slash = path.find('/');
        const PathText name(path.substr(0, slash));
        const bool last = slash == std::string_view::npos;
        const int handle = ::openat(at, name.get(), (last ? kReadFlags : kFolderFlags) | O_NOFOLLOW);
        if (handle < 0 || last) {
            // A link among the folders is "not a directory" to the system.
            return handle >= 0 ? handle : errno == EMLINK ? -ELOOP : -errno;
        }
        current = File(handle);
        path.remove_prefix(std::min(path.size(), path.find_first_not_of('/', slash)));
    }
}

Result<Folder> Folder::open(const std::string& path, LinkPolicy policy,
                            std::span<const std::string> alsoAllowed) {
    const int handle = ::open(path.c_str(), kFolderFlags);
    if (handle < 0) {
        return systemError(errno, "cannot open the folder", path);
    }
    std::vector<std::string> allowed;
    if (policy == LinkPolicy::inside) {
        allowed.reserve(alsoAllowed.size() + 1);
        allowed.push_back(path);
        allowed.insert(allowed.end(), alsoAllowed.begin(), alsoAllowed.end());
    }
    return Folder(File(handle), policy, std::move(allowed));
}

Result<File> Folder::openBeneath(std::string_view relative) const {
    if (!isRelative(relative)) {
        return Error{ErrorKind::permission, "the path must name a file below the folder",
                     std::string(relative)};
    }
    const PathText text(relative);
    if (!text.fits()) {
        return refusal(ENAMETOOLONG, relative);
    }
    const int at = static_cast<int>(handle_.native());
    int handle = -1;
    switch (policy_) {
    case LinkPolicy::follow:
        handle = ::openat(at, text.get(), kReadFlags);
        handle = handle < 0 ? -errno : handle;
        break;
    case LinkPolicy::never:
        handle = openWithoutLinks(at, relative);
        break;
    case LinkPolicy::inside:
        handle = openResolved(at, text.get(), true);
        if (handle == -EXDEV || handle == -ENOSYS) { // absolute, or out of the folder, or an old kernel
            handle = openPermitted(relative, allowed_);
        }
        break;
    }
    return handle < 0 ? refusal(-handle, relative) : regularFile(handle, relative);
}

} // namespace saker::os
