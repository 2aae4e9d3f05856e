#include "http/h1/h1_connection.h"

#include "base/text.h"
#include "http/error_answer.h"
#include "http/h1/response_encoder.h"

#include <utility>

namespace saker::http {

namespace {

// As far as it is a request line (RFC 9113, section 3.4).
constexpr std::string_view kHttp2Preface = "PRI * HTTP/2.0\r\n";

} // namespace

void H1Connection::start(net::Transport& transport, LoopContext& context) {
    auto connection = makeRef<H1Connection>(transport, context);
    connection->self_ = connection;
    context.add(*connection);
    connection->armForRequest();
    transport.start(*connection);
}

H1Connection::H1Connection(net::Transport& transport, LoopContext& context)
    : transport_(transport), context_(context), outlet_(transport, context), stash_(transport),
      parser_(context.limits()), wait_(context.loop().now()) {}

H1Connection::~H1Connection() = default;

// ---- input ----

void H1Connection::onData(std::span<const char> bytes) {
    context_.counters().onBytesReceived(bytes.size());
    if (phase_ == Phase::open) {
        wait_.setActive(context_.loop().now());
        consume({bytes.data(), bytes.size()});
    }
}

void H1Connection::consume(std::string_view bytes) {
    if (!wantsInput()) {
        stash(bytes);
        return;
    }
    if (!stash_.empty()) {
        stash_.append(bytes);
        resumeInput();
        return;
    }
    std::size_t used = process(bytes);
    if (used < bytes.size() && phase_ == Phase::open) {
        stash(bytes.substr(used));
    }
    bool isIncomplete = !stash_.empty() && wantsInput();
    flush();
    if (!stash_.empty() && !isIncomplete) {
        resumeInput();
    }
}

/// Sends what is ready and goes on with what was kept, as far as that is possible now.
void H1Connection::resumeInput() {
    if (isProcessing_) {
        return;
    }
    flush();
    bool isIncomplete = false;
    while (!stash_.empty() && wantsInput() && !isIncomplete) {
        stash_.consume([this](std::string_view input) { return process(input); },
                       [this] { return phase_ == Phase::open; });
        isIncomplete = !stash_.empty() && wantsInput();
        flush();
    }
    if (phase_ != Phase::open) {
        return;
    }
    stash_.resumeIfRoom();
    if (isPeerClosed_ && isBodyCutOff()) {
        onInputCutOff();
        return;
    }
    if (!current_ && !outlet_.isWaiting() && (isPeerClosed_ || (context_.isDraining() && stash_.empty()))) {
        close();
    }
}

void H1Connection::stash(std::string_view bytes) {
    stash_.append(bytes);
    if (!wantsInput()) {
        stash_.pauseIfFull();
    }
}

bool H1Connection::wantsInput() const {
    if (phase_ != Phase::open) {
        return false;
    }
    if (current_) {
        return !current_->isBodyDone() && !current_->isBodyPaused_;
    }
    return !outlet_.isFull();
}

/// Uses what it can of the input; returns how much.
std::size_t H1Connection::process(std::string_view input) {
    isProcessing_ = true;
    std::size_t used = 0;
    while (used < input.size() && wantsInput()) {
        std::string_view rest = input.substr(used);
        std::size_t step = current_ ? feedBody(rest) : beginRequest(rest);
        if (step == 0) {
            break;
        }
        used += step;
    }
    isProcessing_ = false;
    return used;
}

std::size_t H1Connection::beginRequest(std::string_view input) {
    H1Exchange& exchange = context_.spare();
    switch (parser_.parse(input, exchange.head_)) {
    case RequestParser::State::incomplete:
        wait_.beginHead();
        armForRequest();
        return 0;
    case RequestParser::State::rejected:
        if (isFirst_ && context_.http2Starter() && input.starts_with(kHttp2Preface)) {
            handOver(input);
        } else {
            refuse(parser_.rejection(), input);
        }
        return 0;
    case RequestParser::State::complete:
        break;
    }
    parser_.reset();
    isFirst_ = false;
    wait_.endHead();
    const std::size_t size = exchange.head_.size();
    const ConnectionSettings& settings = context_.settings();
    exchange.begin(*this, context_.settingsRef(), Tally::start(context_));
    keepAlive_ = exchange.head_.keepAlive && !context_.isDraining();
    if (exchange.head_.framing == BodyFraming::none) {
        handle(exchange);
        return size;
    }
    if (settings.maxBody != 0 && exchange.head_.contentLength > settings.maxBody) {
        lingers_ = true;
        const RejectionInfo& info = rejectionInfo(Rejection::bodyTooLarge);
        refuse(exchange, info.status, info.text);
        return size;
    }
    retain(exchange);
    exchange.decoder_.start(exchange.head_.framing, exchange.head_.contentLength, settings.maxBody);
    current_->bodyWatch_ = RateWatch::start(wait_.activeAt(), 0);
    armBy(wait_.activeAt() + kWatchInterval);
    handle(exchange);
    return size;
}

/// The client speaks HTTP/2: the rest is its connection's.
void H1Connection::handOver(std::string_view received) {
    phase_ = Phase::closed;
    Timer::cancel();
    // The calls that led here still work on this object, and on the bytes.
    context_.loop().post([self = std::move(self_)] {});
    context_.http2Starter()(transport_, context_, *this, received);
}

void H1Connection::handle(H1Exchange& exchange) {
    exchange.settings_->handler->handle(exchange);
    if (!exchange.answered_ && current_.get() != &exchange) {
        refuse(exchange, 500, "The request was neither answered nor kept."); // a defect of a handler
    }
    finishIfDone();
    if (current_ && !current_->answered_ && current_->settings_->requestTimeout != 0) {
        armBy(wait_.activeAt() + current_->settings_->requestTimeout);
    }
}

/// Decodes some of the current exchange's body; returns the bytes used, 0 when more input is needed.
std::size_t H1Connection::feedBody(std::string_view input) {
    H1Exchange& exchange = *current_;
    if (exchange.isTunnel_) {
        const Ref<H1Exchange> kept = current_; // the reader may end it
        return kept->feed(input);
    }
    const std::size_t used = exchange.feed(input);
    if (exchange.decoder_.rejection() != Rejection::none) {
        refuse(exchange.decoder_.rejection());
        return 0;
    }
    if (exchange.isBodyDone()) {
        finishIfDone();
    } else if (exchange.answered_ && exchange.hasDiscardedEnough()) {
        keepAlive_ = false;
        lingers_ = true;
        phase_ = Phase::ending;
    }
    return used;
}

Ref<Exchange> H1Connection::retain(H1Exchange& exchange) {
    if (current_.get() != &exchange) {
        current_ = context_.takeSpare();
        current_->ownHead();
    }
    return current_;
}

void H1Connection::resumeBody(H1Exchange& exchange) {
    if (current_.get() != &exchange || exchange.isBodyDone()) {
        return;
    }
    if (exchange.isTunnel_) {
        resumeInput();
        return;
    }
    exchange.bodyWatch_ = RateWatch::start(context_.loop().now(), exchange.decoder_.received());
    armBy(context_.loop().now() + kWatchInterval);
    resumeInput();
}

/// A request that cannot be understood: the answer says so and ends the connection.
/// `input`: what there is of its head, when no exchange was made.
void H1Connection::refuse(Rejection rejection, std::string_view input) {
    const RejectionInfo& info = rejectionInfo(rejection);
    lingers_ = true;
    context_.counters().onRequestRejected();
    if (current_ && current_->answered_) { // too late for another answer
        phase_ = Phase::ending;
        return;
    }
    if (current_) {
        refuse(*current_, info.status, info.text);
    } else {
        refuseUnread(info.status, info.text, !trimLines(input).starts_with("HEAD "));
    }
}

/// The answer ends the connection.
void H1Connection::refuse(H1Exchange& exchange, int status, std::string_view sentence) {
    keepAlive_ = false;
    ErrorAnswer answer = makeErrorAnswer(*context_.settings().handler, status, sentence);
    exchange.respond(std::move(answer.head), std::move(answer.body));
    finishIfDone();
}

/// The same without an exchange: no request could be read.
void H1Connection::refuseUnread(int status, std::string_view sentence, bool withBody) {
    keepAlive_ = false;
    ErrorAnswer answer = makeErrorAnswer(*context_.settings().handler, status, sentence);
    HeadContext context;
    context.framing = {ResponseFraming::Kind::length, answer.body.size()};
    context.keepAlive = false;
    context.date = context_.date().text();
    std::string bytes;
    renderHead(answer.head, context, bytes);
    context_.scratch().append(std::move(bytes));
    if (withBody) {
        context_.scratch().append(std::move(answer.body));
    }
    context_.counters().onRequest(static_cast<unsigned>(status), context_.scratch().size(), 0);
    phase_ = Phase::ending;
    flush();
}

// ---- answers ----

ConnectionField H1Connection::connectionField(H1Exchange& exchange) {
    if (!exchange.isBodyDone() && !exchange.isRestWanted()) {
        keepAlive_ = false;
        lingers_ = true;
    }
    if (!keepAlive_) {
        return ConnectionField::close;
    }
    return exchange.head_.minorVersion == 0 ? ConnectionField::keepAlive : ConnectionField::none;
}

/// Common end of all answers; a long one lasts until its bytes have left.
void H1Connection::answered(H1Exchange& exchange, int status) {
    exchange.answered_ = true;
    exchange.tally_.status = status;
    if (exchange.source_ || exchange.tally_.bytes > Outlet::kMaxUnsent) {
        retain(exchange);
        exchange.isSending_ = true;
    } else if (current_.get() != &exchange) {
        exchange.account();
        exchange.settings_ = {};
        if (!keepAlive_) {
            phase_ = Phase::ending;
        }
        return;
    }
    if (!isProcessing_) {
        finishIfDone();
        resumeInput();
    }
}

/// The connection leaves HTTP behind: it ends with the tunnel.
void H1Connection::beganTunnel(H1Exchange& exchange, int status) {
    keepAlive_ = false;
    lingers_ = true; // unless the client's end has come
    context_.counters().onTunnelOpened();
    const Ref<H1Exchange> kept = current_;
    exchange.tally_.setAnswered();
    answered(exchange, status);
    exchange.settings_ = {};
    if (context_.isDraining()) {
        exchange.tellDraining();
    }
}

/// The reader has had enough. While something is being sent, settle() ends the tunnel.
void H1Connection::endTunnelInput(H1Exchange& exchange) {
    if (current_.get() == &exchange && !exchange.isSending_) {
        finishIfDone();
        if (!isProcessing_) {
            settle();
        }
    }
}

/// The current exchange ends when it is answered, its answer has left (if it is a long one) and its body is
/// read.
void H1Connection::finishIfDone() {
    if (!current_ || !current_->answered_ || current_->isSending_) {
        return;
    }
    if (!current_->isBodyDone() && (keepAlive_ || current_->isTunnel_)) {
        return;
    }
    Ref<H1Exchange> exchange = std::move(current_);
    exchange->account();
    exchange->detach();
    exchange->settings_ = {};
    if (!keepAlive_) {
        phase_ = Phase::ending;
    }
}

// ---- output ----

void H1Connection::flush() {
    if (isProcessing_ || phase_ == Phase::closed) {
        return;
    }
    if (current_ && current_->source_) {
        pump();
        return;
    }
    BufferChain& chain = context_.scratch();
    if (!chain.empty() && !send(chain)) {
        return;
    }
    settle();
}

/// False when the connection broke.
bool H1Connection::send(BufferChain& chain) {
    switch (outlet_.send(chain)) {
    case loop::Submitted::done:
        break;
    case loop::Submitted::pending:
        armBy(context_.loop().now() + kWatchInterval);
        break;
    case loop::Submitted::failed:
        abort();
        return false;
    }
    return true;
}

/// What is due once everything has left: the end of a long answer, the end of the connection.
void H1Connection::settle() {
    if (outlet_.isWaiting()) {
        return;
    }
    if (current_ && current_->isSending_ && !current_->source_) {
        current_->isSending_ = false;
        if (current_->isTunnel_ && !current_->isBodyDone()) {
            transport_.shutdownWrite(); // the client may still go on
        }
        finishIfDone();
    }
    if (phase_ == Phase::ending) {
        close();
    }
}

void H1Connection::onDrained() {
    outlet_.onDrained();
    if (phase_ != Phase::closed) {
        if (current_ && !current_->isTunnel_ &&
            !current_->isBodyDone()) { // it may have waited for its answers before it went on sending
            current_->bodyWatch_ = RateWatch::start(context_.loop().now(), current_->decoder_.received());
        }
        settle();
        resumeInput();
    }
}

/// Fills the transport from the current exchange's source until it is full, has to wait or is done.
void H1Connection::pump() {
    while (current_ && current_->source_ && phase_ != Phase::closed) {
        if (outlet_.isFull()) {
            break; // onDrained goes on
        }
        BufferChain& out = context_.scratch();
        const BodySource::Pull pull = current_->pullBody(out);
        if (pull == BodySource::Pull::failed) { // the client must notice that it is incomplete
            out.clear();
            abort();
            return;
        }
        if (pull == BodySource::Pull::end) {
            flush(); // the exchange ends when this has left
            return;
        }
        if (!out.empty() && !send(out)) {
            return;
        }
        if (pull == BodySource::Pull::wait) {
            break;
        }
    }
    // The head, when nothing of the body was ready to go with it.
    if (phase_ != Phase::closed && !context_.scratch().empty()) {
        send(context_.scratch());
    }
}

void H1Connection::close() {
    phase_ = Phase::closed;
    if (lingers_ && !isPeerClosed_) {
        transport_.lingerAndClose();
    } else {
        transport_.close();
    }
}

void H1Connection::abort() {
    if (phase_ != Phase::closed) {
        phase_ = Phase::closed;
        transport_.close(true);
    }
}

void H1Connection::drain() {
    keepAlive_ = false;
    if (current_) {
        const Ref<H1Exchange> kept = current_;
        kept->tellDraining();
        return;
    }
    if (!outlet_.isWaiting() && stash_.empty() && phase_ == Phase::open) {
        close();
    } else {
        armForRequest(); // the rest of a head has less time now
    }
}

// ---- ends ----

/// Once the peer has closed its side: the body can never be completed. While its reader pauses, the rest may
/// be in the stash.
bool H1Connection::isBodyCutOff() const {
    return current_ && !current_->isBodyDone() && !(current_->isBodyPaused_ && !stash_.empty());
}

/// A body can never be completed; a tunnel's other way goes on.
void H1Connection::onInputCutOff() {
    if (!current_->isTunnel_) {
        abort();
        return;
    }
    const Ref<H1Exchange> tunnel = current_;
    tunnel->endTunnelInput();
    if (phase_ != Phase::closed) {
        finishIfDone();
        flush();
    }
}

void H1Connection::onPeerClosed() {
    isPeerClosed_ = true;
    if (phase_ == Phase::closed) {
        return;
    }
    if (isBodyCutOff()) {
        onInputCutOff();
        return;
    }
    if (!current_ && !outlet_.isWaiting() && !isProcessing_) {
        close(); // an incomplete head in the stash can never be completed either
    }
}

void H1Connection::onBroken(int) {
    abort();
}

void H1Connection::onClosed() {
    phase_ = Phase::closed;
    Timer::cancel();
    context_.remove(*this);
    if (Ref<H1Exchange> exchange = std::move(current_)) {
        if (exchange->answered_) { // cut off: only what has left counts
            exchange->tally_.takeBack(transport_.bytesPending());
            exchange->account();
        }
        exchange->detach();
    }
    Ref<H1Connection> last = std::move(self_); // may destroy this
}

// ---- time ----

/// Makes sure that the timer fires at the deadline or before; it finds out by itself what is due.
void H1Connection::armBy(std::uint64_t deadline) {
    if (deadline != RequestWait::kNever && (!isSet() || deadline < Timer::deadline())) {
        context_.loop().timers().set(*this, deadline);
    }
}

void H1Connection::onTimer() {
    if (phase_ == Phase::closed) {
        return;
    }
    const std::uint64_t now = context_.loop().now();
    const ConnectionSettings& settings =
        current_ && current_->settings_ ? *current_->settings_ : context_.settings();

    if (outlet_.isWaiting()) {
        if (outlet_.isTooSlow(settings)) {
            cutOffSlowClient();
            return;
        }
        armBy(now + kWatchInterval);
        return;
    }
    if (current_) {
        if (!current_->isBodyDone() && !current_->isBodyPaused_ && !current_->isTunnel_) {
            if (current_->bodyWatch_.isTooSlow(now, current_->decoder_.received(), settings)) {
                cutOffSlowClient();
                return;
            }
            armBy(now + kWatchInterval);
        }
        if (!current_->answered_ && settings.requestTimeout != 0) {
            const std::uint64_t deadline = wait_.activeAt() + settings.requestTimeout;
            if (now >= deadline) {
                context_.counters().onTimeout();
                lingers_ = !current_->isBodyDone();
                refuse(*current_, 504, "The request took longer than this server allows.");
                return;
            }
            armBy(deadline);
        }
        return;
    }
    switch (wait_.due(now, !stash_.empty(), context_.waitLimits())) {
    case RequestWait::Due::head:
        context_.counters().onTimeout();
        if (!stash_.empty()) {
            refuse(Rejection::timeout, stash_.bytes());
        } else {
            close(); // it never said anything: nothing to answer
        }
        break;
    case RequestWait::Due::idle:
        close();
        break;
    case RequestWait::Due::nothing:
        armForRequest();
        break;
    }
}

/// For the time-out of a connection that waits for a request, or for the rest of a head.
void H1Connection::armForRequest() {
    armBy(wait_.deadline(!stash_.empty(), context_.waitLimits()));
}

void H1Connection::cutOffSlowClient() {
    context_.onSlowClient(transport_.peer());
    if (current_ && !current_->answered_ && !outlet_.isWaiting()) {
        lingers_ = true;
        refuse(Rejection::timeout);
    } else {
        abort();
    }
}

} // namespace saker::http
