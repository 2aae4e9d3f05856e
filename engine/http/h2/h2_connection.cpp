#include "http/h2/h2_connection.h"

#include "http/h2/h2_loop.h"
#include "http/h2/session_callbacks.h"

#include <array>
#include <utility>

namespace saker::http {

namespace {

constexpr std::uint32_t kMostStreams = 128;
/// What a client may send ahead, of one body and of all: enough for 100 ms at some 80 Mbit/s. Bodies are
/// handed on as they arrive, so a window costs no memory.
constexpr std::uint32_t kStreamWindow = 256 * 1024;
constexpr std::int32_t kConnectionWindow = 1024 * 1024;
/// Frames are handed to the transport in portions of about this size: what may wait in front of a client.
/// Smaller ones cost io_uring a turn each.
constexpr std::size_t kPortion = Outlet::kMaxUnsent;
/// What one connection sends in a turn while others wait.
constexpr std::size_t kPerTurn = std::size_t{512} * 1024;
/// Between the notice of a shutdown and its GOAWAY, for clients that do not answer the PING behind it.
constexpr std::uint64_t kNoticeMs = 1000;

} // namespace

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
    : transport_(transport), context_(context), shared_(H2Loop::of(context)), outlet_(transport, context),
      guard_(context.loop().now()), wait_(context.loop().now()) {}

H2Connection::~H2Connection() = default;

bool H2Connection::open() {
    session_.reset(SessionCallbacks::makeSession(*this));
    if (!session_) {
        return false;
    }
    std::array<nghttp2_settings_entry, 5> settings{{
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, kMostStreams},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kStreamWindow},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, context_.limits().maxHead},
        {NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1}, // those of RFC 9218 instead
        {NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL, 1},
    }};
    takesExtendedConnect_ = context_.settings().takesExtendedConnect;
    const std::size_t count = settings.size() - (takesExtendedConnect_ ? 0 : 1);
    if (nghttp2_submit_settings(session(), NGHTTP2_FLAG_NONE, settings.data(), count) != 0 ||
        nghttp2_session_set_local_window_size(session(), NGHTTP2_FLAG_NONE, 0, kConnectionWindow) != 0) {
        return false;
    }
    armBy(wait_.deadline(false, context_.waitLimits()));
    flush();
    if (context_.isDraining()) {
        drain();
    }
    return true;
}

// ---- input ----

