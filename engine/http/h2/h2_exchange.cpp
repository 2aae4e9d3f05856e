#include "http/h2/h2_exchange.h"

#include "base/text.h"
#include "http/error_answer.h"
#include "http/h1/request_parser.h"
#include "http/h2/h2_connection.h"
#include "http/h2/h2_loop.h"
#include "http/h2/priority.h"
#include "http/h2/session_callbacks.h"
#include "http/status.h"
#include "loop/worker_pool.h"
#include "os/read_at.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace saker::http {

namespace {

/// What a worker reads of a cold file at a time.
constexpr std::size_t kColdWindow = std::size_t{256} * 1024;

} // namespace

const loop::SocketAddress& H2Exchange::peer() const {
    return connection_->transport().peer();
}
const loop::SocketAddress& H2Exchange::local() const {
    return connection_->transport().local();
}
bool H2Exchange::isEncrypted() const {
    return connection_->transport().isEncrypted();
}
std::uint64_t H2Exchange::clientPolicy() const {
    return connection_->transport().clientPolicy();
}
loop::EventLoop& H2Exchange::loop() const {
    return connection_->context().loop();
}

// ---- the request ----

void H2Exchange::begin(H2Connection& connection, std::int32_t stream) {
    connection_ = &connection;
    stream_ = stream;
    text_.begin(connection.context().limits().maxHead, connection.takesExtendedConnect());
    received_ = 0;
    heldBody_.clear();
    unconsumed_ = 0;
    watcher_ = nullptr;
    beganAt_ = connection.context().loop().now();
    tally_ = {};
    answered_ = isDispatched_ = isMalformed_ = isBodyDone_ = isBodyPaused_ = isDeferred_ = isWarm_ =
        isAtEnd_ = isTunnel_ = false;
}

void H2Exchange::dispatch(bool endsStream) {
    LoopContext& context = connection_->context();
    isDispatched_ = true;
    isBodyDone_ = endsStream;
    if (!text_.complete() && !text_.isTooLarge()) {
        breakOff();
        return;
    }
    settings_ = context.settingsRef();
    tally_ = Tally::start(context);
    if (const Rejection rejection = readHead(); rejection != Rejection::none) {
        context.counters().onRequestRejected();
        connection_->onFlood(observe::Http2Flood::badRequests);
        refuse(rejection);
        return;
    }
    if (endsStream && head_.contentLength > 0) {
        breakOff();
        return;
    }
    if (settings_->maxBody != 0 && head_.contentLength > settings_->maxBody) {
        refuse(Rejection::bodyTooLarge);
        return;
    }
    if (!text_.priority().empty()) {
        takePriority();
    }
    if (!endsStream) {
        bodyWatch_ = RateWatch::start(beganAt_, 0);
    }
    settings_->handler->handle(*this);
    if (!answered_ && !isShared()) {
        refuse(500, "The request was neither answered nor kept."); // a defect of a handler
    }
}

/// Also of a refused request there is as much in head_ as could be read, for the log.
Rejection H2Exchange::readHead() {
    const std::string_view text = text_.text();
    RequestParser parser(connection_->context().limits());
    const RequestParser::State state = parser.parse(text, head_);
    head_.majorVersion = 2;
    if (text_.isTooLarge()) {
        return Rejection::headTooLarge;
    }
    if (state == RequestParser::State::rejected) {
        return parser.rejection();
    }
    if (state != RequestParser::State::complete || head_.size() != text.size()) {
        return Rejection::badField;
    }
    head_.keepAlive = true;
    if (head_.wantsUpgrade) { // extended CONNECT: what follows waits for its tunnel
        isBodyPaused_ = true;
        head_.contentLength = 0;
    }
    if (isBodyDone_ || head_.wantsUpgrade) {
        head_.framing = BodyFraming::none;
        head_.expectsContinue = false;
    } else if (head_.framing == BodyFraming::none) {
        head_.framing = BodyFraming::chunked; // its end will be seen
    }
    return Rejection::none;
}

void H2Exchange::takePriority() {
    const Priority priority = parsePriority(text_.priority());
    nghttp2_extpri order{priority.urgency, priority.incremental ? 1 : 0};
    nghttp2_session_change_extpri_stream_priority(connection_->session(), stream_, &order, 0);
}

void H2Exchange::breakOff() {
    if (std::exchange(isMalformed_, true)) {
        return;
    }
    connection_->context().counters().onRequestRejected();
    connection_->onFlood(observe::Http2Flood::badRequests);
    if (BodyReader* reader = std::exchange(reader_, nullptr)) {
        reader->onBodyFailed();
    }
    tellAbandoned();
    reset(NGHTTP2_PROTOCOL_ERROR);
}

