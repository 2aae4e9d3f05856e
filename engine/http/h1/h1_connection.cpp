#include "http/h1/h1_connection.h"

#include "base/text.h"
#include "http/h1/response_encoder.h"
#include "http/refusal.h"
#include "http/request_account.h"
#include "http/status.h"

#include <algorithm>
#include <utility>

namespace saker::http {

namespace {

// A client that sends requests faster than it takes answers waits once this much is unsent.
constexpr std::uint64_t kMaxUnsent = 256 * 1024;
// Bytes of later requests that are kept while an exchange is under way; then reading pauses.
constexpr std::size_t kMaxStash = 64 * 1024;
// An unwanted body up to this size is read and dropped to save the connection; a longer one ends it.
constexpr std::uint64_t kMaxDiscard = 256 * 1024;
// How much a body source is asked for at a time.
constexpr std::size_t kPullSize = 64 * 1024;

// As far as it is a request line (RFC 9113, section 3.4).
constexpr std::string_view kHttp2Preface = "PRI * HTTP/2.0\r\n";

void addStrictTransport(const Exchange& exchange, ResponseHead& head) {
    if (exchange.strictTransport) {
        head.set("Strict-Transport-Security", exchange.strictTransport->text);
    }
}

} // namespace

void H1Connection::start(net::Transport& transport, LoopContext& context) {
    auto connection = makeRef<H1Connection>(transport, context);
    connection->self_ = connection;
    context.add(*connection);
    connection->armForRequest();
    transport.start(*connection);
}

H1Connection::H1Connection(net::Transport& transport, LoopContext& context)
    : transport_(transport), context_(context), parser_(context.limits()), activeAt_(context.loop().now()),
      headSince_(activeAt_) {}

H1Connection::~H1Connection() = default;

// ---- input ----

void H1Connection::onData(std::span<const char> bytes) {
    context_.counters().onBytesReceived(bytes.size());
    if (phase_ == Phase::open) {
        activeAt_ = context_.loop().now();
        consume({bytes.data(), bytes.size()});
    }
}

void H1Connection::consume(std::string_view bytes) {
    if (!wantsInput()) {
        stash(bytes);
        return;
    }
    if (stash_) {
        stash_->append(bytes);
        resumeInput();
        return;
    }
    std::size_t used = process(bytes);
    if (used < bytes.size() && phase_ == Phase::open) {
        stash(bytes.substr(used));
    }
    bool isIncomplete = stash_ && wantsInput();
    flush();
    if (stash_ && !isIncomplete) {
        resumeInput();
    }
}

/// Sends what is ready and goes on with what was kept, as far as that is possible now.
void H1Connection::resumeInput() {
    if (isProcessing_) {
        return;
    }
    flush();
    while (stash_ && wantsInput()) {
        // Taken out while it is read; process() does not touch the stash.
        std::unique_ptr<std::string> input = std::move(stash_);
        std::size_t used = process(*input);
        if (used < input->size() && phase_ == Phase::open) {
            input->erase(0, used);
            stash_ = std::move(input);
        }
        bool isIncomplete = stash_ && wantsInput();
        flush();
        if (isIncomplete) {
            break;
        }
    }
    if (phase_ != Phase::open) {
        return;
    }
    if (isPaused_ && (!stash_ || stash_->size() < kMaxStash)) {
        isPaused_ = false;
        transport_.resumeReading();
    }
    if (isPeerClosed_ && isBodyCutOff()) {
        abort();
        return;
    }
    if (!current_ && !isWriting_ && (isPeerClosed_ || (context_.isDraining() && !stash_))) {
        close();
    }
}

void H1Connection::stash(std::string_view bytes) {
    if (!stash_) {
        stash_ = std::make_unique<std::string>();
    }
    stash_->append(bytes);
    if (stash_->size() >= kMaxStash && !wantsInput() && !isPaused_) {
        isPaused_ = true;
        transport_.pauseReading();
    }
}

bool H1Connection::wantsInput() const {
    if (phase_ != Phase::open) {
        return false;
    }
    if (current_) {
        return !current_->isBodyDone() && !current_->isBodyPaused_;
    }
    return !isWriting_ || transport_.bytesPending() < kMaxUnsent;
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
        if (headSince_ == 0) {
            headSince_ = activeAt_;
        }
        armForRequest();
        return 0;
    case RequestParser::State::rejected:
        if (input.starts_with(kHttp2Preface) && context_.http2Starter() && isFirst_) {
            handOver(input);
            return 0;
        }
        refuse(parser_.rejection(), input);
        return 0;
    case RequestParser::State::complete:
        break;
    }
    parser_.reset();
    isFirst_ = false;
    headSince_ = 0;
    const std::size_t size = exchange.head_.size();
    const ConnectionSettings& settings = context_.settings();
    exchange.begin(*this, context_.settingsRef(),
                   settings.measureTime || context_.counters().isDetailed() ? steadyMicros() : 0);
    keepAlive_ = exchange.head_.keepAlive && !context_.isDraining();
    if (exchange.head_.framing == BodyFraming::none) {
        handle(exchange);
        return size;
    }
    if (settings.maxBody != 0 && exchange.head_.contentLength > settings.maxBody) {
        lingers_ = true;
        refuse(413, "The request's body is larger than this server accepts.", &exchange);
        return size;
    }
    retain(exchange);
    exchange.decoder_.start(exchange.head_.framing, exchange.head_.contentLength, settings.maxBody);
    current_->bodyWatch_ = RateWatch::start(activeAt_, 0);
    armBy(activeAt_ + kWatchInterval);
    handle(exchange);
    return size;
}

