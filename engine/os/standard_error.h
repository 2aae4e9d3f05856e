// What stderr is connected to, which decides how log lines look there.
#pragma once

#include <cstdint>
#include <string_view>

namespace saker::os {

enum class StandardErrorKind : std::uint8_t {
    terminal,
    journal, ///< the stream that systemd's JOURNAL_STREAM names: lines start with a priority, e.g. "<3>"
    other,   ///< a file, a pipe
};
StandardErrorKind standardErrorKind();

/// Whether JOURNAL_STREAM ("device:inode") names this device and inode.
bool isJournalStream(std::string_view variable, std::uint64_t device, std::uint64_t inode);

/// All bytes in as few system calls as possible, so that lines of several processes do not mix. Failures are
/// ignored.
void writeStandardError(std::string_view bytes);

} // namespace saker::os
