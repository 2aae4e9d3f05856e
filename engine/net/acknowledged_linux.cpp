#include "net/acknowledged.h"

#include <cstddef>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace saker::net {

std::optional<std::uint64_t> acknowledgedBytes(loop::NativeSocket socket) {
    tcp_info info{};
    socklen_t size = sizeof info;
    if (::getsockopt(static_cast<int>(socket), IPPROTO_TCP, TCP_INFO, &info, &size) != 0 ||
        size < offsetof(tcp_info, tcpi_bytes_acked) + sizeof info.tcpi_bytes_acked) {
        return std::nullopt;
    }
    return info.tcpi_bytes_acked;
}

} // namespace saker::net