/// The client speaks HTTP/2: the rest is its connection's.
void H1Connection::handOver(std::string_view received) {
    phase_ = Phase::closed;
    Timer::cancel();
    const std::string bytes(received); // the stash they may lie in goes
    stash_.reset();
    // The calls that led here still work on this object.
    context_.loop().post([self = std::move(self_)] {});
    context_.http2Starter()(transport_, context_, *this, bytes);
}

void H1Connection::handle(H1Exchange& exchange) {
    exchange.settings_->handler->handle(exchange);
    if (!exchange.answered_ && current_.get() != &exchange) {
        refuse(500, "The request was neither answered nor kept.", &exchange); // a defect of a handler
    }
    finishIfDone();
    if (current_ && !current_->answered_ && current_->settings_->requestTimeout != 0) {
        armBy(activeAt_ + current_->settings_->requestTimeout);
    }
}

/// Decodes some of the current exchange's body; returns the bytes used, 0 when more input is needed.
std::size_t H1Connection::feedBody(std::string_view input) {
    H1Exchange& exchange = *current_;
    BodyDecoder::Step step = exchange.decoder_.next(input);
    if (step.state == BodyDecoder::State::rejected) {
        if (BodyReader* reader = std::exchange(exchange.reader_, nullptr)) {
            reader->onBodyFailed();
        }
        refuse(exchange.decoder_.rejection());
        return 0;
    }
    if (step.state == BodyDecoder::State::data) {
        if (exchange.reader_) {
            exchange.reader_->onBody(step.data);
        } else if (exchange.answered_ && exchange.decoder_.received() > kMaxDiscard) {
            keepAlive_ = false; // more than is worth reading for the sake of the connection
            lingers_ = true;
            phase_ = Phase::ending;
        }
    }
    if (exchange.decoder_.isDone()) {
        if (BodyReader* reader = std::exchange(exchange.reader_, nullptr)) {
            reader->onBodyEnd();
        }
        finishIfDone();
    }
    return step.consumed;
}

Ref<Exchange> H1Connection::retain(H1Exchange& exchange) {
    if (current_.get() != &exchange) {
        current_ = context_.takeSpare();
        current_->ownHead();
    }
    return current_;
}

void H1Connection::startBody(H1Exchange& exchange) {
    if (exchange.isBodyDone()) {
        BodyReader* reader = std::exchange(exchange.reader_, nullptr);
        reader->onBodyEnd();
        return;
    }
    if (exchange.head_.expectsContinue && !exchange.continueSent_ && exchange.head_.minorVersion > 0) {
        exchange.continueSent_ = true;
        context_.scratch().appendStatic("HTTP/1.1 100 Continue\r\n\r\n");
        flush();
    }
}

