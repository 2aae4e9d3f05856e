// Which addresses are to be listened on, and which of the present ones stay. Sockets are bound while a
// configuration is prepared, so that a port which cannot be had stops the change before anything has changed.
#pragma once

#include "loop/socket_address.h"
#include "net/listen_options.h"
#include "net/listen_socket.h"

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace saker::host {

/// An address that is listened on, and for what.
struct ListenPoint {
    loop::SocketAddress address; ///< as asked for: port 0 stays 0
    bool tls = false;
    bool operator==(const ListenPoint&) const = default;
};

/// One with the port that the system chose for 0.
struct BoundPoint {
    ListenPoint asked;
    loop::SocketAddress actual;
};

struct ListenPlan {
    struct Opening {
        ListenPoint point;
        std::vector<net::ListenSocket> sockets; ///< one per loop; they know the port they got
    };
    std::vector<Opening> open;
    std::vector<ListenPoint> close;
    std::vector<ListenPoint> keep;
    std::vector<std::string> warnings; ///< default ports that could not be had
};

/// Which of the lists of ports the user has named.
struct PortsGiven {
    bool http = false;
    bool https = false;
};

/// Binds what is new. Fails when a port cannot be bound that the user asked for (`given`), or when none is
/// left; a *default* port that cannot be had is only a warning. Port 0 is one free port for all addresses.
/// `present`: what is listened on now.
/// `leaving`: addresses whose listeners of this process are about to close; their sockets may be joined.
Result<ListenPlan> planListeners(const net::ListenOptions& options, PortsGiven given,
                                 const std::vector<ListenPoint>& present, std::size_t loops,
                                 const std::vector<loop::SocketAddress>& leaving = {});

/// Which port for HTTPS belongs to each one for HTTP: the one at the same place of its list, else 443, else
/// the first that is listened on.
std::unordered_map<std::uint16_t, std::uint16_t> pairPorts(const net::ListenOptions& options,
                                                           std::span<const BoundPoint> bound);

} // namespace saker::host
