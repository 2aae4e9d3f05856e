#include "http/h2/h2_connection.h"

#include "base/text.h"
#include "http/h1/request_parser.h"
#include "http/h2/response_form.h"
#include "http/refusal.h"
#include "http/request_account.h"
#include "http/status.h"
#include "loop/worker_pool.h"
#include "os/read_at.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace saker::http {

namespace {

constexpr std::uint32_t kMostStreams = 128;
/// What a client may send ahead, of one body and of all: enough for 100 ms at some 80 Mbit/s.
constexpr std::uint32_t kStreamWindow = 256 * 1024;
constexpr std::int32_t kConnectionWindow = 1024 * 1024;
/// Frames are handed to the transport in portions of about this size.
constexpr std::size_t kPortion = std::size_t{64} * 1024;
/// What one connection sends in a turn while others wait.
constexpr std::size_t kPerTurn = std::size_t{512} * 1024;
/// Ended exchanges that are kept for the next streams.
constexpr std::size_t kMostSpares = 32;
/// What a worker reads of a cold file at a time.
constexpr std::size_t kColdWindow = std::size_t{256} * 1024;
/// Between the notice of a shutdown and its GOAWAY: a client's requests under way arrive meanwhile.
constexpr std::uint64_t kNoticeMs = 200;

H2Connection& connectionOf(void* user) {
    return *static_cast<H2Connection*>(user);
}

std::string_view view(const std::uint8_t* bytes, std::size_t size) {
    return {reinterpret_cast<const char*>(bytes), size};
}

} // namespace

struct H2Connection::Callbacks {
    static H2Exchange* exchangeOf(nghttp2_session* session, std::int32_t stream) {
        return static_cast<H2Exchange*>(nghttp2_session_get_stream_user_data(session, stream));
    }

    static int onBeginHeaders(nghttp2_session* session, const nghttp2_frame* frame, void* user) {
        if (frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST) {
            nghttp2_session_set_stream_user_data(session, frame->hd.stream_id,
                                                 connectionOf(user).begin(frame->hd.stream_id));
        }
        return 0;
    }

    static int onHeader(nghttp2_session* session, const nghttp2_frame* frame, const std::uint8_t* name,
                        std::size_t nameSize, const std::uint8_t* value, std::size_t valueSize, std::uint8_t,
                        void* user) {
        H2Exchange* exchange = exchangeOf(session, frame->hd.stream_id);
        if (exchange != nullptr && !exchange->dispatched_) { // trailers are not looked at
            exchange->takeField(view(name, nameSize), view(value, valueSize),
                                connectionOf(user).context_.limits().maxHead);
        }
        return 0;
    }

    static int onFrame(nghttp2_session* session, const nghttp2_frame* frame, void* user) {
        H2Connection& self = connectionOf(user);
        const bool endsStream = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
        switch (frame->hd.type) {
        case NGHTTP2_HEADERS:
        case NGHTTP2_DATA:
            if (H2Exchange* exchange = exchangeOf(session, frame->hd.stream_id)) {
                const Ref<H2Exchange> kept(exchange);
                if (!exchange->dispatched_) {
                    self.dispatch(*exchange, endsStream);
                } else if (endsStream) {
                    self.endBody(*exchange);
                } else if (frame->hd.type == NGHTTP2_DATA && frame->hd.length == 0) {
                    self.flood(FloodGuard::Event::emptyData);
                }
            }
            break;
        case NGHTTP2_RST_STREAM:
            self.flood(FloodGuard::Event::reset);
            break;
        case NGHTTP2_SETTINGS:
            self.flood(FloodGuard::Event::settings);
            break;
        case NGHTTP2_PING:
            self.flood(FloodGuard::Event::ping);
            break;
        case NGHTTP2_PRIORITY:
        case NGHTTP2_PRIORITY_UPDATE:
            self.flood(FloodGuard::Event::priority);
            break;
        case NGHTTP2_WINDOW_UPDATE:
            self.flood(FloodGuard::Event::windowUpdate);
            break;
        default:
            break;
        }
        return 0;
    }