void H2Exchange::readBody(BodyReader& reader) {
    if (!connection_) {
        reader.onBodyFailed();
        return;
    }
    if (isBodyDone_ && !isBodyPaused_) {
        reader.onBodyEnd();
        return;
    }
    reader_ = &reader;
    if (std::exchange(head_.expectsContinue, false)) {
        ResponseHead head;
        head.status = 100;
        respondInterim(head);
    }
}

void H2Exchange::takeBody(std::string_view bytes) {
    if (isMalformed_) {
        return;
    }
    received_ += bytes.size();
    if (head_.framing == BodyFraming::length && received_ > head_.contentLength) {
        breakOff(); // RFC 9113, section 8.1.1
        return;
    }
    if (reader_ == nullptr && answered_ && isAtEnd_) { // nobody needs it any more
        if (!isRestWanted()) {
            cutBodyOff();
        }
        return;
    }
    const std::uint64_t most = settings_ && !head_.wantsUpgrade ? settings_->maxBody : 0;
    if (most != 0 && received_ > most) {
        if (BodyReader* reader = std::exchange(reader_, nullptr)) {
            reader->onBodyFailed();
        }
        if (!answered_) {
            refuse(Rejection::bodyTooLarge);
        }
        return;
    }
    if (isBodyPaused_) {
        heldBody_ += bytes;
    } else if (reader_ != nullptr) {
        reader_->onBody(bytes);
    }
}

bool H2Exchange::isRestWanted() const {
    if (head_.wantsUpgrade) { // it has no end of its own
        return isTunnel_ && reader_ != nullptr;
    }
    const std::uint64_t rest =
        head_.framing == BodyFraming::length ? head_.contentLength - received_ : received_;
    return rest <= kMaxDiscard && !head_.expectsContinue;
}

bool H2Exchange::holdsWindow(std::size_t size) {
    if (isBodyPaused_) {
        unconsumed_ += size;
    }
    return isBodyPaused_;
}

void H2Exchange::resumeBody() {
    if (!std::exchange(isBodyPaused_, false) || !connection_) {
        return;
    }
    const Ref<H2Exchange> kept(this);
    const std::string held = std::exchange(heldBody_, {});
    if (reader_ != nullptr && !held.empty()) {
        reader_->onBody(held);
    }
    if (isBodyPaused_ || !connection_) {
        return;
    }
    if (isBodyDone_) {
        tellBodyEnd();
    } else {
        bodyWatch_ = RateWatch::start(connection_->context().loop().now(), received_);
        nghttp2_session_consume_stream(connection_->session(), stream_, std::exchange(unconsumed_, 0));
        connection_->flush();
    }
}

void H2Exchange::discardBody() {
    reader_ = nullptr;
    resumeBody();
    if (isTunnel_ && isAtEnd_ && !isBodyDone_ && connection_) {
        cutBodyOff();
        connection_->flush();
    }
}

void H2Exchange::endBody() {
    isBodyDone_ = true;
    if (head_.framing == BodyFraming::length && received_ != head_.contentLength) {
        breakOff();
    }
    if (!isBodyPaused_) { // else resumeBody() tells it
        tellBodyEnd();
    }
}

void H2Exchange::tellBodyEnd() {
    if (BodyReader* reader = std::exchange(reader_, nullptr)) {
        reader->onBodyEnd();
    }
}

// ---- the answer ----

void H2Exchange::refuse(Rejection rejection) {
    const RejectionInfo& info = rejectionInfo(rejection);
    refuse(info.status, info.text);
}

void H2Exchange::refuse(int status, std::string_view sentence) {
    ErrorAnswer answer = makeErrorAnswer(*settings_->handler, status, sentence);
    respond(std::move(answer.head), std::move(answer.body));
}

/// Any 2xx to extended CONNECT would be a tunnel to the client (RFC 8441, section 5): it gets a refusal.
bool H2Exchange::isNoTunnel(int status) {
    if (!head_.wantsUpgrade || status < 200 || status > 299) {
        return false;
    }
    refuse(501, "Nothing at this address speaks the protocol that was asked for.");
    return true;
}

void H2Exchange::respond(PreparedResponse& response) {
    if (!mayAnswer() || isNoTunnel(response.status())) {
        return;
    }
    form_ = ResponseForm::of(response);
    const PreparedResponse::Body& body = response.body();
    const bool hasBody = head_.method != Method::head && response.bodySize() > 0;
    if (hasBody && body.file) {
        body_.chain().appendFile(body.file, body.offset, body.size);
    } else if (hasBody) {
        body_.chain().append(body.bytes, form_);
    }
    submit(*form_, response.status(), hasBody);
}

