#include "net/send_queue.h"

#include <linux/sockios.h>
#include <sys/ioctl.h>

namespace saker::net {

std::uint64_t unacknowledgedBytes(loop::NativeSocket socket) {
    int bytes = 0;
    if (::ioctl(static_cast<int>(socket), SIOCOUTQ, &bytes) != 0 || bytes < 0) {
        return 0;
    }
    return static_cast<std::uint64_t>(bytes);
}

} // namespace saker::net