void H2Connection::onData(std::span<const char> bytes) {
    context_.counters().onBytesReceived(bytes.size());
    if (isClosed_) {
        return;
    }
    sentInTurn_ = 0;
    isBusy_ = true;
    const ssize_t used = nghttp2_session_mem_recv(
        session(), reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    isBusy_ = false;
    if (used < 0) {
        onUnreadable(static_cast<int>(used));
        return;
    }
    flush();
}

/// Not HTTP/2, or too much of it: the client is told why, and that is all.
void H2Connection::onUnreadable(int error) {
    if (error == NGHTTP2_ERR_FLOODED) {
        onFlood(observe::Http2Flood::unreadReplies);
    } else if (error == NGHTTP2_ERR_TOO_MANY_CONTINUATIONS) {
        onFlood(observe::Http2Flood::continuations);
    } else if (!isCutOff_) {
        context_.counters().onRequestRejected();
        nghttp2_session_terminate_session(session(), NGHTTP2_PROTOCOL_ERROR);
    }
    flush();
    close();
}

H2Exchange& H2Connection::begin(std::int32_t stream) {
    const std::uint64_t now = context_.loop().now();
    wait_.setActive(now);
    wait_.beginHead();
    H2Exchange& exchange = streams_.add(shared_.takeExchange());
    exchange.begin(*this, stream);
    arriving_ = &exchange;
    return exchange;
}

void H2Connection::dispatch(H2Exchange& exchange, bool endsStream) {
    wait_.endHead();
    arriving_ = nullptr;
    if (!endsStream) {
        ++uploads_;
    }
    exchange.dispatch(endsStream);
}

void H2Connection::endBody(H2Exchange& exchange) {
    --uploads_;
    exchange.endBody();
}

/// The stream has closed, one way or the other.
void H2Connection::end(H2Exchange& exchange) {
    Ref<H2Exchange> ended = streams_.remove(exchange);
    if (arriving_ == &exchange) {
        wait_.endHead();
        arriving_ = nullptr;
    }
    if (exchange.isDispatched() && !exchange.isBodyDone()) {
        --uploads_;
    }
    wait_.setActive(context_.loop().now());
    if (exchange.end()) {
        guard_.onAnswered();
    }
    shared_.giveBack(std::move(ended));
}

void H2Connection::onFlood(observe::Http2Flood kind) {
    if (isCutOff_ || guard_.allows(kind, context_.loop().now())) {
        return;
    }
    isCutOff_ = true;
    context_.counters().onHttp2Flood(kind);
    shared_.floodLog.write(log::Level::warning, "http/2", "{}: the connection was ended for a flood ({}).",
                           transport_.peer().text(), observe::http2FloodName(kind));
    nghttp2_session_terminate_session(session(), NGHTTP2_ENHANCE_YOUR_CALM);
}

// ---- output ----

bool H2Connection::onDataSent(std::size_t size) {
    guard_.onDataSent(size);
    return shared_.output.size() < kPortion;
}

void H2Connection::flush() {
    if (isClosed_ || isBusy_) {
        return;
    }
    if (shared_.isSending) { // by another connection, whose answer led here
        goOnLater();
        return;
    }
    shared_.isSending = true;
    while (!outlet_.isWaiting() && fill()) {
        sentInTurn_ += shared_.output.size();
        BufferChain& chain = context_.scratch();
        shared_.output.moveTo(chain);
        const loop::Submitted submitted = outlet_.send(chain);
        shared_.output.recycle();
        if (submitted == loop::Submitted::failed) {
            abort();
            break;
        }
        if (sentInTurn_ >= kPerTurn && nghttp2_session_want_write(session()) != 0) {
            goOnLater();
            break;
        }
    }
    shared_.isSending = false;
    if (isClosed_) {
        return;
    }
    if (outlet_.isWaiting() && !isPaused_ && nghttp2_session_want_write(session()) != 0) {
        isPaused_ = true; // or a client could ask for ever more that it does not take
        transport_.pauseReading();
    } else if (isFinished()) {
        close();
        return;
    }
    if (outlet_.isWaiting() || !streams_.empty()) {
        armBy(context_.loop().now() + kWatchInterval);
    }
}

/// Gathers frames for one write. False: there are none, or the session has failed.
bool H2Connection::fill() {
    isBusy_ = true;
    ssize_t size = 0;
    do {
        const std::uint8_t* bytes = nullptr;
        size = nghttp2_session_mem_send(session(), &bytes);
        if (size > 0) {
            shared_.output.append({reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size)});
        }
    } while (size > 0 && shared_.output.size() < kPortion);
    isBusy_ = false;
    if (size < 0) {
        shared_.output.clear();
        abort();
        return false;
    }
    return !shared_.output.empty();
}

void H2Connection::onDrained() {
    outlet_.onDrained();
    sentInTurn_ = 0;
    flush();
    if (isPaused_ && !isClosed_ && !outlet_.isWaiting()) {
        isPaused_ = false;
        transport_.resumeReading();
    }
}

/// Goes on with what had to wait, once others had their turn.
void H2Connection::goOnLater() {
    goesOn_ = true;
    armBy(0);
}

void H2Connection::resumeInNextTurn(std::int32_t stream) {
    waiting_.push_back(stream);
    goOnLater();
}

void H2Connection::goOn() {
    sentInTurn_ = 0;
    for (const std::int32_t stream : std::exchange(waiting_, {})) {
        if (H2Exchange* exchange = SessionCallbacks::exchangeOf(session(), stream)) {
            exchange->resume();
        }
    }
    flush();
}

// ---- ends ----