    static int onInvalidFrame(nghttp2_session*, const nghttp2_frame*, int, void* user) {
        connectionOf(user).flood(FloodGuard::Event::refused);
        return 0;
    }

    static int onDataChunk(nghttp2_session* session, std::uint8_t, std::int32_t stream,
                           const std::uint8_t* data, std::size_t size, void* user) {
        if (H2Exchange* exchange = exchangeOf(session, stream)) {
            const Ref<H2Exchange> kept(exchange);
            connectionOf(user).takeBody(*exchange, view(data, size));
            if (exchange->isBodyPaused_) { // only this stream's window stays smaller
                exchange->unconsumed_ += size;
                nghttp2_session_consume_connection(session, size);
                return 0;
            }
        }
        nghttp2_session_consume(session, stream, size);
        return 0;
    }

    static int onStreamClose(nghttp2_session* session, std::int32_t stream, std::uint32_t, void* user) {
        if (H2Exchange* exchange = exchangeOf(session, stream)) {
            connectionOf(user).end(*exchange);
        }
        return 0;
    }

    static int onFrameSent(nghttp2_session* session, const nghttp2_frame* frame, void*) {
        if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) {
            H2Exchange* exchange = exchangeOf(session, frame->hd.stream_id);
            if (exchange != nullptr &&
                !exchange->isBodyDone_) { // the rest is not wanted (RFC 9113, section 8.1)
                nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, frame->hd.stream_id, NGHTTP2_NO_ERROR);
            }
        }
        return 0;
    }

    static ssize_t onSend(nghttp2_session*, const std::uint8_t* data, std::size_t size, int, void* user) {
        H2Connection& self = connectionOf(user);
        if (self.isFull()) {
            return NGHTTP2_ERR_WOULDBLOCK;
        }
        self.output_.append(reinterpret_cast<const char*>(data), size);
        return static_cast<ssize_t>(size);
    }

    static int onSendData(nghttp2_session*, nghttp2_frame*, const std::uint8_t* frameHead, std::size_t size,
                          nghttp2_data_source* source, void* user) {
        H2Connection& self = connectionOf(user);
        if (self.isFull()) {
            return NGHTTP2_ERR_WOULDBLOCK;
        }
        self.put(*static_cast<H2Exchange*>(source->ptr), frameHead, size);
        return 0;
    }

    static ssize_t onRead(nghttp2_session*, std::int32_t, std::uint8_t*, std::size_t size,
                          std::uint32_t* flags, nghttp2_data_source* source, void* user) {
        return connectionOf(user).pull(*static_cast<H2Exchange*>(source->ptr), size, *flags);
    }

    /// Made once: they hold no state.
    static const nghttp2_session_callbacks* all() {
        static nghttp2_session_callbacks* const kAll = [] {
            nghttp2_session_callbacks* made = nullptr;
            if (nghttp2_session_callbacks_new(&made) == 0) {
                nghttp2_session_callbacks_set_on_begin_headers_callback(made, onBeginHeaders);
                nghttp2_session_callbacks_set_on_header_callback(made, onHeader);
                nghttp2_session_callbacks_set_on_frame_recv_callback(made, onFrame);
                nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(made, onInvalidFrame);
                nghttp2_session_callbacks_set_on_data_chunk_recv_callback(made, onDataChunk);
                nghttp2_session_callbacks_set_on_stream_close_callback(made, onStreamClose);
                nghttp2_session_callbacks_set_on_frame_send_callback(made, onFrameSent);
                nghttp2_session_callbacks_set_send_callback(made, onSend);
                nghttp2_session_callbacks_set_send_data_callback(made, onSendData);
            }
            return made;
        }();
        return kAll;
    }

    static const nghttp2_option* options() {
        static nghttp2_option* const kOptions = [] {
            nghttp2_option* made = nullptr;
            if (nghttp2_option_new(&made) == 0) {
                nghttp2_option_set_no_closed_streams(made, 1);
                nghttp2_option_set_builtin_recv_extension_type(made, NGHTTP2_PRIORITY_UPDATE);
                nghttp2_option_set_max_outbound_ack(made, 256);
                nghttp2_option_set_no_auto_window_update(made, 1); // readers of bodies may pause
            }
            return made;
        }();
        return kOptions;
    }
};