void H2Exchange::respond(ResponseHead head, BufferChain body) {
    if (!mayAnswer() || isNoTunnel(head.status)) {
        return;
    }
    if (isBodiless(head.status)) {
        head.remove("Content-Length");
        body.clear();
    } else if (!head.has("Content-Length") || !body.empty()) {
        head.set("Content-Length", fmt::format_int(body.size()).str());
    }
    form_ = makeRef<ResponseForm>(head);
    const bool hasBody = head_.method != Method::head && !body.empty();
    if (hasBody) {
        body_.chain().append(std::move(body));
    }
    submit(*form_, head.status, hasBody);
}

void H2Exchange::respond(ResponseHead head, std::unique_ptr<BodySource> source) {
    if (!mayAnswer() || isNoTunnel(head.status)) {
        return;
    }
    const bool hasBody = head_.method != Method::head && !isBodiless(head.status);
    if (isBodiless(head.status)) {
        head.remove("Content-Length");
    }
    if (hasBody) {
        std::optional<std::uint64_t> length;
        if (std::string_view text = head.get("Content-Length"); !text.empty()) {
            length = parseDecimal(text);
        }
        body_.source().start(std::move(source), length, [this] {
            if (connection_) {
                resume();
            }
        });
    }
    form_ = makeRef<ResponseForm>(head);
    submit(*form_, head.status, hasBody);
}

void H2Exchange::respondInterim(const ResponseHead& head) {
    if (!mayAnswer()) {
        return;
    }
    const ResponseForm form(head);
    std::vector<nghttp2_nv>& fields = connection_->shared().fields;
    form.copyInterim(fields);
    nghttp2_submit_headers(connection_->session(), NGHTTP2_FLAG_NONE, stream_, nullptr, fields.data(),
                           fields.size(), nullptr);
    connection_->flush();
}

void H2Exchange::upgrade(ResponseHead head, BodyReader& reader, std::unique_ptr<BodySource> source) {
    if (!mayAnswer()) {
        return;
    }
    const Ref<H2Exchange> kept(this);
    const Ref<ConnectionSettings> configuration = std::exchange(settings_, {}); // for the rest of this call
    LoopContext& context = connection_->context();
    head.status = 200; // RFC 8441, section 5
    head.remove("Connection");
    head.remove("Upgrade");
    head.remove("Sec-WebSocket-Accept");
    head.remove("Content-Length");
    isTunnel_ = true;
    reader_ = &reader;
    tally_.setAnswered();
    keepAccount();
    context.counters().onTunnelOpened();
    body_.source().start(std::move(source), std::nullopt, [this] {
        if (connection_) {
            resume();
        }
    });
    form_ = makeRef<ResponseForm>(head);
    submit(*form_, head.status, true);
    resumeBody();
    if (connection_ && context.isDraining()) {
        tellDraining();
    }
}

void H2Exchange::submit(ResponseForm& form, int status, bool hasBody) {
    answered_ = true;
    isAtEnd_ = !hasBody;
    tally_.status = status;
    tally_.bytes = form.size();
    outputWatch_ = RateWatch::start(connection_->context().loop().now(), tally_.bytes);
    const nghttp2_data_provider provider = SessionCallbacks::bodyOf(*this);
    const std::vector<nghttp2_nv>* fields = &form.fields(connection_->context().date());
    if (strictTransport) { // which the exchange keeps as long as the stream lives
        std::vector<nghttp2_nv>& more = connection_->shared().fields;
        more = *fields;
        more.push_back(strictTransportField(strictTransport->text));
        fields = &more;
    }
    if (nghttp2_submit_response(connection_->session(), stream_, fields->data(), fields->size(),
                                hasBody ? &provider : nullptr) != 0) {
        reset(NGHTTP2_INTERNAL_ERROR);
    }
    connection_->flush();
}

void H2Exchange::reset(std::uint32_t error) {
    nghttp2_submit_rst_stream(connection_->session(), NGHTTP2_FLAG_NONE, stream_, error);
}

ssize_t H2Exchange::pull(std::size_t most, std::uint32_t& flags) {
    const bool anyway = isWarm_ || connection_->context().workers() == nullptr;
    const AnswerBody::Next next = body_.next(most, connection_->shared().output, anyway);
    switch (next.kind) {
    case AnswerBody::Next::Kind::failed: // the client must notice that it is incomplete
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    case AnswerBody::Next::Kind::wait:
        isDeferred_ = true;
        return NGHTTP2_ERR_DEFERRED;
    case AnswerBody::Next::Kind::cold:
        load();
        return NGHTTP2_ERR_DEFERRED;
    case AnswerBody::Next::Kind::data:
        break;
    }
    isWarm_ = false;
    flags |= NGHTTP2_DATA_FLAG_NO_COPY;
    if (next.isLast) {
        flags |= NGHTTP2_DATA_FLAG_EOF;
        isAtEnd_ = true;
    }
    return static_cast<ssize_t>(next.size);
}

