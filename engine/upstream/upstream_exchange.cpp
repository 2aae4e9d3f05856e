#include "upstream/upstream_exchange.h"

#include "base/error.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace saker::upstream {

namespace {

// A body up to this size is kept while its request may have to be sent again.
constexpr std::size_t kMostReplay = 64 * 1024;
// For an answer to be read although the request could not be sent to its end.
constexpr std::uint64_t kLastWords = 250; // ms
constexpr std::uint64_t kMostUnreported = 16 * 1024;
// Silence that ends a tunnel, ms: one way has ended; the server is about to stop.
constexpr std::uint64_t kHalfOpenPatience = 30'000;
constexpr std::uint64_t kDrainPatience = 1'000;

/// The body of an answer that has none, and whose length is not known either (HEAD).
class NoBody final : public http::BodySource {
public:
    Pull pull(BufferChain&, std::size_t) override { return Pull::end; }
};

} // namespace

/// What the client's side pulls the reply from.
class UpstreamExchange::Source final : public http::BodySource {
public:
    explicit Source(UpstreamExchange& owner) : owner_(&owner) {}
    ~Source() override {
        if (owner_ != nullptr) {
            owner_->sourceGone();
        }
    }
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;

    Pull pull(BufferChain& chain, std::size_t want) override {
        return owner_ != nullptr ? owner_->pull(chain, want) : Pull::failed;
    }
    void forgetOwner() { owner_ = nullptr; }

private:
    UpstreamExchange* owner_;
};

UpstreamExchange::UpstreamExchange(Key, Ref<http::Exchange> exchange,
                                   std::unique_ptr<UpstreamProtocol> protocol, Ref<UpstreamPool> pool,
                                   std::unique_ptr<ReplyHandler> handler, const ExchangeOptions& options,
                                   std::unique_ptr<TunnelTerms> terms)
    : exchange_(std::move(exchange)), protocol_(std::move(protocol)), pool_(std::move(pool)),
      handler_(std::move(handler)), options_(options), terms_(std::move(terms)) {}

UpstreamExchange::~UpstreamExchange() = default;

void UpstreamExchange::start(Ref<http::Exchange> exchange, std::unique_ptr<UpstreamProtocol> protocol,
                             Ref<UpstreamPool> pool, std::unique_ptr<ReplyHandler> handler,
                             const ExchangeOptions& options, std::unique_ptr<TunnelTerms> terms) {
    auto made = makeRef<UpstreamExchange>(Key{}, std::move(exchange), std::move(protocol), std::move(pool),
                                          std::move(handler), options, std::move(terms));
    made->self_ = made;
    made->begin();
}

// ---- the request ----

void UpstreamExchange::begin() {
    exchange_->watch(this);
    isWatching_ = true;
    if (terms_) {
        begunAt_ = pool_->loop().now();
        armTimer();
    }
    const http::RequestHead& head = exchange_->request();
    switch (head.framing) {
    case http::BodyFraming::none:
        isBodyAtEnd_ = true;
        break;
    case http::BodyFraming::length:
        body_ = {RequestBody::Kind::length, head.contentLength};
        break;
    case http::BodyFraming::chunked:
        body_.kind = RequestBody::Kind::unknown;
        break;
    }
    if (body_.kind == RequestBody::Kind::unknown && protocol_->needsLength()) {
        phase_ = Phase::collecting;
        spool_ = std::make_unique<BodySpool>(options_.spool);
        isReading_ = isBodyBegun_ = true;
        exchange_->readBody(*this);
        return;
    }
    if (!isBodyAtEnd_) {
        pauseBody(); // it stays with the client until there is a connection
    }
    acquire();
}

void UpstreamExchange::acquire() {
    phase_ = Phase::waiting;
    const Acquired acquired = pool_->acquire(*this);
    if (acquired.refused) {
        onUnavailable(*acquired.refused);
    } else if (acquired.connection != nullptr) {
        onConnection(*acquired.connection);
    }
}

void UpstreamExchange::onUnavailable(const Unavailable& reason) {
    const Ref<UpstreamExchange> kept(this);
    if (!askAnother(reason.message, true)) {
        fail(reason.status, reason.message);
    }
}