void H2Connection::start(net::Transport& transport, LoopContext& context) {
    auto connection = makeRef<H2Connection>(transport, context);
    connection->self_ = connection;
    context.add(*connection);
    transport.start(*connection);
    if (!connection->open()) {
        connection->abort();
    }
}

void H2Connection::takeOver(net::Transport& transport, LoopContext& context, ConnectionNode& before,
                            std::string_view received) {
    auto connection = makeRef<H2Connection>(transport, context);
    connection->self_ = connection;
    context.replace(before, *connection);
    transport.handOver(*connection);
    if (connection->open()) {
        connection->onData(received);
    } else {
        connection->abort();
    }
}

H2Connection::H2Connection(net::Transport& transport, LoopContext& context)
    : transport_(transport), context_(context), guard_(context.loop().now()),
      activeAt_(context.loop().now()) {}

H2Connection::~H2Connection() = default;

bool H2Connection::open() {
    nghttp2_session* session = nullptr;
    if (nghttp2_session_server_new2(&session, Callbacks::all(), this, Callbacks::options()) != 0) {
        return false;
    }
    session_.reset(session);
    const std::array<nghttp2_settings_entry, 4> settings{{
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, kMostStreams},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kStreamWindow},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, context_.limits().maxHead},
        {NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1}, // those of RFC 9218 instead
    }};
    if (nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings.data(), settings.size()) != 0 ||
        nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0, kConnectionWindow) != 0) {
        return false;
    }
    armBy(activeAt_ +
          (context_.settings().headTimeout != 0 ? context_.settings().headTimeout : kWatchInterval));
    flush();
    return true;
}

// ---- input ----

