#include "tls/tls_transport.h"

#include "observe/log.h"
#include "os/read_at.h"
#include "tls/openssl_error.h"
#include "tls/plain_http.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>

#include <openssl/err.h>

namespace saker::tls {

namespace {

/// Records go to the transport below when there are so many bytes of them.
constexpr std::uint64_t kBatch = 4 * TlsLoop::kRecord;
/// No more are made while so much waits below; onDrained goes on.
constexpr std::uint64_t kMostUnderWay = std::uint64_t{128} * 1024;
/// What one connection may encrypt while others wait.
constexpr std::uint64_t kPerTurn = std::uint64_t{256} * 1024;
/// What a worker reads of a file at a time.
constexpr std::uint32_t kFileWindow = 256 * 1024;
constexpr std::uint64_t kRetryMs = 5; // when too much waits for the workers
constexpr std::uint64_t kLingerMs = 2000;

} // namespace

/// What there is only until the handshake is done, or while the end is waited for.
class TlsTransport::Handshake final : public loop::Timer {
public:
    Handshake(TlsTransport& owner, TlsAcceptor& acceptor) : acceptor(acceptor), owner_(owner) {}

    TlsAcceptor& acceptor;
    std::size_t place = 0; // in TlsLoop::handshakes_
    std::shared_ptr<const TlsContext> context;
    TlsContext::Hello hello;
    std::string plain; // what there is of a plain request

private:
    void onTimer() override { owner_.onHandshakeTimer(); }
    TlsTransport& owner_;
};

class TlsTransport::EndTimer final : public loop::Timer {
public:
    explicit EndTimer(TlsTransport& owner) : owner_(owner) {}

private:
    void onTimer() override { owner_.close(true); }
    TlsTransport& owner_;
};

/// A part of a file that a worker reads. Outlives the transport if need be; dies on the loop's thread.
struct TlsTransport::ColdRead {
    TlsTransport* owner; // null: gone
    Ref<FileHandle> file;
};

/// While it lasts, the loop's BIO serves the transport's calls. What they produce is passed on at the end.
/// May be within another one's: a user that is given bytes of one connection may write to another.
class TlsTransport::Binding {
public:
    explicit Binding(TlsTransport& transport, std::span<const char> input = {})
        : transport_(transport), shared_(transport.shared_), outer_(shared_.bound_),
          outerInput_(shared_.input_) {
        if (outer_ == &transport) {
            return;
        }
        if (outer_ != nullptr) {
            outer_->passOn();
        }
        shared_.bound_ = &transport;
        shared_.input_ = input;
        if (ERR_peek_error() != 0) { // somebody else's; would be taken for the outcome of our calls
            ERR_clear_error();
        }
    }
    ~Binding() {
        if (outer_ != &transport_) {
            transport_.passOn();
            shared_.bound_ = outer_;
            shared_.input_ = outerInput_;
        }
    }
    Binding(const Binding&) = delete;
    Binding& operator=(const Binding&) = delete;

private:
    TlsTransport& transport_;
    TlsLoop& shared_;
    TlsTransport* outer_;
    std::span<const char> outerInput_;
};

TlsTransport::TlsTransport(Key, TlsLoop& shared, net::Transport& lower, TlsAcceptor& acceptor)
    : shared_(shared), lower_(lower), handshake_(std::make_unique<Handshake>(*this, acceptor)) {}

TlsTransport::~TlsTransport() {
    if (coldRead_) {
        coldRead_->owner = nullptr;
    }
}

// ---- the handshake ----

void TlsTransport::accept(TlsLoop& shared, net::Transport& lower, TlsAcceptor& acceptor) {
    auto transport = std::make_unique<TlsTransport>(Key{}, shared, lower, acceptor);
    TlsTransport& self = *transport;
    self.self_ = std::move(transport);
    self.handshake_->place = shared.handshakes_.size();
    shared.handshakes_.push_back(&self);
    self.handshake_->context = shared.context_;
    lower.start(self);
    if (!shared.context_) {
        self.close(true);
        return;
    }
    lower.loop().timers().set(*self.handshake_, lower.loop().now() + shared.handshakeTimeout());
}

TlsTransport& TlsTransport::connect(TlsLoop& shared, net::Transport& lower, SslPtr ssl, TlsAcceptor& acceptor,
                                    std::uint64_t timeoutMs) {
    auto transport = std::make_unique<TlsTransport>(Key{}, shared, lower, acceptor);
    TlsTransport& self = *transport;
    self.self_ = std::move(transport);
    self.isClient_ = true;
    self.handshake_->place = shared.handshakes_.size();
    shared.handshakes_.push_back(&self);
    lower.start(self);
    if (!ssl) {
        self.problem_ = "there is no memory left for TLS";
        self.close(true);
        return self;
    }
    self.ssl_ = std::move(ssl);
    BIO_up_ref(shared.bio_.get());
    SSL_set_bio(self.ssl_.get(), shared.bio_.get(), shared.bio_.get());
    self.phase_ = Phase::shaking;
    lower.loop().timers().set(*self.handshake_, lower.loop().now() + timeoutMs);
    const Binding binding(self);
    self.shakeHands();
    return self;
}

/// What the first byte tells: TLS, or a plain request.
void TlsTransport::begin(char first) {
    if (beginsPlainHttp(first)) {
        shared_.counters_.onPlainOnTlsPort();
        phase_ = Phase::plain;
        return;
    }
    if (!shared_.limiter_.allows(peer(), loop().now())) {
        shared_.counters_.onTlsLimited();
        close(true);
        return;
    }
    handshake_->hello.local = local();
    ssl_ = handshake_->context->newConnection(handshake_->hello);
    if (!ssl_) {
        close(true);
        return;
    }
    BIO_up_ref(shared_.bio_.get());
    SSL_set_bio(ssl_.get(), shared_.bio_.get(), shared_.bio_.get());
    phase_ = Phase::shaking;
}

void TlsTransport::takePlain(std::string_view bytes) {
    handshake_->plain.append(bytes.substr(0, kMaxPlainHead));
    if (isPlainHeadComplete(handshake_->plain)) {
        answerPlain();
    }
}

void TlsTransport::answerPlain() {
    phase_ = Phase::closed;
    BufferChain answer;
    answer.append(plainHttpAnswer(handshake_->plain, local().port, std::time(nullptr)));
    handshake_->cancel();
    lower_.write(answer);
    lower_.lingerAndClose();
}

void TlsTransport::onHandshakeTimer() {
    if (phase_ == Phase::plain) {
        answerPlain();
        return;
    }
    isTimedOut_ = true;
    if (!isClient_) {
        shared_.counters_.onTimeout();
    }
    if (phase_ == Phase::shaking) {
        handshakeFailed("the TLS handshake took too long");
    }
    close(true);
}

/// Ours as the server is counted; a client's user is told why.
void TlsTransport::handshakeFailed(std::string reason) {
    if (isClient_) {
        problem_ = std::move(reason);
    } else {
        shared_.counters_.onTlsFailed();
    }
}

/// False when it needs more input, or has failed.
bool TlsTransport::shakeHands() {
    const int outcome = SSL_do_handshake(ssl_.get());
    if (outcome == 1) {
        secured();
        return true;
    }
    // Not SSL_want_read(): within handshakes that is true after failures too.
    if (SSL_get_error(ssl_.get(), outcome) != SSL_ERROR_WANT_READ) {
        fail();
    }
    return false;
}

void TlsTransport::secured() {
    SSL* const ssl = ssl_.get();
    if (!isClient_) {
        shared_.counters_.onTlsHandshake(SSL_version(ssl), SSL_session_reused(ssl) == 1);
        SSL_set_app_data(ssl, nullptr); // the handshake's, which ends here
    }
    clientPolicy_ = handshake_->hello.clientPolicy;
    TlsAcceptor& acceptor = handshake_->acceptor;
    leaveHandshakes();
    handshake_.reset();
    phase_ = Phase::open;
    acceptor.onSecured(*this);
}

void TlsTransport::leaveHandshakes() {
    TlsTransport* const last = shared_.handshakes_.back();
    shared_.handshakes_[handshake_->place] = last;
    last->handshake_->place = handshake_->place;
    shared_.handshakes_.pop_back();
}

/// The handshake came to nothing. The peer gets to see the alert that says why.
void TlsTransport::fail() {
    const std::string reason = takeOpensslError();
    log::debug("tls", "{}: the handshake failed: {}.", peer().text(), reason);
    const long verified = SSL_get_verify_result(ssl_.get());
    handshakeFailed(verified == X509_V_OK ? "the TLS handshake failed: " + reason
                                          : std::string("its certificate is not accepted: ") +
                                                X509_verify_cert_error_string(verified));
    passOn();
    hasAlert_ = true;
    close(true);
}

std::string_view TlsTransport::protocol() const {
    const unsigned char* name = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(ssl_.get(), &name, &size);
    return {reinterpret_cast<const char*>(name), size};
}

// ---- input ----

void TlsTransport::start(net::TransportUser& user) {
    user_ = &user;
}

void TlsTransport::onData(std::span<const char> bytes) {
    if (phase_ == Phase::silent) {
        begin(bytes.front());
    }
    switch (phase_) {
    case Phase::plain:
        takePlain({bytes.data(), bytes.size()});
        break;
    case Phase::shaking:
    case Phase::open:
        if (stash_) { // a transport below may deliver what it had before it was paused
            stash_->append(bytes.data(), bytes.size());
        } else {
            feed(bytes);
        }
        break;
    case Phase::silent:
    case Phase::lingering:
    case Phase::closed:
        break;
    }
}

void TlsTransport::feed(std::span<const char> bytes) {
    const Binding binding(*this, bytes);
    if (phase_ == Phase::shaking && !shakeHands()) {
        return;
    }
    // A record is read as a whole: nothing is left within OpenSSL once the input is used up.
    while (phase_ == Phase::open && !isPaused_ && !isPeerDone_ && !isBroken_ && !shared_.input_.empty()) {
        std::size_t size = 0;
        if (SSL_read_ex(ssl_.get(), shared_.read_.data(), shared_.read_.size(), &size) != 1) {
            readStopped();
            break;
        }
        user_->onData({shared_.read_.data(), size});
    }
    if (phase_ == Phase::open && isPaused_ && !shared_.input_.empty()) {
        stash_ = std::make_unique<std::string>(shared_.input_.data(), shared_.input_.size());
    }
}

void TlsTransport::readStopped() {
    const int error = SSL_get_error(ssl_.get(), 0);
    if (error == SSL_ERROR_WANT_READ) {
        return; // the rest of a record is still to come
    }
    if (error == SSL_ERROR_ZERO_RETURN) {
        isPeerDone_ = true;
        user_->onPeerClosed();
        return;
    }
    const std::string reason = takeOpensslError();
    log::debug("tls", "{}: the stream broke: {}.", peer().text(), reason);
    passOn();
    hasAlert_ = true;
    broke(EPROTO);
}

void TlsTransport::pauseReading() {
    if (phase_ == Phase::open) {
        isPaused_ = true;
        lower_.pauseReading();
    }
}

void TlsTransport::resumeReading() {
    if (phase_ != Phase::open || !isPaused_) {
        return;
    }
    isPaused_ = false;
    if (stash_) {
        wakeSoon(); // delivered from the loop, not from within this call
    } else {
        lower_.resumeReading();
    }
}

void TlsTransport::deliverStash() {
    const std::unique_ptr<std::string> bytes = std::move(stash_);
    feed({bytes->data(), bytes->size()});
    if (stash_ || isPaused_ || phase_ != Phase::open) {
        return;
    }
    if (isLowerDone_) {
        peerEnded();
    } else {
        lower_.resumeReading();
    }
}

void TlsTransport::onPeerClosed() {
    isLowerDone_ = true;
    switch (phase_) {
    case Phase::silent:
        close(false);
        break;
    case Phase::plain:
        answerPlain();
        break;
    case Phase::shaking:
        handshakeFailed("the connection was closed within the TLS handshake");
        close(false);
        break;
    case Phase::open:
        if (!stash_) {
            peerEnded();
        }
        break;
    case Phase::lingering:
    case Phase::closed:
        break;
    }
}

/// The end of the transport below. Many clients send no close_notify; in the middle of a record it is no end
/// but an accident.
void TlsTransport::peerEnded() {
    if (isPeerDone_ || isBroken_) {
        return;
    }
    isPeerDone_ = true;
    isTruncated_ = true;
    if (SSL_has_pending(ssl_.get()) == 1) {
        broke(ECONNRESET);
    } else {
        user_->onPeerClosed();
    }
}

// ---- output ----

loop::Submitted TlsTransport::write(BufferChain& chain) {
    if (phase_ != Phase::open || isBroken_ || writeShut_) {
        chain.clear();
        return loop::Submitted::failed;
    }
    if (!plain_.empty()) {
        plain_.append(std::move(chain));
        owesDrained_ = true;
        return loop::Submitted::pending;
    }
    const Binding binding(*this);
    const Made made = encrypt(chain);
    if (made == Made::broken) {
        chain.clear();
        isBroken_ = true;
        return loop::Submitted::failed;
    }
    plain_.append(std::move(chain));
    if (plain_.empty() && !lowerOwes_) {
        return loop::Submitted::done;
    }
    owesDrained_ = true;
    return loop::Submitted::pending;
}

/// Makes records of the chain as far as that goes. Where some is left, pump() will be called.
TlsTransport::Made TlsTransport::encrypt(BufferChain& chain) {
    std::uint64_t made = 0;
    while (!chain.empty()) {
        if (shared_.outputSize() >= kBatch && !passOn()) {
            return Made::broken;
        }
        if (lowerOwes_ && lower_.bytesPending() >= kMostUnderWay) {
            return Made::some; // onDrained
        }
        if (made >= kPerTurn) {
            wakeSoon();
            break;
        }
        bool isBad = false;
        const std::string_view plain = nextPlain(chain, isBad);
        if (isBad) {
            return Made::broken;
        }
        if (plain.empty()) {
            break; // onWarm
        }
        std::size_t size = 0;
        if (SSL_write_ex(ssl_.get(), plain.data(), plain.size(), &size) != 1) {
            ERR_clear_error();
            return Made::broken;
        }
        chain.consume(plain.size());
        made += plain.size();
    }
    if (!passOn()) {
        return Made::broken;
    }
    return chain.empty() ? Made::all : Made::some;
}

/// What goes into the next record: of the piece in front when that fills one or is the last, else collected
/// from several. Empty when the file in front must be waited for.
std::string_view TlsTransport::nextPlain(const BufferChain& chain, bool& isBad) {
    const Piece& front = chain.piece(0);
    if (!front.isFile() && (front.size >= TlsLoop::kRecord || chain.pieceCount() == 1)) {
        return {front.data, std::min<std::size_t>(front.size, TlsLoop::kRecord)};
    }
    std::span<char> room = shared_.write_;
    for (std::size_t i = 0; i < chain.pieceCount() && !room.empty(); ++i) {
        const Piece& piece = chain.piece(i);
        std::size_t n = std::min<std::size_t>(piece.size, room.size());
        if (!piece.isFile()) {
            std::memcpy(room.data(), piece.data, n);
            room = room.subspan(n);
            continue;
        }
        const bool mayWait = shared_.workers_ == nullptr || warmLeft_ > 0;
        const os::ReadAt read = os::readAt(piece.file->native(), piece.offset, room.first(n), !mayWait);
        if (read.kind != os::ReadAt::Kind::some || read.size == 0) { // or it is shorter than promised
            if (room.size() == shared_.write_.size()) {              // nothing else to send first
                isBad = read.kind != os::ReadAt::Kind::cold;
                if (!isBad) {
                    load(piece);
                }
            }
            break;
        }
        warmLeft_ -= static_cast<std::uint32_t>(std::min<std::size_t>(warmLeft_, read.size));
        room = room.subspan(read.size);
        if (read.size < n) {
            break;
        }
    }
    return {shared_.write_.data(), shared_.write_.size() - room.size()};
}

/// Hands what was encrypted to the transport below. False when that is broken.
bool TlsTransport::passOn() {
    if (!shared_.hasOutput()) {
        return !isBroken_;
    }
    BufferChain& out = shared_.takeOutput();
    if (phase_ != Phase::closed) {
        switch (lower_.write(out)) {
        case loop::Submitted::done:
            break;
        case loop::Submitted::pending:
            lowerOwes_ = true;
            break;
        case loop::Submitted::failed:
            isBroken_ = true;
            break;
        }
    }
    shared_.giveBackOutput();
    return !isBroken_;
}

void TlsTransport::onDrained() {
    lowerOwes_ = false;
    pump();
}

/// Goes on with what is left to be encrypted, and sees what is due when nothing is.
void TlsTransport::pump() {
    if ((phase_ != Phase::open && phase_ != Phase::lingering) || isBroken_) {
        return;
    }
    if (!plain_.empty()) {
        if (coldRead_) {
            return;
        }
        const Binding binding(*this);
        const Made made = encrypt(plain_);
        if (made == Made::broken) {
            broke(EIO);
            return;
        }
        if (made == Made::some) {
            return;
        }
        plain_.release();
    }
    if (!lowerOwes_) {
        drained();
    }
}

void TlsTransport::drained() {
    if (phase_ == Phase::lingering) {
        finishLingering();
        return;
    }
    if (writeShut_) {
        finishWriting();
    }
    if (std::exchange(owesDrained_, false)) {
        user_->onDrained();
    }
}

void TlsTransport::load(const Piece& piece) {
    const auto size = static_cast<std::uint32_t>(std::min<std::uint64_t>(piece.size, kFileWindow));
    auto read = std::make_shared<ColdRead>(ColdRead{this, piece.file});
    const bool accepted = shared_.workers_->submit(
        loop(),
        [native = piece.file->native(), offset = piece.offset, size] {
            os::readThrough(native, offset, size);
        },
        [read, size] {
            if (read->owner != nullptr) {
                read->owner->onWarm(size);
            }
        });
    if (accepted) {
        coldRead_ = std::move(read);
    } else {
        wakeSoon(kRetryMs);
    }
}

void TlsTransport::onWarm(std::uint32_t size) {
    coldRead_.reset();
    warmLeft_ = size;
    pump();
}

void TlsTransport::wakeSoon(std::uint64_t delayMs) {
    const std::uint64_t deadline = loop().now() + delayMs;
    if (!isSet() || Timer::deadline() > deadline) {
        loop().timers().set(*this, deadline);
    }
}

void TlsTransport::onTimer() {
    if (stash_ && !isPaused_) {
        deliverStash();
    }
    if (!plain_.empty()) {
        pump();
    }
}

// ---- ends ----

/// Says that nothing follows (RFC 8446, 6.1). REQUIRES: what was written is in records.
void TlsTransport::sayGoodbye() {
    if (!std::exchange(saidGoodbye_, true)) {
        const Binding binding(*this);
        if (SSL_shutdown(ssl_.get()) < 0) {
            ERR_clear_error();
        }
        passOn(); // at once: the end of the transport below comes next
    }
}

void TlsTransport::shutdownWrite() {
    if (phase_ != Phase::open || isBroken_ || writeShut_) {
        return;
    }
    writeShut_ = true;
    if (plain_.empty()) {
        finishWriting();
    }
}

void TlsTransport::finishWriting() {
    if (!saidGoodbye_) {
        sayGoodbye();
        lower_.shutdownWrite();
    }
}

void TlsTransport::close(bool reset) {
    if (phase_ == Phase::closed) {
        if (reset) {
            lower_.close(true);
        }
        return;
    }
    if (phase_ == Phase::lingering && !reset) {
        return;
    }
    if (ssl_ && !isBroken_ && phase_ != Phase::shaking) {
        if (!reset && plain_.empty()) {
            sayGoodbye();
        } else {
            SSL_set_shutdown(ssl_.get(), SSL_SENT_SHUTDOWN); // no fault of the session
        }
    }
    letGo();
    if (hasAlert_) {
        lower_.lingerAndClose(); // a reset would destroy the alert
    } else {
        lower_.close(reset);
    }
}

void TlsTransport::lingerAndClose() {
    if (phase_ != Phase::open) {
        return;
    }
    if (isBroken_) {
        close(false);
        return;
    }
    phase_ = Phase::lingering;
    stash_.reset();
    lower_.resumeReading();
    if (plain_.empty()) {
        finishLingering();
        return;
    }
    endTimer_ = std::make_unique<EndTimer>(*this);
    loop().timers().set(*endTimer_, loop().now() + kLingerMs);
}

void TlsTransport::finishLingering() {
    sayGoodbye();
    letGo();
    lower_.lingerAndClose();
}

/// Nothing but onClosed is called any more.
void TlsTransport::letGo() {
    phase_ = Phase::closed;
    plain_.release();
    stash_.reset();
    Timer::cancel();
    endTimer_.reset();
    if (handshake_) {
        handshake_->cancel();
    }
    if (coldRead_) {
        coldRead_->owner = nullptr;
        coldRead_.reset();
    }
}

void TlsTransport::broke(int error) {
    isBroken_ = true;
    plain_.release();
    if (phase_ == Phase::lingering) {
        close(true);
    } else if (!std::exchange(toldBroken_, true)) {
        user_->onBroken(error);
    }
}

void TlsTransport::onBroken(int error) {
    switch (phase_) {
    case Phase::shaking:
        handshakeFailed("the connection broke within the TLS handshake");
        [[fallthrough]];
    case Phase::silent:
    case Phase::plain:
        close(true);
        break;
    case Phase::open:
    case Phase::lingering:
        broke(error);
        break;
    case Phase::closed:
        break;
    }
}

void TlsTransport::onClosed() {
    const std::unique_ptr<TlsTransport> self = std::move(self_);
    letGo();
    if (handshake_) {
        leaveHandshakes();
        handshake_->acceptor.onUnsecured(*this);
    } else if (user_ != nullptr) {
        user_->onClosed();
    }
}

} // namespace saker::tls