void UpstreamExchange::onConnection(UpstreamConnection& connection) {
    const Ref<UpstreamExchange> kept(this);
    connection_ = &connection;
    connection.attach(*this);
    phase_ = Phase::running;
    seenWritten_ = connection.transport().bytesWritten();
    // Only a connection that was used before can be lost without the upstream having seen the request;
    // another upstream may be asked in any case.
    canReplay_ = canReplay_ &&
                 (spool_ || (protocol_->isIdempotent() && (connection.isReused() || handler_->hasAnother())));
    touch();
    send();
}

void UpstreamExchange::send() {
    BufferChain chain;
    protocol_->begin(body_, chain);
    if (spool_) {
        BufferChain data;
        spool_->read(data);
        protocol_->encodeBody(data, chain);
    } else if (!replay_.empty()) {
        BufferChain data;
        data.append(std::string(replay_));
        protocol_->encodeBody(data, chain);
    }
    if (body_.kind != RequestBody::Kind::none && isBodyAtEnd_) {
        protocol_->encodeEnd(chain);
    }
    const loop::Submitted written = connection_->transport().write(chain);
    if (written == loop::Submitted::failed) {
        lost(0, !isBodyBegun_); // an upstream acts on no request that it has not got
        return;
    }
    if (!isBodyAtEnd_ && !isBodyBegun_) {
        isReading_ = isBodyBegun_ = true;
        exchange_->readBody(*this);
    }
    if (phase_ == Phase::running && written == loop::Submitted::done) {
        resumeBody();
    }
}

void UpstreamExchange::onBody(std::string_view bytes) {
    const Ref<UpstreamExchange> kept(this);
    if (isTunnel_) {
        lastActivity_ = pool_->loop().now();
        BufferChain chain;
        chain.append(std::string(bytes));
        write(chain);
        return;
    }
    if (phase_ == Phase::collecting) {
        if (auto kept = spool_->append(bytes); !kept) {
            fail(503, "the request's body cannot be kept: " + kept.error().text());
        }
        return;
    }
    if (canReplay_ && replay_.size() + bytes.size() <= kMostReplay) {
        replay_ += bytes;
    } else if (std::exchange(canReplay_, false)) {
        std::string().swap(replay_);
    }
    if (phase_ == Phase::running) {
        lastActivity_ = pool_->loop().now();
        BufferChain data, chain;
        data.append(std::string(bytes));
        protocol_->encodeBody(data, chain);
        write(chain);
    }
}

void UpstreamExchange::onBodyEnd() {
    const Ref<UpstreamExchange> kept(this);
    isReading_ = false;
    isBodyAtEnd_ = true;
    if (isTunnel_) {
        connection_->transport().shutdownWrite();
        lastActivity_ = pool_->loop().now();
        armTimer();
        endIfDone();
        return;
    }
    if (phase_ == Phase::collecting) {
        body_ = {RequestBody::Kind::length, spool_->size()};
        acquire();
    } else if (phase_ == Phase::running) {
        BufferChain chain;
        protocol_->encodeEnd(chain);
        write(chain);
    }
}

void UpstreamExchange::onBodyFailed() {
    isReading_ = false; // the client's connection says what is wrong, if there is anybody to hear it
    stop();
}

void UpstreamExchange::write(BufferChain& chain) {
    switch (connection_->transport().write(chain)) {
    case loop::Submitted::done:
        break;
    case loop::Submitted::pending:
        pauseBody();
        break;
    case loop::Submitted::failed:
        lost(0, false);
        break;
    }
}

void UpstreamExchange::pauseBody() {
    if (!std::exchange(isBodyPaused_, true)) {
        exchange_->pauseBody();
    }
}

void UpstreamExchange::resumeBody() {
    if (std::exchange(isBodyPaused_, false)) {
        exchange_->resumeBody();
    }
}

void UpstreamExchange::onDrained() {
    const Ref<UpstreamExchange> kept(this);
    touch();
    resumeBody();
    endIfDone();
}

/// What becomes of the client is of no interest any more.
void UpstreamExchange::unwatch() {
    if (std::exchange(isWatching_, false)) {
        exchange_->watch(nullptr);
    }
}

/// Nobody wants the rest of the client's body.
void UpstreamExchange::dropBody() {
    const bool isPaused = std::exchange(isBodyPaused_, false);
    if (std::exchange(isReading_, false) || isPaused) {
        exchange_->discardBody();
    }
}

