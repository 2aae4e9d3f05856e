// Sockets for connections that we open.
#pragma once

#include "base/result.h"
#include "loop/op.h"
#include "net/endpoint.h"

namespace saker::net {

/// A new non-blocking socket for the endpoint, not connected yet; close-on-exec, TCP_NODELAY.
Result<loop::NativeSocket> openOutgoing(const Endpoint& endpoint);
void closeOutgoing(loop::NativeSocket socket);

/// Connects to a local socket, which the system does at once or not at all. 0, or an errno value: EAGAIN when
/// the server's queue is full, which passes.
int connectLocal(loop::NativeSocket socket, const Endpoint& endpoint);

/// Why EventLoop::connect() has failed just now on this thread (errno value).
int lastConnectError();

/// The peer has neither sent anything nor closed its side, as far as the system knows now: an idle
/// connection on which a request can be sent.
bool isQuiet(loop::NativeSocket socket);

} // namespace saker::net
