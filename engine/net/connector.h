// Opens one connection, over TCP or to a local socket. Belongs to the loop's thread and owns itself: it lives
// until it has told the user how it went, or until cancel(). Callbacks come from the loop, never from within
// a call.
//
// TCP goes through the loop's connect operation. A local socket needs none: the system connects it at once,
// or says that the server's queue is full; then it is tried again until the time is up.
#pragma once

#include "base/error.h"
#include "loop/event_loop.h"
#include "net/endpoint.h"
#include "net/transport.h"

#include <cstdint>
#include <memory>

namespace saker::net {

class ConnectUser {
public:
    /// Not started yet: the user calls transport.start().
    virtual void onConnected(Transport& transport) = 0;
    /// `isTimeout`: nobody answered in time; else it was refused or cannot be reached.
    virtual void onConnectFailed(const Error& error, bool isTimeout) = 0;

protected:
    ~ConnectUser() = default;
};

class Connector final : private loop::Socket, private loop::ConnectOp, private loop::Timer {
    struct Key {};

public:
    static Connector& start(loop::EventLoop& loop, const Endpoint& endpoint, std::uint64_t timeoutMs,
                            ConnectUser& user);
    /// The user is not called any more, and this may be gone afterwards.
    void cancel();

    Connector(Key, loop::EventLoop& loop, const Endpoint& endpoint, ConnectUser& user);

private:
    enum class State : std::uint8_t { waiting, connected, failed, timedOut, releasing };

    void begin(std::uint64_t timeoutMs);
    void tryLocal();
    void soon();
    void succeed();
    void fail();
    void end();
    void onConnected(int error) override;
    void onTimer() override;
    void onReleased() override;

    loop::EventLoop& loop_;
    Endpoint endpoint_;
    ConnectUser* user_; // null once cancelled
    std::unique_ptr<Connector> self_;
    loop::NativeSocket local_ = loop::kNoSocket; // a local one; others are the loop's
    std::uint64_t deadline_ = 0;                 // ms
    std::uint64_t pause_ = 1;                    // ms, between tries
    Error error_;
    State state_ = State::waiting;
};

} // namespace saker::net