void H1Connection::resumeBody(H1Exchange& exchange) {
    if (current_.get() != &exchange || exchange.isBodyDone()) {
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
    refuse(info.status, info.text, current_.get(), !trimLines(input).starts_with("HEAD "));
}

/// `exchange` is null when no request could be read.
void H1Connection::refuse(int status, std::string_view sentence, H1Exchange* exchange, bool withBody) {
    keepAlive_ = false;
    Handler::Page page = context_.settings().handler->errorPage(status, sentence);
    ResponseHead head = refusalHead(status, page);
    BufferChain body;
    body.append(std::move(page.body));
    if (exchange) {
        answer(*exchange, head, body);
        finishIfDone();
        return;
    }
    std::string bytes;
    HeadContext context;
    context.framing = {ResponseFraming::Kind::length, body.size()};
    context.keepAlive = false;
    context.date = context_.date().text();
    renderHead(head, context, bytes);
    context_.scratch().append(std::move(bytes));
    if (withBody) {
        context_.scratch().append(std::move(body));
    }
    context_.counters().onRequest(static_cast<unsigned>(status), context_.scratch().size(), 0);
    phase_ = Phase::ending;
    flush();
}

// ---- answers ----

ConnectionField H1Connection::connectionField(H1Exchange& exchange) {
    if (!exchange.isBodyDone()) {
        // Without 100-continue the client may never send the body; a long one is not worth reading to the
        // end.
        std::uint64_t left = exchange.head_.framing == BodyFraming::length
                                 ? exchange.head_.contentLength - exchange.decoder_.received()
                                 : 0;
        if ((exchange.head_.expectsContinue && !exchange.continueSent_) || left > kMaxDiscard) {
            keepAlive_ = false;
            lingers_ = true;
        }
    }
    if (!keepAlive_) {
        return ConnectionField::close;
    }
    return exchange.head_.minorVersion == 0 ? ConnectionField::keepAlive : ConnectionField::none;
}

void H1Connection::answer(H1Exchange& exchange, PreparedResponse& response) {
    bool withBody = exchange.head_.method != Method::head;
    std::uint64_t bytes = response.appendHttp1(context_.scratch(), context_.date(), connectionField(exchange),
                                               withBody, exchange.strictTransport);
    exchange.bodyBytes_ = withBody ? response.bodySize() : 0;
    answered(exchange, response.status(), bytes, bytes > kMaxUnsent);
}

void H1Connection::answer(H1Exchange& exchange, ResponseHead& head, BufferChain& body) {
    addStrictTransport(exchange, head);
    HeadContext context;
    // What a head says of a length that was not sent (an answer to HEAD) counts more than the empty chain.
    std::uint64_t length = body.size();
    if (exchange.head_.method == Method::head && body.empty()) {
        length = parseDecimal(head.get("Content-Length")).value_or(0);
    }
    context.framing = chooseFraming(exchange.head_.method, exchange.head_.minorVersion, head.status, length);
    context.keepAlive = connectionField(exchange) != ConnectionField::close;
    context.minorVersion = exchange.head_.minorVersion;
    context.date = context_.date().text();
    std::string bytes;
    bytes.reserve(512);
    renderHead(head, context, bytes);
    std::uint64_t size = bytes.size();
    context_.scratch().append(std::move(bytes));
    if (exchange.head_.method != Method::head && !isBodiless(head.status)) {
        exchange.bodyBytes_ = body.size();
        size += body.size();
        context_.scratch().append(std::move(body));
    }
    answered(exchange, head.status, size, size > kMaxUnsent);
}

void H1Connection::answer(H1Exchange& exchange, ResponseHead& head, std::unique_ptr<BodySource> source) {
    std::optional<std::uint64_t> length;
    if (std::string_view text = head.get("Content-Length"); !text.empty()) {
        length = parseDecimal(text);
    }
    HeadContext context;
    addStrictTransport(exchange, head);
    context.framing = chooseFraming(exchange.head_.method, exchange.head_.minorVersion, head.status, length);
    if (context.framing.kind == ResponseFraming::Kind::untilClose) {
        keepAlive_ = false;
    }
    context.keepAlive = connectionField(exchange) != ConnectionField::close;
    context.minorVersion = exchange.head_.minorVersion;
    context.date = context_.date().text();
    std::string bytes;
    renderHead(head, context, bytes);
    std::uint64_t size = bytes.size();
    context_.scratch().append(std::move(bytes));
    bool hasBody = exchange.head_.method != Method::head && !isBodiless(head.status);
    if (hasBody) {
        retain(exchange);
        exchange.chunked_ = context.framing.kind == ResponseFraming::Kind::chunked;
        if (context.framing.kind != ResponseFraming::Kind::length) {
            length.reset();
        }
        exchange.source_.start(std::move(source), length, [this, &exchange] {
            if (current_.get() == &exchange) {
                resumeInput();
            }
        });
    }
    answered(exchange, head.status, size, hasBody);
}

void H1Connection::answerInterim(H1Exchange& exchange, const ResponseHead& head) {
    if (exchange.head_.minorVersion == 0) {
        return;
    }
    HeadContext context;
    context.framing.kind = ResponseFraming::Kind::none;
    std::string bytes;
    renderHead(head, context, bytes);
    context_.scratch().append(std::move(bytes));
    if (!isProcessing_) {
        flush();
    }
}

/// Common end of all answers. `isLong`: the exchange lasts until its bytes have left.
void H1Connection::answered(H1Exchange& exchange, int status, std::uint64_t bytes, bool isLong) {
    exchange.answered_ = true;
    exchange.status_ = status;
    exchange.bytes_ = bytes;
    if (isLong) {
        retain(exchange);
        exchange.isSending_ = true;
    } else if (current_.get() != &exchange) {
        account(exchange);
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

/// The current exchange ends when it is answered, its answer has left (if it is a long one) and its body is
/// read.
void H1Connection::finishIfDone() {
    if (!current_ || !current_->answered_ || current_->isSending_) {
        return;
    }
    if (!current_->isBodyDone() && keepAlive_) {
        return;
    }
    Ref<H1Exchange> exchange = std::move(current_);
    account(*exchange);
    exchange->detach();
    exchange->settings_ = {};
    if (!keepAlive_) {
        phase_ = Phase::ending;
    }
}

void H1Connection::account(H1Exchange& exchange) {
    accountFor({exchange.head_, exchange.account, transport_, exchange.status_,
                exchange.head_.size() + exchange.decoder_.received(), exchange.bytes_, exchange.bodyBytes_,
                exchange.startMicros_},
               context_);
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
    switch (transport_.write(chain)) {
    case loop::Submitted::done:
        break;
    case loop::Submitted::pending:
        if (!isWriting_) {
            isWriting_ = true;
            watchOutput();
        }
        break;
    case loop::Submitted::failed:
        chain.clear();
        abort();
        return false;
    }
    return true;
}

/// What is due once everything has left: the end of a long answer, the end of the connection.
void H1Connection::settle() {
    if (isWriting_) {
        return;
    }
    if (current_ && current_->isSending_ && !current_->source_) {
        current_->isSending_ = false;
        finishIfDone();
    }
    if (phase_ == Phase::ending) {
        close();
    }
}

void H1Connection::onDrained() {
    isWriting_ = false;
    if (phase_ != Phase::closed) {
        if (current_ &&
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
        if (isWriting_ && transport_.bytesPending() >= kMaxUnsent) {
            break; // onDrained goes on
        }
        H1Exchange& exchange = *current_;
        BufferChain data;
        const BodySource::Pull pull = exchange.source_.pull(data, kPullSize);
        BufferChain& out = context_.scratch();
        std::uint64_t size = data.size();
        exchange.bytes_ += size;
        exchange.bodyBytes_ += size;
        if (pull == BodySource::Pull::failed) { // the client must notice that it is incomplete
            out.clear();
            abort();
            return;
        }
        if (size > 0) {
            if (exchange.chunked_) {
                char head[kChunkHeadSize];
                out.append(std::string(head, writeChunkHead(size, head)));
            }
            out.append(std::move(data));
            if (exchange.chunked_) {
                out.appendStatic(kChunkEnd);
            }
        }
        if (pull == BodySource::Pull::end) {
            if (exchange.chunked_) {
                out.appendStatic(kLastChunk);
            }
            exchange.source_.reset();
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

void H1Connection::watchOutput() {
    const std::uint64_t now = context_.loop().now();
    outputWatch_ = RateWatch::start(now, transport_.bytesDelivered());
    armBy(now + kWatchInterval);
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
    if (!current_ && !isWriting_ && !stash_ && phase_ == Phase::open) {
        close();
    }
}

// ---- ends ----

/// Once the peer has closed its side: the body can never be completed. While its reader pauses, the rest may
/// be in the stash.
bool H1Connection::isBodyCutOff() const {
    return current_ && !current_->isBodyDone() && !(current_->isBodyPaused_ && stash_);
}

void H1Connection::onPeerClosed() {
    isPeerClosed_ = true;
    if (phase_ == Phase::closed) {
        return;
    }
    if (isBodyCutOff()) {
        abort();
        return;
    }
    if (!current_ && !isWriting_ && !isProcessing_) {
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
            std::uint64_t unsent = transport_.bytesPending();
            exchange->bytes_ -= std::min(unsent, exchange->bytes_);
            exchange->bodyBytes_ -= std::min(unsent, exchange->bodyBytes_);
            account(*exchange);
        }
        exchange->detach();
    }
    Ref<H1Connection> last = std::move(self_); // may destroy this
}

// ---- time ----

/// Makes sure that the timer fires at the deadline or before; it finds out by itself what is due.
void H1Connection::armBy(std::uint64_t deadline) {
    if (!isSet() || deadline < Timer::deadline()) {
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

    if (isWriting_) {
        if (outputWatch_.isTooSlow(now, transport_.bytesDelivered(), settings)) {
            cutOffSlowClient();
            return;
        }
        armBy(now + kWatchInterval);
        return;
    }
    if (current_) {
        if (!current_->isBodyDone() && !current_->isBodyPaused_) {
            if (current_->bodyWatch_.isTooSlow(now, current_->decoder_.received(), settings)) {
                cutOffSlowClient();
                return;
            }
            armBy(now + kWatchInterval);
        }
        if (!current_->answered_ && settings.requestTimeout != 0) {
            if (now >= activeAt_ + settings.requestTimeout) {
                context_.counters().onTimeout();
                lingers_ = !current_->isBodyDone();
                refuse(504, "The request took longer than this server allows.", current_.get());
                return;
            }
            armBy(activeAt_ + settings.requestTimeout);
        }
        return;
    }
    // Between requests, or in the middle of a head.
    if (headSince_ != 0 && settings.headTimeout != 0 && now >= headSince_ + settings.headTimeout) {
        context_.counters().onTimeout();
        if (stash_) {
            refuse(Rejection::timeout, *stash_);
        } else {
            close(); // it never said anything: nothing to answer
        }
        return;
    }
    if (!stash_ && settings.keepAliveTimeout != 0 && now >= activeAt_ + settings.keepAliveTimeout) {
        close();
        return;
    }
    armForRequest();
}

/// For the time-out of a connection that waits for a request, or for the rest of a head.
void H1Connection::armForRequest() {
    const ConnectionSettings& settings = context_.settings();
    if (headSince_ != 0 && settings.headTimeout != 0) {
        armBy(headSince_ + settings.headTimeout);
    }
    if (!stash_ && settings.keepAliveTimeout != 0) {
        armBy(activeAt_ + settings.keepAliveTimeout);
    }
}

void H1Connection::cutOffSlowClient() {
    context_.counters().onSlowClient();
    if (std::uint64_t duration = context_.settings().slowClientBlock) {
        context_.slowClients().block(transport_.peer(), context_.loop().now(), duration);
    }
    if (current_ && !current_->answered_ && !isWriting_) {
        lingers_ = true;
        refuse(Rejection::timeout);
    } else {
        abort();
    }
}

} // namespace saker::http
