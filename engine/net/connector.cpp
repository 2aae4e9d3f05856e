#include "net/connector.h"

#include "net/outgoing_socket.h"
#include "net/tcp_transport.h"

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

namespace saker::net {

namespace {

constexpr std::uint64_t kLongestPause = 32; // ms, between tries for a place in a local server's queue

} // namespace

Connector::Connector(Key, loop::EventLoop& loop, const Endpoint& endpoint, ConnectUser& user)
    : loop_(loop), endpoint_(endpoint), user_(&user) {}

Connector& Connector::start(loop::EventLoop& loop, const Endpoint& endpoint, std::uint64_t timeoutMs,
                            ConnectUser& user) {
    auto made = std::make_unique<Connector>(Key{}, loop, endpoint, user);
    Connector& connector = *made;
    connector.self_ = std::move(made);
    connector.begin(timeoutMs);
    return connector;
}

void Connector::begin(std::uint64_t timeoutMs) {
    deadline_ = loop_.now() + timeoutMs;
    error_ = {ErrorKind::temporary, fmt::format("there was no answer within {} ms", timeoutMs),
              endpoint_.text()};
    auto socket = openOutgoing(endpoint_);
    if (!socket) {
        error_ = socket.error();
        state_ = State::failed;
        soon();
        return;
    }
    if (endpoint_.isLocal()) {
        local_ = *socket;
        soon();
        return;
    }
    loop_.adopt(*this, *socket);
    switch (loop_.connect(*this, *this, endpoint_.address)) {
    case loop::Submitted::done:
        onConnected(0);
        break;
    case loop::Submitted::pending:
        loop_.timers().set(*this, deadline_);
        break;
    case loop::Submitted::failed:
        onConnected(lastConnectError());
        break;
    }
}

/// The rest happens in onTimer(): not within a call of the user, nor within the completion of an operation.
void Connector::soon() {
    loop_.timers().set(*this, loop_.now());
}

void Connector::onConnected(int error) {
    if (state_ != State::waiting) {
        return; // cut off by a release
    }
    state_ = State::connected;
    if (error != 0) {
        state_ = error == ETIMEDOUT ? State::timedOut : State::failed;
        error_ = systemError(error, "connecting", endpoint_.text());
    }
    soon();
}

void Connector::onTimer() {
    if (state_ == State::waiting && local_ != loop::kNoSocket) {
        tryLocal();
    } else if (state_ == State::waiting) {
        state_ = State::timedOut;
    }
    if (state_ == State::connected) {
        succeed();
    } else if (state_ == State::failed || state_ == State::timedOut) {
        fail();
    }
}

void Connector::tryLocal() {
    const int error = connectLocal(local_, endpoint_);
    if (error == EAGAIN && loop_.now() < deadline_) {
        loop_.timers().set(*this, std::min(deadline_, loop_.now() + pause_));
        pause_ = std::min(pause_ * 2, kLongestPause);
        return;
    }
    if (error == 0) {
        state_ = State::connected;
    } else if (error == EAGAIN) {
        state_ = State::timedOut;
        error_.message = "its queue of connections stayed full";
    } else {
        state_ = State::failed;
        error_ = systemError(error, "connecting", endpoint_.text());
    }
}

void Connector::succeed() {
    const std::unique_ptr<Connector> self = std::move(self_);
    const loop::NativeSocket socket =
        endpoint_.isLocal() ? std::exchange(local_, loop::kNoSocket) : loop_.disown(*this);
    user_->onConnected(TcpTransport::open(loop_, socket, endpoint_.address));
}

void Connector::fail() {
    ConnectUser* const user = std::exchange(user_, nullptr);
    const bool isTimeout = state_ == State::timedOut;
    const Error error = error_;
    end();
    user->onConnectFailed(error, isTimeout);
}

void Connector::cancel() {
    if (std::exchange(user_, nullptr) != nullptr) {
        end();
    }
}

void Connector::end() {
    state_ = State::releasing;
    Timer::cancel();
    if (isOpen()) {
        loop_.release(*this);
        return;
    }
    if (local_ != loop::kNoSocket) {
        closeOutgoing(std::exchange(local_, loop::kNoSocket));
    }
    self_.reset();
}

void Connector::onReleased() {
    self_.reset();
}

} // namespace saker::net