void H2Connection::onData(std::span<const char> bytes) {
    context_.counters().onBytesReceived(bytes.size());
    if (isClosed_) {
        return;
    }
    activeAt_ = context_.loop().now();
    sentInTurn_ = 0;
    isProcessing_ = true;
    const ssize_t used = nghttp2_session_mem_recv(
        session_.get(), reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    isProcessing_ = false;
    if (used < 0) { // not HTTP/2, or too much of it
        context_.counters().onRequestRejected();
        nghttp2_session_terminate_session(session_.get(), NGHTTP2_PROTOCOL_ERROR);
        flush();
        close();
        return;
    }
    flush();
}

H2Exchange* H2Connection::begin(std::int32_t stream) {
    Ref<H2Exchange> exchange;
    if (!spares_.empty()) {
        exchange = std::move(spares_.back());
        spares_.pop_back();
    } else {
        exchange = makeRef<H2Exchange>();
    }
    exchange->begin(*this, stream);
    exchange->beganAt_ = context_.loop().now();
    active_.push_back(exchange);
    return exchange.get();
}

void H2Connection::dispatch(H2Exchange& exchange, bool endsStream) {
    exchange.dispatched_ = true;
    exchange.isBodyDone_ = endsStream;
    exchange.settings_ = context_.settingsRef();
    const ConnectionSettings& settings = *exchange.settings_;
    exchange.startMicros_ = settings.measureTime || context_.counters().isDetailed() ? steadyMicros() : 0;
    Rejection rejection = Rejection::none;
    if (exchange.tooLarge_) {
        rejection = Rejection::headTooLarge;
    } else if (!exchange.completeText()) {
        rejection = Rejection::badRequestLine;
    } else {
        RequestParser parser(context_.limits());
        const RequestParser::State state = parser.parse(exchange.text_, exchange.head_);
        if (state != RequestParser::State::complete || exchange.head_.size() != exchange.text_.size()) {
            rejection = state == RequestParser::State::rejected ? parser.rejection() : Rejection::badField;
        }
    }
    RequestHead& head = exchange.head_;
    if (rejection != Rejection::none) {
        context_.counters().onRequestRejected();
        flood(FloodGuard::Event::refused);
        if (exchange.tooLarge_ || exchange.text_.empty() || head.base() != exchange.text_.data()) {
            exchange.text_ = "GET / HTTP/1.1\r\n\r\n"; // for the log: the request cannot be told
            head.clear(exchange.text_.data());
        }
        head.majorVersion = 2;
        const RejectionInfo& info = rejectionInfo(rejection);
        refuse(exchange, info.status, info.text);
        return;
    }
    head.majorVersion = 2;
    head.keepAlive = true;
    if (endsStream) {
        head.framing = BodyFraming::none;
        head.expectsContinue = false;
    } else if (head.framing == BodyFraming::none) {
        head.framing = BodyFraming::chunked; // its end will be seen
    }
    if (settings.maxBody != 0 && head.contentLength > settings.maxBody) {
        refuse(exchange, 413, "The request's body is larger than this server accepts.");
        return;
    }
    if (!endsStream) {
        exchange.bodyWatch_ = RateWatch::start(activeAt_, 0);
    }
    settings.handler->handle(exchange);
    if (!exchange.answered_ && exchange.connection_ != nullptr &&
        exchange.references() <= 2) {                                        // ours, and the caller's
        refuse(exchange, 500, "The request was neither answered nor kept."); // a defect of a handler
    }
}

void H2Connection::refuse(H2Exchange& exchange, int status, std::string_view sentence) {
    Handler::Page page = exchange.settings_->handler->errorPage(status, sentence);
    ResponseHead head = refusalHead(status, page);
    BufferChain body;
    body.append(std::move(page.body));
    answer(exchange, head, body);
}

void H2Connection::takeBody(H2Exchange& exchange, std::string_view bytes) {
    exchange.received_ += bytes.size();
    const std::uint64_t most = exchange.settings_ ? exchange.settings_->maxBody : 0;
    if (most != 0 && exchange.received_ > most) {
        if (BodyReader* reader = std::exchange(exchange.reader_, nullptr)) {
            reader->onBodyFailed();
        }
        if (!exchange.answered_) {
            refuse(exchange, 413, "The request's body is larger than this server accepts.");
        }
        return;
    }
    if (exchange.isBodyPaused_) {
        exchange.heldBody_ += bytes;
    } else if (exchange.reader_ != nullptr) {
        exchange.reader_->onBody(bytes);
    }
}

void H2Connection::resumeBody(H2Exchange& exchange) {
    const Ref<H2Exchange> kept(&exchange);
    const std::string held = std::exchange(exchange.heldBody_, {});
    if (exchange.reader_ != nullptr && !held.empty()) {
        exchange.reader_->onBody(held);
    }
    if (exchange.isBodyPaused_ || exchange.connection_ != this) {
        return;
    }
    if (exchange.isBodyDone_) {
        endBody(exchange);
        return;
    }
    exchange.bodyWatch_ = RateWatch::start(context_.loop().now(), exchange.received_);
    nghttp2_session_consume_stream(session_.get(), exchange.stream_,
                                   static_cast<std::size_t>(std::exchange(exchange.unconsumed_, 0)));
    flush();
}

void H2Connection::endBody(H2Exchange& exchange) {
    exchange.isBodyDone_ = true;
    if (exchange.isBodyPaused_) {
        return; // resumeBody() tells it
    }
    if (BodyReader* reader = std::exchange(exchange.reader_, nullptr)) {
        reader->onBodyEnd();
    }
}

/// The stream has closed, one way or the other.
void H2Connection::end(H2Exchange& exchange) {
    const Ref<H2Exchange> kept(&exchange);
    nghttp2_session_set_stream_user_data(session_.get(), exchange.stream_, nullptr);
    const auto place = std::find_if(active_.begin(), active_.end(),
                                    [&](const Ref<H2Exchange>& one) { return one.get() == &exchange; });
    if (place != active_.end()) {
        std::swap(*place, active_.back());
        active_.pop_back();
    }
    if (exchange.answered_) {
        accountFor({exchange.head_, exchange.account, transport_, exchange.status_,
                    exchange.head_.size() + exchange.received_, exchange.bytes_, exchange.bodyBytes_,
                    exchange.startMicros_},
                   context_);
        if (exchange.atEnd_) {
            guard_.onAnswered();
        }
    }
    exchange.detach();
    if (!kept->isShared() && spares_.size() < kMostSpares) {
        spares_.push_back(kept);
    }
    if (active_.empty() && isDraining_) {
        nghttp2_session_terminate_session(session_.get(), NGHTTP2_NO_ERROR);
    }
}

void H2Connection::flood(FloodGuard::Event event) {
    if (!guard_.allows(event, context_.loop().now()) && !isClosed_) {
        context_.counters().onHttp2Flood();
        nghttp2_session_terminate_session(session_.get(), NGHTTP2_ENHANCE_YOUR_CALM);
    }
}

// ---- answers ----

void H2Connection::answer(H2Exchange& exchange, PreparedResponse& response) {
    auto* form = static_cast<ResponseForm*>(response.otherForm.get());
    if (form == nullptr) {
        auto made = makeRef<ResponseForm>(response.head(), response.body().keeper);
        form = made.get();
        response.otherForm = std::move(made);
    }
    const PreparedResponse::Body& body = response.body();
    const bool hasBody = exchange.head_.method != Method::head && response.bodySize() > 0;
    if (hasBody && body.file) {
        exchange.body_.appendFile(body.file, body.offset, body.size);
    } else if (hasBody) {
        exchange.body_.append(body.bytes, Ref<RefCounted>(form));
    }
    exchange.form_ = Ref<RefCounted>(form);
    exchange.bytes_ = form->size();
    submit(exchange, response.status(), form->fields(context_.date()), hasBody);
}

void H2Connection::answer(H2Exchange& exchange, ResponseHead& head, BufferChain& body) {
    if (isBodiless(head.status)) {
        head.remove("Content-Length");
        body.clear();
    } else if (!head.has("Content-Length") || !body.empty()) {
        head.set("Content-Length", fmt::format_int(body.size()).str());
    }
    auto form = makeRef<ResponseForm>(head);
    const bool hasBody = exchange.head_.method != Method::head && !body.empty();
    if (hasBody) {
        exchange.body_.append(std::move(body));
    }
    const auto& fields = form->fields(context_.date());
    exchange.bytes_ = form->size();
    exchange.form_ = form;
    submit(exchange, head.status, fields, hasBody);
}

void H2Connection::answer(H2Exchange& exchange, ResponseHead& head, std::unique_ptr<BodySource> source) {
    std::optional<std::uint64_t> length;
    if (std::string_view text = head.get("Content-Length"); !text.empty()) {
        length = parseDecimal(text);
    }
    const bool hasBody = exchange.head_.method != Method::head && !isBodiless(head.status);
    if (isBodiless(head.status)) {
        head.remove("Content-Length");
    }
    auto form = makeRef<ResponseForm>(head);
    if (hasBody) {
        exchange.source_.start(std::move(source), length, [this, &exchange] {
            if (exchange.connection_ == this) {
                resume(exchange);
            }
        });
    }
    const auto& fields = form->fields(context_.date());
    exchange.bytes_ = form->size();
    exchange.form_ = form;
    submit(exchange, head.status, fields, hasBody);
}

void H2Connection::answerInterim(H2Exchange& exchange, const ResponseHead& head) {
    const ResponseForm form(head);
    std::vector<nghttp2_nv> fields = form.interimFields();
    for (nghttp2_nv& field : fields) {
        field.flags = NGHTTP2_NV_FLAG_NONE; // copied: the form ends here
    }
    nghttp2_submit_headers(session_.get(), NGHTTP2_FLAG_NONE, exchange.stream_, nullptr, fields.data(),
                           fields.size(), nullptr);
    if (!isProcessing_) {
        flush();
    }
}

void H2Connection::submit(H2Exchange& exchange, int status, const std::vector<nghttp2_nv>& fields,
                          bool hasBody) {
    exchange.answered_ = true;
    exchange.status_ = status;
    exchange.atEnd_ = !hasBody;
    exchange.outputWatch_ = RateWatch::start(context_.loop().now(), exchange.bytes_);
    nghttp2_data_provider provider{};
    provider.source.ptr = &exchange;
    provider.read_callback = Callbacks::onRead;
    const std::vector<nghttp2_nv>* all = &fields;
    std::vector<nghttp2_nv> more;
    if (exchange.strictTransport) { // which the exchange keeps as long as the stream lives
        more = fields;
        more.push_back(strictTransportField(exchange.strictTransport->text));
        all = &more;
    }
    if (nghttp2_submit_response(session_.get(), exchange.stream_, all->data(), all->size(),
                                hasBody ? &provider : nullptr) != 0) {
        nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, exchange.stream_,
                                  NGHTTP2_INTERNAL_ERROR);
    }
    if (!isProcessing_) {
        sentInTurn_ = 0;
        flush();
    }
}

