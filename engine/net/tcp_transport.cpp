#include "net/tcp_transport.h"

#include "net/acknowledged.h"
#include "net/outgoing_socket.h"

#include "loop/native_address.h"

#include <algorithm>
#include <cerrno>

namespace saker::net {

namespace {

/// While no more than this waits, write() says done: the writer need not be told when it has left. A backend
/// that always completes later (io_uring, IOCP) would otherwise cost a call back per answer.
constexpr std::uint64_t kAsGoodAsLeft = std::uint64_t{64} * 1024;

/// How long a close waits: for bytes to leave, and again for the peer's end.
constexpr std::uint64_t kEndMs = 2000;

} // namespace

/// Rare, hence not a part of every transport.
class TcpTransport::EndTimer final : public loop::Timer {
public:
    explicit EndTimer(TcpTransport& owner) : owner_(owner) {}

private:
    void onTimer() override { owner_.onEndTimer(); }
    TcpTransport& owner_;
};

TcpTransport::TcpTransport(Key, loop::EventLoop& loop, const loop::SocketAddress& peer)
    : loop_(loop), peer_(peer) {}

TcpTransport::~TcpTransport() = default;

TcpTransport& TcpTransport::open(loop::EventLoop& loop, loop::NativeSocket native,
                                 const loop::SocketAddress& peer) {
    auto transport = std::make_unique<TcpTransport>(Key{}, loop, peer);
    TcpTransport& self = *transport;
    self.self_ = std::move(transport);
    loop.adopt(self, native);
    return self;
}

void TcpTransport::start(TransportUser& user) {
    user_ = &user;
    receiving_ = loop_.receive(*this, *this);
    if (!receiving_) {
        setEndTimer(0); // told from the loop, not from within this call
    }
}

std::uint64_t TcpTransport::bytesDelivered() const {
    if (!isOpen()) {
        return written_;
    }
    return acknowledgedBytes(native()).value_or(written_);
}

bool TcpTransport::isQuiet() const {
    return receiving_ && !broken_ && ending_ == Ending::no && net::isQuiet(native());
}

const loop::SocketAddress& TcpTransport::local() const {
    if (local_.family == loop::SocketAddress::Family::none && isOpen()) {
        local_ = loop::localAddressOf(native());
    }
    return local_;
}

// ---- receiving ----

void TcpTransport::pauseReading() {
    if (receiving_ && ending_ == Ending::no) {
        loop_.pauseReceive(*this);
    }
}

void TcpTransport::resumeReading() {
    if (receiving_ && ending_ == Ending::no) {
        loop_.resumeReceive(*this);
    }
}

void TcpTransport::onReceived(std::span<const char> bytes) {
    if (ending_ == Ending::no) {
        user_->onData(bytes);
    }
}

void TcpTransport::onReceiveEnd(int error) {
    receiving_ = false;
    switch (ending_) {
    case Ending::no:
        if (error != 0 || broken_) {
            broke(error != 0 ? error : EPIPE);
        } else {
            user_->onPeerClosed();
        }
        break;
    case Ending::flushing:
    case Ending::flushingToLinger:
        if (error != 0) {
            releaseSocket(true);
        }
        break;
    case Ending::lingering:
        releaseSocket(false);
        break;
    case Ending::released:
        break;
    }
}

// ---- writing ----

loop::Submitted TcpTransport::write(BufferChain& chain) {
    if (ending_ != Ending::no || broken_ || writeShut_) {
        chain.clear();
        return loop::Submitted::failed;
    }
    const std::uint64_t size = chain.size();
    pending_ += size;
    if (writing_) {
        queued_.append(std::move(chain));
    } else {
        switch (loop_.write(*this, *this, chain)) {
        case loop::Submitted::done:
            pending_ = 0;
            written_ += size;
            return loop::Submitted::done;
        case loop::Submitted::failed:
            pending_ = 0;
            broken_ = true;
            return loop::Submitted::failed;
        case loop::Submitted::pending:
            writing_ = true;
            break;
        }
    }
    if (pending_ <= kAsGoodAsLeft) {
        return loop::Submitted::done;
    }
    owesDrained_ = true;
    return loop::Submitted::pending;
}

void TcpTransport::onWriteProgress(std::uint64_t bytes) {
    written_ += bytes;
    pending_ -= std::min(bytes, pending_); // none is counted once the connection has broken
}

void TcpTransport::onWritten(int error) {
    writing_ = false;
    if (ending_ == Ending::released) {
        return;
    }
    if (error != 0) {
        broke(error);
        return;
    }
    if (!queued_.empty()) {
        const loop::Submitted submitted = loop_.write(*this, *this, queued_);
        queued_.release();
        if (submitted == loop::Submitted::pending) {
            writing_ = true;
            return;
        }
        if (submitted == loop::Submitted::failed) {
            broke(EPIPE);
            return;
        }
        written_ += pending_;
        pending_ = 0;
    }
    drained();
}

void TcpTransport::drained() {
    switch (ending_) {
    case Ending::no:
        if (writeShut_) {
            loop_.shutdownWrite(*this);
        }
        if (owesDrained_) {
            owesDrained_ = false;
            user_->onDrained();
        }
        break;
    case Ending::flushing:
        releaseSocket(false);
        break;
    case Ending::flushingToLinger:
        linger();
        break;
    case Ending::lingering:
    case Ending::released:
        break;
    }
}

void TcpTransport::shutdownWrite() {
    if (ending_ != Ending::no || broken_ || writeShut_) {
        return;
    }
    writeShut_ = true;
    if (pending_ == 0) {
        loop_.shutdownWrite(*this);
    }
}

// ---- ending ----

void TcpTransport::broke(int error) {
    pending_ = 0;
    queued_.release();
    if (ending_ != Ending::no) {
        releaseSocket(true);
        return;
    }
    broken_ = true;
    if (user_ != nullptr && !toldBroken_) {
        toldBroken_ = true;
        user_->onBroken(error);
    }
}

void TcpTransport::close(bool reset) {
    if (ending_ == Ending::released || (ending_ != Ending::no && !reset)) {
        return;
    }
    if (!reset && pending_ > 0 && !owesDrained_ && !broken_) {
        pauseReading();
        ending_ = Ending::flushing;
        setEndTimer(kEndMs);
        return;
    }
    releaseSocket(reset);
}

void TcpTransport::lingerAndClose() {
    if (ending_ != Ending::no) {
        return;
    }
    if (broken_) {
        releaseSocket(false);
        return;
    }
    if (user_ == nullptr) { // never started: what the peer sends is only read to be dropped
        receiving_ = loop_.receive(*this, *this);
    }
    resumeReading();
    ending_ = Ending::flushingToLinger;
    if (pending_ == 0) {
        linger();
    } else {
        setEndTimer(kEndMs);
    }
}

void TcpTransport::linger() {
    if (!receiving_) {
        releaseSocket(false); // the peer has closed its side, or nobody ever read
        return;
    }
    ending_ = Ending::lingering;
    if (!writeShut_) {
        loop_.shutdownWrite(*this);
    }
    setEndTimer(kEndMs);
}

void TcpTransport::releaseSocket(bool reset) {
    ending_ = Ending::released;
    endTimer_.reset();
    queued_.release();
    pending_ = 0;
    loop_.release(*this, reset);
}

void TcpTransport::setEndTimer(std::uint64_t delayMs) {
    if (!endTimer_) {
        endTimer_ = std::make_unique<EndTimer>(*this);
    }
    loop_.timers().set(*endTimer_, loop_.now() + delayMs);
}

void TcpTransport::onEndTimer() {
    if (ending_ == Ending::no) {
        broke(ECONNRESET); // start() failed
    } else {
        releaseSocket(ending_ != Ending::lingering);
    }
}

void TcpTransport::onReleased() {
    const std::unique_ptr<TcpTransport> self = std::move(self_);
    if (user_ != nullptr) {
        user_->onClosed();
    }
}

} // namespace saker::net
