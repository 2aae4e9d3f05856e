#include "os/temporary_file.h"

#include "os/paths.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

namespace saker::os {

Result<TemporaryFile> TemporaryFile::create(const std::string& folder) {
    const std::string where = folder.empty() ? temporaryDirectory() : folder;
    int fd = -1;
#ifdef O_TMPFILE
    fd = ::open(where.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
#endif
    if (fd < 0) { // not every file system can do that
        std::string name = where + "/saker-XXXXXX";
        fd = ::mkostemp(name.data(), O_CLOEXEC);
        if (fd < 0) {
            return systemError(errno, "making a temporary file", where);
        }
        ::unlink(name.c_str());
    }
    return TemporaryFile(makeRef<FileHandle>(fd));
}

Result<void> TemporaryFile::append(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::pwrite(static_cast<int>(handle_->native()), bytes.data(), bytes.size(),
                                   static_cast<off_t>(size_));
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return systemError(n < 0 ? errno : ENOSPC, "writing to a temporary file");
        }
        size_ += static_cast<std::uint64_t>(n);
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return {};
}

} // namespace saker::os