void H2Connection::resume(H2Exchange& exchange) {
    if (std::exchange(exchange.deferred_, false)) {
        nghttp2_session_resume_data(session_.get(), exchange.stream_);
        exchange.outputWatch_ = RateWatch::start(context_.loop().now(), exchange.bytes_);
        if (!isProcessing_) {
            sentInTurn_ = 0;
            flush();
        }
    }
}

// ---- output ----

bool H2Connection::isFull() const {
    return isWriting_ || output_.size() >= kPortion;
}

/// How much of the answer's body goes into the next DATA frame; put() takes it.
ssize_t H2Connection::pull(H2Exchange& exchange, std::size_t most, std::uint32_t& flags) {
    while (exchange.body_.empty() && exchange.source_) {
        switch (exchange.source_.pull(exchange.body_, kPortion)) {
        case BodySource::Pull::more:
            continue;
        case BodySource::Pull::end:
            exchange.source_.reset();
            continue;
        case BodySource::Pull::wait:
            break;
        case BodySource::Pull::failed: // the client must notice that it is incomplete
            return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
        }
        if (exchange.body_.empty()) {
            exchange.deferred_ = true;
            return NGHTTP2_ERR_DEFERRED;
        }
    }
    std::uint64_t size = 0;
    if (!exchange.body_.empty() && exchange.body_.piece(0).isFile()) {
        const Piece& piece = exchange.body_.piece(0);
        fileBytes_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(piece.size, most)));
        const bool ask = context_.workers() != nullptr && !exchange.warm_;
        const os::ReadAt read =
            os::readAt(piece.file->native(), piece.offset, {fileBytes_.data(), fileBytes_.size()}, ask);
        if (read.kind == os::ReadAt::Kind::cold) {
            loadColdFile(exchange);
            return NGHTTP2_ERR_DEFERRED;
        }
        if (read.kind == os::ReadAt::Kind::failed || read.size == 0) {
            return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE; // shorter than it was
        }
        exchange.warm_ = false;
        size = read.size;
    } else {
        for (std::size_t i = 0;
             i < exchange.body_.pieceCount() && size < most && !exchange.body_.piece(i).isFile(); ++i) {
            size += exchange.body_.piece(i).size;
        }
        size = std::min<std::uint64_t>(size, most);
    }
    flags |= NGHTTP2_DATA_FLAG_NO_COPY;
    if (size == exchange.body_.size() && !exchange.source_) {
        flags |= NGHTTP2_DATA_FLAG_EOF;
        exchange.atEnd_ = true;
    }
    return static_cast<ssize_t>(size);
}

