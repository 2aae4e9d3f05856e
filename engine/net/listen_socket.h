// A bound socket on its way to a listener: made where the right to bind is (start-up, before privileges are
// dropped, or the building of a new configuration), handed to the loop that accepts on it. Closes itself
// unless handed on.
#pragma once

#include "base/result.h"
#include "loop/op.h"
#include "loop/socket_address.h"

#include <utility>
#include <vector>

namespace saker::net {

class ListenSocket {
public:
    ListenSocket() = default;
    ListenSocket(ListenSocket&& other) noexcept
        : native_(std::exchange(other.native_, loop::kNoSocket)), address_(other.address_) {}
    ListenSocket& operator=(ListenSocket other) noexcept {
        std::swap(native_, other.native_);
        std::swap(address_, other.address_);
        return *this;
    }
    ~ListenSocket() { close(); }

    /// One socket for the address, alone or with others of ours: `shared` says that this process already has
    /// sockets on this address. Without it the address must be free, so that a second server is noticed,
    /// although sockets of one user with SO_REUSEPORT could share it. The error is of kind cannotBind and
    /// names the address, the reason and what to do. Port 0 takes a free port. Clients are not accepted
    /// before listen().
    static Result<ListenSocket> bind(const loop::SocketAddress& address, bool shared = false);
    /// As many sockets on one address as there are loops; all or none.
    static Result<std::vector<ListenSocket>> bindGroup(const loop::SocketAddress& address, std::size_t count,
                                                       bool shared = false);
    /// Takes over a descriptor that another program bound (socket activation, an upgrade).
    static Result<ListenSocket> inherit(loop::NativeSocket native);

    /// Lets the system queue clients; does no harm when it does so already.
    Result<void> listen();
    /// A second descriptor of a listening socket, to pass on; the first stays usable.
    static Result<ListenSocket> duplicate(loop::NativeSocket native);
    /// Makes the system ignore new clients, which then try again and reach another socket of the address,
    /// while those whose handshake has begun still arrive. False when the system cannot.
    static bool refuseNewClients(loop::NativeSocket native);
    /// One client that is waiting, non-blocking as those of a loop; kNoSocket when none is.
    static loop::NativeSocket acceptWaiting(loop::NativeSocket native, loop::SocketAddress& peer);

    bool isOpen() const { return native_ != loop::kNoSocket; }
    loop::NativeSocket native() const { return native_; }
    /// With the port that the system chose.
    const loop::SocketAddress& address() const { return address_; }
    /// Hands the descriptor over.
    loop::NativeSocket take() { return std::exchange(native_, loop::kNoSocket); }

private:
    ListenSocket(loop::NativeSocket native, const loop::SocketAddress& address)
        : native_(native), address_(address) {}
    void close();

    loop::NativeSocket native_ = loop::kNoSocket;
    loop::SocketAddress address_;
};

} // namespace saker::net