/// Nothing can come any more that is worth waiting for.
bool H2Connection::isFinished() const {
    return !outlet_.isWaiting() && drain_ != Drain::noticed && nghttp2_session_want_read(session()) == 0 &&
           nghttp2_session_want_write(session()) == 0;
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

/// RFC 9113, section 6.8: first a notice, so that no request is lost that is under way; a PING tells when the
/// client has read it.
void H2Connection::drain() {
    if (isClosed_ || drain_ != Drain::no) {
        return;
    }
    drain_ = Drain::noticed;
    nghttp2_submit_shutdown_notice(session());
    nghttp2_submit_ping(session(), NGHTTP2_FLAG_NONE, nullptr);
    isBusy_ = true; // streams that end leave the list when what follows is sent
    streams_.forEach([](H2Exchange& exchange) { exchange.drain(); });
    isBusy_ = false;
    armBy(context_.loop().now() + kNoticeMs);
    flush();
}

void H2Connection::onPingReply() {
    if (drain_ == Drain::noticed) {
        sayGoodbye();
    }
}

void H2Connection::sayGoodbye() {
    drain_ = Drain::done;
    nghttp2_submit_goaway(session(), NGHTTP2_FLAG_NONE, nghttp2_session_get_last_proc_stream_id(session()),
                          NGHTTP2_NO_ERROR, nullptr, 0);
    flush();
}

void H2Connection::onPeerClosed() {
    if (isClosed_) {
        return;
    }
    if (streams_.empty() && !outlet_.isWaiting()) {
        isClosed_ = true;
        transport_.close();
    } else { // answers may still be wanted
        streams_.forEach([](H2Exchange& exchange) { exchange.onPeerClosed(); });
        sayGoodbye();
    }
}

void H2Connection::onBroken(int) {
    abort();
}

void H2Connection::onClosed() {
    isClosed_ = true;
    Timer::cancel();
    context_.remove(*this);
    isBusy_ = true; // nothing is sent any more
    while (!streams_.empty()) {
        end(*streams_.first());
    }
    Ref<H2Connection> last = std::move(self_); // may destroy this
}

// ---- time ----

/// Makes sure that the timer fires at the deadline or before; it finds out by itself what is due.
void H2Connection::armBy(std::uint64_t deadline) {
    if (deadline != RequestWait::kNever && (!isSet() || deadline < Timer::deadline())) {
        context_.loop().timers().set(*this, deadline);
    }
}

void H2Connection::onTimer() {
    const std::uint64_t now = context_.loop().now();
    if (!isClosed_ && std::exchange(goesOn_, false)) {
        goOn();
    }
    if (!isClosed_ && drain_ == Drain::noticed) {
        sayGoodbye();
    }
    if (!isClosed_ && outlet_.isWaiting()) {
        if (outlet_.isTooSlow(context_.settings())) {
            context_.onSlowClient(transport_.peer());
            abort();
        } else {
            armBy(now + kWatchInterval);
        }
    }
    if (!isClosed_ && !outlet_.isWaiting()) {
        watchStreams(now);
    }
    if (!isClosed_) {
        watchIdleness(now);
    }
}

void H2Connection::watchStreams(std::uint64_t now) {
    isBusy_ = true;
    streams_.forEach([now](H2Exchange& exchange) { exchange.watch(now); });
    isBusy_ = false;
    flush();
}

/// The wait for a request, or for the rest of a head.
void H2Connection::watchIdleness(std::uint64_t now) {
    const WaitLimits limits = context_.waitLimits();
    switch (wait_.due(now, !streams_.empty(), limits)) {
    case RequestWait::Due::head:
        context_.counters().onTimeout();
        nghttp2_session_terminate_session(session(), NGHTTP2_ENHANCE_YOUR_CALM);
        flush();
        close();
        break;
    case RequestWait::Due::idle:
        nghttp2_session_terminate_session(session(), NGHTTP2_NO_ERROR);
        flush();
        break;
    case RequestWait::Due::nothing:
        armBy(wait_.deadline(!streams_.empty(), limits));
        break;
    }
}

} // namespace saker::http
