// The last completions of a released socket; shared by the backends, private to this library.
#pragma once

#include "loop/backend.h"
#include "loop/spare_chains.h"

#include <cerrno>
#include <utility>

namespace saker::loop {

/// Ends the operations that release() cut off, and takes the socket's native value. onReleased() is the next
/// call.
inline void endOperations(Socket& socket, SpareChains& spares) {
    if (void* stream = std::exchange(SocketAccess::stream(socket), nullptr)) {
        if (SocketAccess::has(socket, kAccepting)) {
            static_cast<AcceptOp*>(stream)->onAcceptEnd(ECANCELED);
        } else if (SocketAccess::has(socket, kConnecting)) {
            static_cast<ConnectOp*>(stream)->onConnected(ECANCELED);
        } else {
            static_cast<ReceiveOp*>(stream)->onReceiveEnd(ECANCELED);
        }
    }
    if (WriteOp* op = std::exchange(SocketAccess::write(socket), nullptr)) {
        spares.giveBack(SocketAccess::chain(*op));
        op->onWritten(ECANCELED);
    }
    SocketAccess::native(socket) = kNoSocket;
}

} // namespace saker::loop
