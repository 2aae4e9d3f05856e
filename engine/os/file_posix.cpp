#include "os/file.h"

#include "base/text.h"
#include "os/file_posix.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace saker::os {

namespace {

int fd(std::intptr_t native) {
    return static_cast<int>(native);
}

bool writeAll(int handle, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(handle, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written < 0) {
            return false;
        }
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

/// A name beside `path` that is not in use, opened for writing.
int openTemporary(const std::string& path, std::uint32_t mode, std::string& name) {
    static std::atomic<unsigned> counter{0};
    for (int tries = 0; tries < 100; ++tries) {
        name = path + ".tmp-" + std::to_string(::getpid()) + "-" + std::to_string(counter.fetch_add(1));
        const int handle = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
        if (handle >= 0 || errno != EEXIST) {
            return handle;
        }
    }
    return -1;
}

void syncFolderOf(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
    const int handle = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (handle >= 0) {
        ::fsync(handle); // some file systems cannot; the rename is done all the same
        ::close(handle);
    }
}

/// Writes, flushes and renames; removes the temporary file if that fails. Returns 0 or an errno value.
int replaceWith(int handle, const std::string& temporary, const std::string& target, std::string_view bytes) {
    int error = 0;
    if (!writeAll(handle, bytes) || ::fsync(handle) != 0) {
        error = errno;
    }
    if (::close(handle) != 0 && error == 0) {
        error = errno;
    }
    if (error == 0 && ::rename(temporary.c_str(), target.c_str()) != 0) {
        error = errno;
    }
    if (error != 0) {
        ::unlink(temporary.c_str());
    }
    return error;
}

} // namespace

/// Looked at after the open: nothing can change in between.
Result<File> regularFile(int handle, std::string_view path) {
    File file(handle);
    struct stat facts {};
    if (::fstat(handle, &facts) != 0) {
        return systemError(errno, "cannot read the facts of", std::string(path));
    }
    if (!S_ISREG(facts.st_mode)) {
        return Error{ErrorKind::permission, "this is not a regular file, and nothing else is read",
                     std::string(path)};
    }
    return file;
}

File::~File() {
    if (native_ != kNone) {
        ::close(fd(native_));
    }
}

Result<FileStatus> File::status() const {
    struct stat facts {};
    if (::fstat(fd(native_), &facts) != 0) {
        return systemError(errno, "cannot read the facts of an open file");
    }
    return FileStatus{static_cast<std::uint64_t>(facts.st_size),
                      static_cast<std::int64_t>(facts.st_mtim.tv_sec) * 1'000'000'000 + facts.st_mtim.tv_nsec,
                      static_cast<std::uint64_t>(facts.st_ino), static_cast<std::uint64_t>(facts.st_dev),
                      (facts.st_mode & S_IROTH) != 0};
}

Result<std::size_t> File::readAt(std::uint64_t offset, char* to, std::size_t size) const {
    std::size_t done = 0;
    while (done < size) {
        const ssize_t got = ::pread(fd(native_), to + done, size - done, static_cast<off_t>(offset + done));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return systemError(errno, "cannot read a file");
        }
        if (got == 0) {
            break;
        }
        done += static_cast<std::size_t>(got);
    }
    return done;
}

Result<std::string> File::readAll(std::uint64_t limit) const {
    Result<FileStatus> facts = status();
    if (!facts.ok()) {
        return facts.error();
    }
    // The size is only where to begin: the file may grow, and those of /proc say 0.
    std::string content;
    for (std::uint64_t want = std::min(facts->size, limit) + 1;; want = content.size() + 64 * 1024) {
        const std::size_t have = content.size();
        content.resize(static_cast<std::size_t>(want));
        Result<std::size_t> got = readAt(have, content.data() + have, content.size() - have);
        if (!got.ok()) {
            return got.error();
        }
        const bool end = *got < content.size() - have;
        content.resize(have + *got);
        if (content.size() > limit) {
            return Error{ErrorKind::limit,
                         "the file is larger than " + formatBytes(limit) + ", which is the most allowed",
                         {}};
        }
        if (end) {
            return content;
        }
    }
}

Ref<FileHandle> File::share() && {
    return makeRef<FileHandle>(std::exchange(native_, kNone));
}

Result<File> openForRead(const std::string& path) {
    const int handle = ::open(path.c_str(), kReadFlags);
    return handle < 0 ? systemError(errno, "cannot open", path) : regularFile(handle, path);
}

Result<std::string> readFile(const std::string& path, std::uint64_t limit) {
    Result<File> file = openForRead(path);
    if (!file.ok()) {
        return file.error();
    }
    Result<std::string> content = file->readAll(limit);
    if (!content.ok()) {
        Error error = content.error();
        error.where = path;
        return error;
    }
    return content;
}

Result<void> writeAtomically(const std::string& path, std::string_view bytes, std::uint32_t mode) {
    std::array<char, PATH_MAX> real;
    std::string target = path;
    struct stat facts {};
    const bool exists = ::stat(path.c_str(), &facts) == 0;
    if (exists) {
        if (!S_ISREG(facts.st_mode)) {
            return Error{ErrorKind::permission, "this is not a regular file, and nothing else is replaced",
                         path};
        }
        if (::realpath(path.c_str(), real.data())) {
            target = real.data(); // a link stays a link
        }
    }
    std::string temporary;
    const int handle = openTemporary(target, mode, temporary);
    if (handle < 0) {
        return systemError(errno, "cannot make a new file beside it", target);
    }
    if (exists) { // keeps mode and owner, as far as this process may
        (void)!::fchown(handle, facts.st_uid, facts.st_gid);
        ::fchmod(handle, facts.st_mode & 07777);
    }
    if (const int error = replaceWith(handle, temporary, target, bytes); error != 0) {
        return systemError(error, "cannot write the file; the old one is untouched", target);
    }
    syncFolderOf(target);
    return {};
}

Result<void> createDirectories(const std::string& path, std::uint32_t mode) {
    for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
        const std::string part = path.substr(0, end);
        if (::mkdir(part.c_str(), mode) != 0 && errno != EEXIST && errno != EISDIR) {
            const int error = errno;
            struct stat facts {}; // a read-only or foreign folder above is fine as long as it is there
            if (::stat(part.c_str(), &facts) != 0 || !S_ISDIR(facts.st_mode)) {
                return systemError(error, "cannot make the folder", part);
            }
        }
        if (end == std::string::npos) {
            break;
        }
    }
    struct stat facts {};
    if (::stat(path.c_str(), &facts) != 0) {
        return systemError(errno, "cannot make the folder", path);
    }
    if (!S_ISDIR(facts.st_mode)) {
        return Error{ErrorKind::failure, "there is a file of that name where a folder is wanted", path};
    }
    return {};
}

} // namespace saker::os
