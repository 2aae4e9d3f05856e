#include "os/standard_error.h"

#include "base/text.h"

#include <cerrno>
#include <cstdlib>
#include <sys/stat.h>
#include <unistd.h>

namespace saker::os {

bool isJournalStream(std::string_view variable, std::uint64_t device, std::uint64_t inode) {
    std::size_t colon = variable.find(':');
    return colon != std::string_view::npos && parseDecimal(variable.substr(0, colon)) == device &&
           parseDecimal(variable.substr(colon + 1)) == inode;
}

StandardErrorKind standardErrorKind() {
    if (const char* stream = std::getenv("JOURNAL_STREAM")) {
        // The variable is inherited by all children; only the comparison tells whether stderr still is that
        // stream.
        struct stat status {};
        if (::fstat(STDERR_FILENO, &status) == 0 && isJournalStream(stream, status.st_dev, status.st_ino)) {
            return StandardErrorKind::journal;
        }
    }
    return ::isatty(STDERR_FILENO) ? StandardErrorKind::terminal : StandardErrorKind::other;
}

void writeStandardError(std::string_view bytes) {
    while (!bytes.empty()) {
        ssize_t n = ::write(STDERR_FILENO, bytes.data(), bytes.size());
        if (n > 0) {
            bytes.remove_prefix(static_cast<std::size_t>(n));
        } else if (errno != EINTR) {
            return;
        }
    }
}

} // namespace saker::os