void H2Connection::put(H2Exchange& exchange, const std::uint8_t* frameHead, std::size_t size) {
    constexpr std::size_t kFrameHead = 9; // RFC 9113, section 4.1
    if (output_.capacity() < output_.size() + size + kFrameHead) {
        output_.reserve(std::max(lastOutput_, output_.size() + size + 1024));
    }
    output_.append(reinterpret_cast<const char*>(frameHead), kFrameHead);
    exchange.bytes_ += size;
    exchange.bodyBytes_ += size;
    if (size > 0 && exchange.body_.piece(0).isFile()) {
        output_.append(fileBytes_, 0, size);
        exchange.body_.consume(size);
        return;
    }
    while (size > 0) {
        const Piece& piece = exchange.body_.piece(0);
        const std::size_t part = static_cast<std::size_t>(std::min<std::uint64_t>(piece.size, size));
        output_.append(piece.data, part);
        exchange.body_.consume(part);
        size -= part;
    }
}

void H2Connection::loadColdFile(H2Exchange& exchange) {
    const Piece& piece = exchange.body_.piece(0);
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(piece.size, kColdWindow));
    exchange.deferred_ = true;
    exchange.warm_ = true;
    // The reference stays on this loop: it is given away here and taken back there.
    H2Exchange* kept = Ref<H2Exchange>(&exchange).leak();
    const bool taken = context_.workers()->submit(
        context_.loop(),
        [file = piece.file->native(), offset = piece.offset, size] { os::readThrough(file, offset, size); },
        [kept, stream = exchange.stream_] {
            const Ref<H2Exchange> exchange(kept);
            kept->dropRef();
            if (exchange->connection_ != nullptr && exchange->stream_ == stream) {
                exchange->connection_->resume(*exchange);
            }
        });
    if (!taken) { // too much to do for the workers: the loop reads by itself, in the next turn
        kept->dropRef();
        waiting_.push_back(exchange.stream_);
        goOnLater();
    }
}

