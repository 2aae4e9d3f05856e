#include "os/runtime_folder.h"

#include "os/account.h"
#include "os/file.h"
#include "os/paths.h"
#include "os/process.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace saker::os {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "run-";
constexpr std::string_view kLockName = "lock";

Result<void> checkOwner(const std::string& folder) {
    struct stat status {};
    if (::lstat(folder.c_str(), &status) != 0) {
        return systemError(errno, "cannot look at the folder", folder);
    }
    if (!S_ISDIR(status.st_mode)) {
        return Error{ErrorKind::failure, "a folder for running programs was expected here", folder};
    }
    const bool othersWrite = (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
    if (status.st_uid != ::geteuid() || othersWrite) {
        return Error{ErrorKind::permission,
                     fmt::format("this folder for running programs {}; remove it, or name another one",
                                 othersWrite ? "may be written to by others" : "belongs to another user"),
                     folder};
    }
    return {};
}

/// A handle that holds the lock; -1 when somebody else does, or when there is no such file.
int lockFile(const std::string& path, int more) {
    const int handle = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | more, S_IRUSR | S_IWUSR);
    if (handle >= 0 && ::flock(handle, LOCK_EX | LOCK_NB) != 0) {
        ::close(handle);
        return -1;
    }
    return handle;
}

void removeAbandoned(const std::string& shared) {
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(shared, ignored)) {
        const std::string path = entry.path().string();
        if (!entry.path().filename().string().starts_with(kPrefix) || !entry.is_directory(ignored)) {
            continue;
        }
        // Folders are made under the lock of the shared one, so that one without a lock is nobody's.
        const int lock = lockFile(joinPath(path, kLockName), O_CREAT);
        if (lock < 0) {
            continue;
        }
        killListenersBelow(path);
        fs::remove_all(path, ignored);
        ::close(lock);
    }
}

} // namespace

Result<void> RuntimeFolder::makeShared(const std::string& shared, const std::string& user) {
    const Result<Account> account = findAccount(user);
    if (!account) {
        return account.error();
    }
    if (::mkdir(shared.c_str(), S_IRWXU) != 0) {
        return errno == EEXIST ? Result<void>() : systemError(errno, "cannot make the folder", shared);
    }
    // Made by this call, in a folder that only root writes to: nobody can have put another one here.
    if (::lchown(shared.c_str(), account->user, account->group) != 0) {
        return systemError(errno, "cannot give away the folder", shared);
    }
    return {};
}

Result<RuntimeFolder> RuntimeFolder::make(const std::string& shared) {
    if (Result<void> made = createDirectories(shared, S_IRWXU); !made) {
        return made.error();
    }
    if (Result<void> ours = checkOwner(shared); !ours) {
        return ours.error();
    }
    // One at a time: it is short.
    const int sharedLock = ::open(shared.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (sharedLock < 0 || ::flock(sharedLock, LOCK_EX) != 0) {
        return systemError(errno, "cannot lock the folder", shared);
    }
    removeAbandoned(shared);
    std::string path = joinPath(shared, fmt::format("{}XXXXXX", kPrefix));
    const bool made = ::mkdtemp(path.data()) != nullptr; // mode 0700
    const int lock = made ? lockFile(joinPath(path, kLockName), O_CREAT | O_EXCL) : -1;
    const int error = errno;
    ::close(sharedLock);
    if (lock < 0) {
        return systemError(error, "cannot make a folder for running programs below", shared);
    }
    return RuntimeFolder(path, lock);
}

RuntimeFolder::RuntimeFolder(RuntimeFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::exchange(other.lock_, -1)) {}

RuntimeFolder& RuntimeFolder::operator=(RuntimeFolder&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(lock_, other.lock_);
    return *this;
}

RuntimeFolder::~RuntimeFolder() {
    if (lock_ >= 0) {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
        ::close(lock_);
    }
}

std::string RuntimeFolder::at(std::string_view name) const {
    return joinPath(path_, name);
}

} // namespace saker::os
