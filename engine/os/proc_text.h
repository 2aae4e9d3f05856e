// The texts of Linux's /proc that Saker reads, as pure functions.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace saker::os {

/// From /proc/<pid>/stat; zeros when the text is not one.
struct ProcessStat {
    unsigned threads = 0;
    std::uint64_t startTicks = 0; ///< since boot
    std::uint64_t residentPages = 0;
};
ProcessStat parseProcessStat(std::string_view text);

/// From /proc/net/tcp or tcp6: the inodes of the sockets that listen on the port.
std::vector<std::uint64_t> listeningInodes(std::string_view table, std::uint16_t port);

/// From /proc/net/unix: the inodes of the sockets that listen at a name below the folder.
std::vector<std::uint64_t> localListenerInodes(std::string_view table, std::string_view folder);

} // namespace saker::os