// ---- a connection that is lost ----

bool UpstreamExchange::mayRetry(bool isUnsent) const {
    return !hasRetried_ && !hasReplyBytes_ && connection_->isReused() &&
           (isUnsent || (protocol_->isIdempotent() && canReplay_));
}

void UpstreamExchange::retry() {
    hasRetried_ = true;
    if (!isBodyAtEnd_) {
        pauseBody();
    }
    releaseConnection(false);
    pool_->dropIdle();
    acquire();
}

/// False: there is none, or the request must not be sent again.
bool UpstreamExchange::askAnother(const std::string& message, bool isHarmless) {
    if (hasReplyBytes_ || isAnswered_ || isSendBroken_ || !isHarmless || (isBodyBegun_ && !canReplay_)) {
        return false;
    }
    auto next = handler_->another(*exchange_, fmt::format("{}: {}", pool_->name(), message));
    if (!next) {
        return false;
    }
    if (!isBodyAtEnd_) {
        pauseBody();
    }
    releaseConnection(false);
    protocol_ = std::move(next->protocol);
    pool_ = std::move(next->pool);
    hasRetried_ = false;
    acquire();
    return true;
}

/// `isUnsent`: the upstream has not got the whole of the request.
void UpstreamExchange::lost(int error, bool isUnsent) {
    const Ref<UpstreamExchange> kept(this);
    if (isTunnel_ && isComplete_) { // it has said all, and hears no more
        closeTunnel();
        return;
    }
    if (!isTunnel_ && mayRetry(isUnsent)) {
        retry();
        return;
    }
    breakage_ = error != 0 ? fmt::format("the connection broke ({})", systemErrorText(error))
                           : std::string("the connection broke");
    if (isTunnel_) {
        fail(502, breakage_);
        return;
    }
    if (askAnother(breakage_, isUnsent || protocol_->isIdempotent())) {
        return;
    }
    // An upstream that does not want the body answers and closes: the answer may be here already.
    if (body_.kind != RequestBody::Kind::none && !isSendBroken_) {
        isSendBroken_ = true;
        dropBody();
        lastActivity_ = pool_->loop().now();
        pool_->loop().timers().set(*this, lastActivity_ + kLastWords);
        return;
    }
    fail(502, breakage_);
}

void UpstreamExchange::onBroken(int error) {
    lost(error, false);
}

void UpstreamExchange::onPeerClosed() {
    const Ref<UpstreamExchange> kept(this);
    if (isTunnel_) {
        upstreamEnded();
        return;
    }
    if (mayRetry(false)) {
        retry();
        return;
    }
    if (isSendBroken_ && !hasReplyBytes_) {
        fail(502, breakage_);
        return;
    }
    if (askAnother("the connection was closed without an answer", protocol_->isIdempotent())) {
        return;
    }
    take(protocol_->finish(), {});
    settle();
}

// ---- the reply ----

void UpstreamExchange::onData(std::string_view bytes) {
    const Ref<UpstreamExchange> kept(this);
    if (isTunnel_) {
        takeFromUpstream(bytes);
        return;
    }
    if (!std::exchange(hasReplyBytes_, true)) {
        canReplay_ = false;
        std::string().swap(replay_);
    }
    lastActivity_ = pool_->loop().now();
    bool goesOn = true;
    while (goesOn) {
        const ReplyEvent event = protocol_->next(bytes);
        bytes.remove_prefix(event.consumed);
        goesOn = take(event, bytes);
    }
    settle();
}

/// False: that was the last event for now. `rest`: of the input, behind it.
bool UpstreamExchange::take(const ReplyEvent& event, std::string_view rest) {
    switch (event.kind) {
    case ReplyEvent::Kind::more:
        return false;
    case ReplyEvent::Kind::interim:
        exchange_->respondInterim(protocol_->takeHead().head);
        break;
    case ReplyEvent::Kind::head:
        takeHead();
        break;
    case ReplyEvent::Kind::body:
        if (isWanted_) {
            part_ += event.data;
        }
        break;
    case ReplyEvent::Kind::errorText:
        handler_->onErrorText(*exchange_, event.data);
        break;
    case ReplyEvent::Kind::end:
        complete(rest);
        return false;
    case ReplyEvent::Kind::failed:
        fail(protocol_->failure().status, protocol_->failure().message);
        return false;
    case ReplyEvent::Kind::upgraded:
        beginTunnel(rest);
        return false;
    }
    return phase_ == Phase::running;
}

