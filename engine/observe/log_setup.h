// Where the lines of log.h go: always to stderr (in the journal's form when stderr is the journal, coloured
// on a terminal unless NO_COLOR is set), and to a rotated file when one is given (the key Logging). Called by
// the host at start and at each reload; safe while other threads log.
#pragma once

#include "base/result.h"
#include "observe/log.h"

#include <cstdint>
#include <string>

namespace saker::log {

struct Setup {
    Level level = Level::info;
    std::string file; ///< empty: no file. Parent folders are made
    std::uint64_t rotateBytes = 10 * 1024 * 1024;
    unsigned keep = 5; ///< rotated files kept: file.0 is the youngest
};

/// On failure (the file cannot be opened) what was in use before stays in use.
Result<void> setUp(const Setup& setup);
/// Opens the file by its name again (USR1, logrotate). Failure is said on stderr, and opening is tried again
/// with the next line.
void reopen();

} // namespace saker::log
