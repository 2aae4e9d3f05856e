// Which addresses are to be listened on, and which of the present ones stay. Sockets are bound while a
// configuration is prepared, so that a port which cannot be had stops the change before anything has changed.
#pragma once

#include "loop/socket_address.h"
#include "net/listen_options.h"
#include "net/listen_socket.h"

#include <string>
#include <vector>

namespace saker::host {

struct ListenPlan {
    struct Opening {
        loop::SocketAddress address;            ///< as asked for: port 0 stays 0
        std::vector<net::ListenSocket> sockets; ///< one per loop; they know the port they got
    };
    std::vector<Opening> open;
    std::vector<loop::SocketAddress> close;
    std::vector<loop::SocketAddress> keep;
    std::vector<std::string> warnings; ///< default ports that could not be had
};

/// Binds what is new. Fails when a port cannot be bound that the user asked for (`isGiven`), or when none is
/// left; a *default* port that cannot be had is only a warning. `present`: as asked for.
/// `leaving`: addresses whose listeners of this process are about to close; their sockets may be joined.
Result<ListenPlan> planListeners(const net::ListenOptions& options, bool isGiven,
                                 const std::vector<loop::SocketAddress>& present, std::size_t loops,
                                 const std::vector<loop::SocketAddress>& leaving = {});

} // namespace saker::host