void UpstreamExchange::takeHead() {
    reply_ = protocol_->takeHead();
    hasHead_ = true;
    if (terms_) { // no tunnel
        terms_.reset();
        armTimer();
    }
    isWanted_ = handler_->onHead(*exchange_, reply_);
    if (!isWanted_) { // from here on it is the handler's
        isAnswered_ = true;
        unwatch();
        dropBody();
    }
}

/// After some input was taken: tells the client, and slows the upstream down.
void UpstreamExchange::settle() {
    if (phase_ == Phase::over || phase_ == Phase::waiting) {
        return;
    }
    unsent_.append(std::move(part_));
    part_.clear();
    if (hasHead_ && !isAnswered_) {
        answer();
    } else if (source_ != nullptr && !unsent_.empty()) {
        source_->ready();
    }
    if (phase_ == Phase::over) {
        return;
    }
    if (connection_ != nullptr && unsent_.size() >= options_.mostUnsent && !isReceivePaused_) {
        isReceivePaused_ = true;
        connection_->transport().pauseReading();
    }
    if (phase_ == Phase::serving && source_ == nullptr) {
        finish();
    } else if (phase_ == Phase::serving && unsent_.empty()) {
        source_->ready(); // for the end
    }
}

void UpstreamExchange::answer() {
    if (isComplete_ || !reply_.hasBody) {
        isAnswered_ = true;
        unwatch(); // the rest is between us and the upstream
        if (reply_.bodyLength) {
            reply_.head.set("Content-Length", fmt::format("{}", *reply_.bodyLength));
        }
        if (!reply_.hasBody && !reply_.bodyLength) {
            exchange_->respond(std::move(reply_.head), std::make_unique<NoBody>());
        } else {
            exchange_->respond(std::move(reply_.head), std::exchange(unsent_, {}));
        }
        return;
    }
    if (unsent_.size() < options_.bufferReply && unsent_.size() < options_.mostUnsent) {
        return;
    }
    isAnswered_ = true;
    if (reply_.bodyLength) {
        reply_.head.set("Content-Length", fmt::format("{}", *reply_.bodyLength));
    }
    auto source = std::make_unique<Source>(*this);
    source_ = source.get();
    exchange_->respond(std::move(reply_.head), std::move(source));
}

void UpstreamExchange::complete(std::string_view rest) {
    isComplete_ = true;
    phase_ = Phase::serving;
    Timer::cancel();
    // A request's last bytes may not have been reported as sent yet; much of a body that nobody reads is
    // another matter.
    const bool isSent = isBodyAtEnd_ && connection_->transport().bytesPending() <= kMostUnreported;
    const bool isClean = protocol_->isReusable() && rest.empty() && isSent;
    releaseConnection(isClean);
    dropBody();
}

http::BodySource::Pull UpstreamExchange::pull(BufferChain& chain, std::size_t want) {
    using Pull = http::BodySource::Pull;
    std::uint64_t taken = 0;
    while (!unsent_.empty() && taken < want) {
        const Piece& piece = unsent_.piece(0);
        const std::uint64_t size = piece.size;
        chain.append(std::string_view(piece.data, static_cast<std::size_t>(size)), piece.keeper);
        unsent_.consume(size);
        taken += size;
    }
    if (isTunnel_ && taken > 0) {
        lastActivity_ = pool_->loop().now();
    }
    if (isReceivePaused_ && connection_ != nullptr && unsent_.size() < options_.mostUnsent / 2) {
        isReceivePaused_ = false;
        touch();
        connection_->transport().resumeReading();
    }
    if (!unsent_.empty()) {
        return Pull::more;
    }
    if (isComplete_) {
        return Pull::end;
    }
    if (hasBrokenOff_) {
        return Pull::failed;
    }
    return taken > 0 ? Pull::more : Pull::wait;
}

