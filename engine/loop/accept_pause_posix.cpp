#include "loop/accept_pause.h"

#include <algorithm>
#include <cerrno>

namespace saker::loop {

namespace {
constexpr std::uint64_t kPauseMs = 100;
}

bool AcceptPause::isShortage(int error) {
    return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

bool AcceptPause::isOfOneClient(int error) {
    // accept(2): errors that are already pending on the new socket are passed on by Linux.
    switch (error) {
    case ECONNABORTED:
    case EPERM:
    case EPROTO:
    case ENETDOWN:
    case ENOPROTOOPT:
    case EHOSTDOWN:
    case EHOSTUNREACH:
    case ENETUNREACH:
    case ETIMEDOUT:
        return true;
    default:
        return false;
    }
}

void AcceptPause::pause(Socket& listener) {
    resting_.push_back(&listener);
    if (!isSet()) {
        loop_.timers().set(*this, loop_.now() + kPauseMs);
    }
}

void AcceptPause::forget(Socket& listener) {
    resting_.erase(std::remove(resting_.begin(), resting_.end(), &listener), resting_.end());
}

void AcceptPause::onTimer() {
    std::vector<Socket*> resumed;
    resumed.swap(resting_);
    for (Socket* listener : resumed) {
        user_.onAcceptResumed(*listener);
    }
}

} // namespace saker::loop
