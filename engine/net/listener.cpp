#include "net/listener.h"

#include <cerrno>

namespace saker::net {

Listener::Listener(Key, loop::EventLoop& loop, const loop::SocketAddress& address, ListenerUser& user)
    : loop_(loop), address_(address), user_(user) {}

Result<Listener*> Listener::open(loop::EventLoop& loop, ListenSocket socket, ListenerUser& user) {
    if (auto listening = socket.listen(); !listening) {
        return listening.error();
    }
    auto listener = std::make_unique<Listener>(Key{}, loop, socket.address(), user);
    Listener& self = *listener;
    self.self_ = std::move(listener);
    loop.adopt(self, socket.take());
    loop.accept(self, self);
    return &self;
}

void Listener::retire(unsigned graceMs) {
    if (retiring_ || closing_) {
        return;
    }
    retiring_ = true;
    ListenSocket::refuseNewClients(native());
    loop_.timers().set(*this, loop_.now() + graceMs);
}

void Listener::onTimer() {
    if (accepting_) {
        loop_.cancelAccept(*this);
    } else {
        close();
    }
}

void Listener::close() {
    if (closing_) {
        return;
    }
    closing_ = true;
    cancel();
    loop_.release(*this);
}

Result<ListenSocket> Listener::duplicate() const {
    return ListenSocket::duplicate(native());
}

void Listener::onAccepted(loop::NativeSocket socket, const loop::SocketAddress& peer) {
    user_.onConnection(*this, socket, peer);
}

void Listener::onAcceptError(int error) {
    user_.onListenerTrouble(*this, error);
}

void Listener::onAcceptEnd(int error) {
    accepting_ = false;
    if (closing_) {
        return;
    }
    if (error != ECANCELED) {
        user_.onListenerTrouble(*this, error);
        return;
    }
    // Retiring: those that the system has queued are served, then nobody is left to be reset.
    loop::SocketAddress peer;
    while (!closing_) {
        const loop::NativeSocket client = ListenSocket::acceptWaiting(native(), peer);
        if (client == loop::kNoSocket) {
            break;
        }
        user_.onConnection(*this, client, peer);
    }
    close();
}

void Listener::onReleased() {
    const std::unique_ptr<Listener> self = std::move(self_);
    user_.onListenerClosed(*this);
}

} // namespace saker::net