/// The client's side has taken all, or will take no more.
void UpstreamExchange::sourceGone() {
    source_ = nullptr;
    if (phase_ == Phase::serving) {
        finish();
    } else if (isTunnel_ && isComplete_ && unsent_.empty()) {
        endIfDone(); // the client may still go on
    } else {
        stop();
    }
}

// ---- ends ----

void UpstreamExchange::fail(int status, const std::string& message) {
    const Ref<UpstreamExchange> kept(this);
    if (phase_ == Phase::over) {
        return;
    }
    const std::string detail = fmt::format("{}: {}", pool_->name(), message);
    if (phase_ == Phase::waiting) {
        pool_->cancel(*this);
    }
    releaseConnection(false);
    Timer::cancel();
    phase_ = Phase::serving;
    if (!isAnswered_) {
        isAnswered_ = true;
        unwatch();
        dropBody();
        handler_->onFailure(*exchange_, status, detail);
        finish();
        return;
    }
    hasBrokenOff_ = true;
    dropBody();
    if (handler_) {
        handler_->onBrokenOff(*exchange_, detail);
    }
    if (source_ == nullptr) {
        finish();
    } else {
        unsent_.append(std::move(part_));
        part_.clear();
        source_->ready();
    }
}

/// The client is gone: the upstream need not go on.
void UpstreamExchange::stop() {
    const Ref<UpstreamExchange> kept(this);
    if (phase_ == Phase::over) {
        return;
    }
    if (connection_ != nullptr) {
        BufferChain chain;
        if (protocol_) {
            protocol_->encodeAbort(chain);
        }
        if (!chain.empty()) {
            connection_->transport().write(chain);
        }
        releaseConnection(false);
    }
    finish();
}

/// Lets go of everything.
void UpstreamExchange::finish() {
    const Ref<UpstreamExchange> kept = std::move(self_);
    if (phase_ == Phase::waiting) {
        pool_->cancel(*this);
    }
    phase_ = Phase::over;
    Timer::cancel();
    unwatch();
    dropBody();
    if (Source* source = std::exchange(source_, nullptr)) {
        source->forgetOwner();
    }
}

void UpstreamExchange::releaseConnection(bool isReusable) {
    UpstreamConnection* const connection = std::exchange(connection_, nullptr);
    if (connection == nullptr) {
        return;
    }
    if (std::exchange(isReceivePaused_, false)) {
        connection->transport().resumeReading();
    }
    if (isReusable) {
        connection->giveBack();
    } else {
        connection->discard();
    }
}

// ---- tunnels ----

/// `rest`: what the upstream has said already.
void UpstreamExchange::beginTunnel(std::string_view rest) {
    reply_ = protocol_->takeHead();
    hasHead_ = true;
    std::string wrong = terms_ ? handler_->onUpgrade(*exchange_, reply_) : "nobody asked for it";
    if (!wrong.empty()) {
        fail(502, "it switched to another protocol: " + wrong);
        return;
    }
    isTunnel_ = true;
    isAnswered_ = true;
    isReading_ = isBodyBegun_ = true;
    isBodyAtEnd_ = false;
    lastActivity_ = pool_->loop().now();
    unsent_.append(std::string(rest));
    auto source = std::make_unique<Source>(*this);
    source_ = source.get();
    // Both may refer to the configuration, which the exchange lets go of.
    const std::unique_ptr<ReplyHandler> handler = std::move(handler_);
    const std::unique_ptr<UpstreamProtocol> protocol = std::move(protocol_);
    exchange_->upgrade(std::move(reply_.head), *this, std::move(source));
    if (phase_ == Phase::running) {
        armTimer();
    }
}

void UpstreamExchange::takeFromUpstream(std::string_view bytes) {
    lastActivity_ = pool_->loop().now();
    unsent_.append(std::string(bytes));
    settle();
}

/// The upstream has finished sending; what the client has to say still goes there.
void UpstreamExchange::upstreamEnded() {
    isComplete_ = true;
    lastActivity_ = pool_->loop().now();
    if (source_ != nullptr) {
        source_->ready();
    }
    if (phase_ == Phase::running) {
        armTimer();
    }
}

/// Both ways of a tunnel have ended, and the upstream has got all.
void UpstreamExchange::endIfDone() {
    if (isTunnel_ && isBodyAtEnd_ && source_ == nullptr && !isBodyPaused_) {
        stop();
    }
}

