// Accepts clients of one address on one loop. There is one per address and loop (SO_REUSEPORT spreads the
// clients). Belongs to the loop's thread and owns itself: it lives from open() until onListenerClosed()
// returns.
#pragma once

#include "loop/event_loop.h"
#include "net/listen_socket.h"

#include <memory>

namespace saker::net {

class Listener;

class ListenerUser {
public:
    /// A client: the receiver owns the socket (usually TcpTransport::open). Also called while retiring.
    virtual void onConnection(Listener& listener, loop::NativeSocket socket,
                              const loop::SocketAddress& peer) = 0;
    /// Accepting failed (errno value); it goes on after a pause. Called about ten times a second while it
    /// lasts.
    virtual void onListenerTrouble(Listener& listener, int error) = 0;
    /// The last call: the port is free, the listener is about to be destroyed.
    virtual void onListenerClosed(Listener& listener) = 0;

protected:
    ~ListenerUser() = default;
};

class Listener final : private loop::Socket, private loop::AcceptOp, private loop::Timer {
    struct Key {};

public:
    /// Starts accepting. The user must live until onListenerClosed().
    static Result<Listener*> open(loop::EventLoop& loop, ListenSocket socket, ListenerUser& user);

    /// Closes without losing a client: new ones are kept away (they come to another socket of the address, or
    /// are refused when there is none), those whose handshake has begun get `graceMs` to finish it and are
    /// handed to the user, then the socket closes. The grace is below the second after which a client repeats
    /// its first packet.
    void retire(unsigned graceMs = 500);
    /// Closes now; clients that the system has queued are reset. For a process that ends at once.
    void close();
    /// The socket for another process; accepting goes on here.
    Result<ListenSocket> duplicate() const;

    const loop::SocketAddress& address() const { return address_; }
    loop::EventLoop& loop() const { return loop_; }

    Listener(Key, loop::EventLoop& loop, const loop::SocketAddress& address, ListenerUser& user);

private:
    void onAccepted(loop::NativeSocket socket, const loop::SocketAddress& peer) override;
    void onAcceptEnd(int error) override;
    void onAcceptError(int error) override;
    void onTimer() override;
    void onReleased() override;

    loop::EventLoop& loop_;
    loop::SocketAddress address_;
    ListenerUser& user_;
    std::unique_ptr<Listener> self_; // until onReleased()
    bool accepting_ = true;
    bool closing_ = false;
    bool retiring_ = false;
};

} // namespace saker::net