/// Sends what the client and the transport allow.
void H2Connection::flush() {
    if (isClosed_ || isProcessing_) {
        return;
    }
    while (!isWriting_) {
        isProcessing_ = true;
        const int result = nghttp2_session_send(session_.get());
        isProcessing_ = false;
        if (result != 0) {
            abort();
            return;
        }
        if (output_.empty()) {
            break;
        }
        sentInTurn_ += output_.size();
        lastOutput_ = std::min(output_.size() + output_.size() / 8, kPortion + kPortion / 2);
        BufferChain& chain = context_.scratch();
        chain.append(std::exchange(output_, {}));
        switch (transport_.write(chain)) {
        case loop::Submitted::done:
            break;
        case loop::Submitted::pending:
            isWriting_ = true;
            outputWatch_ = RateWatch::start(context_.loop().now(), transport_.bytesDelivered());
            break;
        case loop::Submitted::failed:
            chain.clear();
            abort();
            return;
        }
        if (sentInTurn_ >= kPerTurn && nghttp2_session_want_write(session_.get()) != 0) {
            goOnLater();
            break;
        }
    }
    if (isWriting_) {
        armBy(context_.loop().now() + kWatchInterval);
        return;
    }
    if (nghttp2_session_want_read(session_.get()) == 0 && nghttp2_session_want_write(session_.get()) == 0) {
        close();
    } else if (!active_.empty()) {
        armBy(context_.loop().now() + kWatchInterval);
    }
}

void H2Connection::goOnLater() {
    goesOn_ = true;
    armBy(0);
}

void H2Connection::onDrained() {
    isWriting_ = false;
    sentInTurn_ = 0;
    flush();
}

void H2Connection::close() {
    if (!isClosed_) {
        isClosed_ = true;
        transport_.lingerAndClose();
    }
}

void H2Connection::abort() {
    if (!isClosed_) {
        isClosed_ = true;
        transport_.close(true);
    }
}

void H2Connection::drain() {
    if (isClosed_ || isDraining_) {
        return;
    }
    isDraining_ = true;
    if (active_.empty()) {
        nghttp2_session_terminate_session(session_.get(), NGHTTP2_NO_ERROR);
    } else {
        nghttp2_submit_shutdown_notice(session_.get());
        armBy(context_.loop().now() + kNoticeMs);
    }
    flush();
}

// ---- ends ----

void H2Connection::onPeerClosed() {
    if (isClosed_) {
        return;
    }
    isDraining_ = goneAway_ = true;
    if (active_.empty() && !isWriting_) {
        isClosed_ = true;
        transport_.close();
    }
}

void H2Connection::onBroken(int) {
    abort();
}