/// Both ways end now; the client still gets what has come for it.
void UpstreamExchange::closeTunnel() {
    const Ref<UpstreamExchange> kept(this);
    Timer::cancel();
    isComplete_ = true;
    phase_ = Phase::serving;
    releaseConnection(false);
    dropBody();
    if (source_ != nullptr) {
        source_->ready();
    } else {
        finish();
    }
}

void UpstreamExchange::onDraining() {
    if (isTunnel_ && phase_ == Phase::running) {
        isDraining_ = true;
        armTimer();
    }
}

/// When to look again at a tunnel, or at the wait for it.
std::uint64_t UpstreamExchange::tunnelDeadline() const {
    constexpr std::uint64_t kNever = loop::TimerWheel::kNever;
    if (!isTunnel_) {
        return terms_->endpointTimeout != 0 ? begunAt_ + terms_->endpointTimeout : kNever;
    }
    std::uint64_t most = terms_->idleTimeout != 0 ? terms_->idleTimeout : kNever;
    if (isComplete_ || isBodyAtEnd_) {
        most = std::min(most, kHalfOpenPatience);
    }
    if (isDraining_) {
        most = std::min(most, kDrainPatience);
    }
    return most != kNever ? lastActivity_ + most : kNever;
}

void UpstreamExchange::onTunnelTimer() {
    if (phase_ != Phase::running && phase_ != Phase::waiting) {
        return;
    }
    if (isTunnel_ && std::exchange(seenWritten_, connection_->transport().bytesWritten()) !=
                         connection_->transport().bytesWritten()) {
        lastActivity_ = pool_->loop().now();
    }
    if (pool_->loop().now() < tunnelDeadline()) {
        armTimer();
    } else if (isTunnel_) {
        closeTunnel();
    } else {
        fail(504, fmt::format("it did not open the WebSocket within {} ms", terms_->endpointTimeout));
    }
}

// ---- time ----

void UpstreamExchange::touch() {
    lastActivity_ = pool_->loop().now();
    if (!isSet()) {
        armTimer();
    }
}

/// What is waited for may change at any time, so the shorter limit says when to look again.
void UpstreamExchange::armTimer() {
    constexpr std::uint64_t kNever = loop::TimerWheel::kNever;
    if (terms_) {
        if (const std::uint64_t deadline = tunnelDeadline(); deadline != kNever) {
            pool_->loop().timers().set(*this, deadline);
        }
        return;
    }
    const std::uint64_t shortest = std::min(options_.sendTimeout != 0 ? options_.sendTimeout : kNever,
                                            options_.receiveTimeout != 0 ? options_.receiveTimeout : kNever);
    if (shortest != kNever) {
        const std::uint64_t now = pool_->loop().now();
        const std::uint64_t due = lastActivity_ + shortest;
        pool_->loop().timers().set(*this, due > now ? due : now + shortest);
    }
}

void UpstreamExchange::onTimer() {
    if (terms_) {
        onTunnelTimer();
        return;
    }
    if (phase_ != Phase::running) {
        return;
    }
    if (isSendBroken_) {
        if (pool_->loop().now() >= lastActivity_ + kLastWords) {
            fail(502, breakage_);
        } else {
            pool_->loop().timers().set(*this, lastActivity_ + kLastWords);
        }
        return;
    }
    const net::Transport& transport = connection_->transport();
    const bool isSending = transport.bytesPending() > 0;
    // What it took at once was taken when it was sent.
    if (isSending && std::exchange(seenWritten_, transport.bytesWritten()) != transport.bytesWritten()) {
        lastActivity_ = pool_->loop().now();
    }
    // Whoever is waited for: the client, or the upstream?
    const bool isClients = isReceivePaused_ || (!isSending && !isBodyAtEnd_ && isReading_);
    const std::uint64_t most = isSending ? options_.sendTimeout : options_.receiveTimeout;
    const std::uint64_t now = pool_->loop().now();
    if (!isClients && most != 0 && now >= lastActivity_ + most) {
        fail(504, isSending ? fmt::format("it took nothing of the request for {} ms", most)
                            : fmt::format("it sent nothing for {} ms", most));
        return;
    }
    armTimer();
}

} // namespace saker::upstream