void H2Exchange::put(std::string_view frameHead, std::size_t size) {
    tally_.bytes += size;
    tally_.bodyBytes += size;
    body_.take(frameHead, size, connection_->shared().output);
}

/// Has a worker read what comes next of the file in front.
void H2Exchange::load() {
    const Piece& piece = body_.chain().piece(0);
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(piece.size, kColdWindow));
    isDeferred_ = true;
    isWarm_ = true;
    // The reference stays on this loop: it is given away here and taken back there.
    H2Exchange* kept = Ref<H2Exchange>(this).leak();
    const bool taken = connection_->context().workers()->submit(
        loop(),
        [file = piece.file->native(), offset = piece.offset, size] { os::readThrough(file, offset, size); },
        [kept, stream = stream_] {
            const Ref<H2Exchange> exchange(kept);
            kept->dropRef();
            if (exchange->connection_ != nullptr && exchange->stream_ == stream) {
                exchange->resume();
            }
        });
    if (!taken) { // too much to do for the workers: the loop reads by itself, in the next turn
        kept->dropRef();
        connection_->resumeInNextTurn(stream_);
    }
}

void H2Exchange::resume() {
    if (std::exchange(isDeferred_, false)) {
        outputWatch_ = RateWatch::start(connection_->context().loop().now(), tally_.bytes);
        nghttp2_session_resume_data(connection_->session(), stream_);
        connection_->flush();
    }
}

// ---- both ----

void H2Exchange::watch(std::uint64_t now) {
    if (!isDispatched_ || isMalformed_) {
        return;
    }
    LoopContext& context = connection_->context();
    if (!answered_) {
        if (!isBodyDone_ && !isBodyPaused_ && bodyWatch_.isTooSlow(now, received_, *settings_)) {
            context.onSlowClient(peer());
            refuse(Rejection::timeout);
        } else if (settings_->requestTimeout != 0 && now >= beganAt_ + settings_->requestTimeout) {
            context.counters().onTimeout();
            refuse(504, "The request took longer than this server allows.");
        }
        return;
    }
    if (isAtEnd_) {
        if (!isBodyDone_ && !isBodyPaused_ && bodyWatch_.isTooSlow(now, received_, *settings_)) {
            cutBodyOff();
        }
        return;
    }
    if (isDeferred_) {
        return;
    }
    if (!isBlockedByClient()) { // other streams go first
        outputWatch_ = RateWatch::start(now, tally_.bytes);
    } else if (outputWatch_.isTooSlow(now, tally_.bytes, settings_ ? *settings_ : context.settings())) {
        context.onSlowClient(peer());
        reset(NGHTTP2_CANCEL);
    }
}

/// Its windows are closed, so that not even a fast connection could send more.
bool H2Exchange::isBlockedByClient() const {
    return nghttp2_session_get_stream_remote_window_size(connection_->session(), stream_) <= 0 ||
           nghttp2_session_get_remote_window_size(connection_->session()) <= 0;
}

void H2Exchange::onPeerClosed() {
    if (!isBodyDone_) {
        reset(NGHTTP2_CANCEL);
    }
}

bool H2Exchange::end() {
    if (answered_) {
        tally_.received = text_.size() + received_;
        accountFor(*this, tally_, connection_->transport(), connection_->context());
    }
    if (isTunnel_) {
        connection_->context().counters().onTunnelClosed();
    }
    const bool isDone = answered_ && isAtEnd_;
    detach();
    return isDone;
}

void H2Exchange::detach() {
    connection_ = nullptr;
    body_.clear();
    if (BodyReader* reader = std::exchange(reader_, nullptr)) {
        reader->onBodyFailed();
    }
    tellAbandoned();
    form_ = {};
    strictTransport = {};
    forgetAccount(); // of a tunnel: writes the line
    settings_ = {};
}

H2Exchange& StreamList::add(Ref<H2Exchange> exchange) {
    H2Exchange& one = *exchange;
    one.next_ = first_;
    one.previous_ = nullptr;
    if (first_ != nullptr) {
        first_->previous_ = &one;
    }
    first_ = &one;
    one.self_ = std::move(exchange);
    return one;
}

Ref<H2Exchange> StreamList::remove(H2Exchange& exchange) {
    (exchange.previous_ != nullptr ? exchange.previous_->next_ : first_) = exchange.next_;
    if (exchange.next_ != nullptr) {
        exchange.next_->previous_ = exchange.previous_;
    }
    return std::move(exchange.self_);
}

} // namespace saker::http