void H2Connection::onClosed() {
    isClosed_ = true;
    Timer::cancel();
    context_.remove(*this);
    isProcessing_ = true; // nothing is sent any more
    while (!active_.empty()) {
        end(*active_.back());
    }
    Ref<H2Connection> last = std::move(self_); // may destroy this
}

// ---- time ----

void H2Connection::armBy(std::uint64_t deadline) {
    if (!isSet() || deadline < Timer::deadline()) {
        context_.loop().timers().set(*this, deadline);
    }
}

void H2Connection::onTimer() {
    if (isClosed_) {
        return;
    }
    const std::uint64_t now = context_.loop().now();
    if (std::exchange(goesOn_, false)) {
        sentInTurn_ = 0;
        for (const std::int32_t stream : std::exchange(waiting_, {})) {
            if (H2Exchange* exchange = Callbacks::exchangeOf(session_.get(), stream)) {
                resume(*exchange);
            }
        }
        flush();
        if (isClosed_) {
            return;
        }
    }
    if (isDraining_ && !std::exchange(goneAway_, true)) {
        nghttp2_submit_goaway(session_.get(), NGHTTP2_FLAG_NONE,
                              nghttp2_session_get_last_proc_stream_id(session_.get()), NGHTTP2_NO_ERROR,
                              nullptr, 0);
        flush();
        if (isClosed_) {
            return;
        }
    }
    const ConnectionSettings& settings = context_.settings();
    if (isWriting_ && outputWatch_.isTooSlow(now, transport_.bytesDelivered(), settings)) {
        context_.counters().onSlowClient();
        if (settings.slowClientBlock != 0) {
            context_.slowClients().block(transport_.peer(), now, settings.slowClientBlock);
        }
        abort();
        return;
    }
    if (!active_.empty()) {
        isProcessing_ = true;
        for (const Ref<H2Exchange>& exchange : std::vector<Ref<H2Exchange>>(active_)) {
            watch(*exchange, now);
        }
        isProcessing_ = false;
        flush();
    } else if (settings.keepAliveTimeout != 0 && now >= activeAt_ + settings.keepAliveTimeout) {
        nghttp2_session_terminate_session(session_.get(), NGHTTP2_NO_ERROR);
        flush();
    } else {
        spares_.clear();
    }
    if (!isClosed_ && !isSet()) {
        if (!active_.empty() || isWriting_) {
            armBy(now + kWatchInterval);
        } else if (settings.keepAliveTimeout != 0) {
            armBy(activeAt_ + settings.keepAliveTimeout);
        }
    }
}

/// Whether a stream is still worth waiting for.
void H2Connection::watch(H2Exchange& exchange, std::uint64_t now) {
    if (exchange.connection_ != this) {
        return;
    }
    if (!exchange.dispatched_) {
        const std::uint64_t most = context_.settings().headTimeout;
        if (most != 0 && now >= exchange.beganAt_ + most) {
            context_.counters().onTimeout();
            nghttp2_session_terminate_session(session_.get(), NGHTTP2_ENHANCE_YOUR_CALM);
        }
        return;
    }
    const ConnectionSettings& settings = *exchange.settings_;
    if (!exchange.isBodyDone_ && !exchange.answered_ && !exchange.isBodyPaused_ &&
        exchange.bodyWatch_.isTooSlow(now, exchange.received_, settings)) {
        context_.counters().onSlowClient();
        const RejectionInfo& info = rejectionInfo(Rejection::timeout);
        refuse(exchange, info.status, info.text);
        return;
    }
    if (!exchange.answered_ && settings.requestTimeout != 0 &&
        now >= exchange.beganAt_ + settings.requestTimeout) {
        context_.counters().onTimeout();
        refuse(exchange, 504, "The request took longer than this server allows.");
        return;
    }
    // A window that the client never opens again: its own doing, unlike a source that has nothing yet.
    if (exchange.answered_ && !exchange.atEnd_ && !exchange.deferred_ && !isWriting_ &&
        exchange.outputWatch_.isTooSlow(now, exchange.bytes_, settings)) {
        context_.counters().onSlowClient();
        nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, exchange.stream_, NGHTTP2_CANCEL);
    }
}

} // namespace saker::http
