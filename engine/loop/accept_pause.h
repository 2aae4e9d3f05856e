// Lets listeners rest when the process has run out of descriptors or memory, and wakes them after a while.
// Private to this library; belongs to the loop's thread.
#pragma once

#include "loop/backend.h"

#include <vector>

namespace saker::loop {

/// The backend whose listeners rest.
class AcceptPauseUser {
public:
    /// Accept on it again.
    virtual void onAcceptResumed(Socket& listener) = 0;

protected:
    ~AcceptPauseUser() = default;
};

class AcceptPause final : private Timer {
public:
    AcceptPause(EventLoop& loop, AcceptPauseUser& user) : loop_(loop), user_(user) {}

    /// Whether accepting may work again later without anything being done about this error.
    static bool isShortage(int error);
    /// The error concerns one client that has gone already; the next one may be accepted at once.
    static bool isOfOneClient(int error);

    void pause(Socket& listener);
    /// It is released or no longer accepts.
    void forget(Socket& listener);

private:
    void onTimer() override;

    EventLoop& loop_;
    AcceptPauseUser& user_;
    std::vector<Socket*> resting_;
};

} // namespace saker::loop
