#include "http/h1/h1_exchange.h"

#include "base/text.h"
#include "http/h1/h1_connection.h"
#include "http/status.h"

#include <utility>

namespace saker::http {

namespace {

// How much a body source is asked for at a time.
constexpr std::size_t kPullSize = 64 * 1024;

} // namespace

const loop::SocketAddress& H1Exchange::peer() const {
    return connection_->transport_.peer();
}
const loop::SocketAddress& H1Exchange::local() const {
    return connection_->transport_.local();
}
bool H1Exchange::isEncrypted() const {
    return connection_->transport_.isEncrypted();
}
std::uint64_t H1Exchange::clientPolicy() const {
    return connection_->transport_.clientPolicy();
}
loop::EventLoop& H1Exchange::loop() const {
    return connection_->context_.loop();
}

void H1Exchange::begin(H1Connection& connection, Ref<ConnectionSettings> settings, const Tally& tally) {
    connection_ = &connection;
    settings_ = std::move(settings);
    tally_ = tally;
    strictTransport = {};
    forgetAccount();
    answered_ = false;
    reader_ = nullptr;
    isChunked_ = false;
    continueSent_ = false;
    isBodyPaused_ = false;
    watcher_ = nullptr;
    isSending_ = false;
    isTunnel_ = isTunnelInputDone_ = false;
    tunnelReceived_ = 0;
}

void H1Exchange::ownHead() {
    if (head_.base() != headBytes_.data() || headBytes_.empty()) {
        headBytes_.assign(head_.base(), head_.size());
        head_.rebase(headBytes_.data());
    }
}

void H1Exchange::detach() {
    connection_ = nullptr;
    source_.reset();
    if (BodyReader* reader = std::exchange(reader_, nullptr)) {
        reader->onBodyFailed();
    }
    tellAbandoned();
}

Ref<Exchange> H1Exchange::retain() {
    return connection_->retain(*this);
}

void H1Exchange::readBody(BodyReader& reader) {
    if (!connection_) {
        reader.onBodyFailed();
        return;
    }
    if (isBodyDone()) {
        reader.onBodyEnd();
        return;
    }
    reader_ = &reader;
    if (isHeldBack()) {
        continueSent_ = true;
        connection_->context_.scratch().appendStatic("HTTP/1.1 100 Continue\r\n\r\n");
        connection_->flush();
    }
}

void H1Exchange::pauseBody() {
    isBodyPaused_ = true;
}

void H1Exchange::resumeBody() {
    if (std::exchange(isBodyPaused_, false) && connection_) {
        connection_->resumeBody(*this);
    }
}

void H1Exchange::discardBody() {
    reader_ = nullptr;
    if (isTunnel_) {
        isBodyPaused_ = false;
        isTunnelInputDone_ = true;
        if (connection_) {
            connection_->endTunnelInput(*this);
        }
        return;
    }
    resumeBody();
}

bool H1Exchange::isRestWanted() const {
    const bool isLong =
        head_.framing == BodyFraming::length && head_.contentLength - decoder_.received() > kMaxDiscard;
    return !isHeldBack() && !isLong;
}

bool H1Exchange::hasDiscardedEnough() const {
    return !reader_ && decoder_.received() > kMaxDiscard;
}

std::size_t H1Exchange::feed(std::string_view input) {
    if (isTunnel_) {
        tunnelReceived_ += input.size();
        reader_->onBody(input);
        return input.size();
    }
    const BodyDecoder::Step step = decoder_.next(input);
    if (step.state == BodyDecoder::State::data && reader_) {
        reader_->onBody(step.data);
    }
    if (step.state == BodyDecoder::State::rejected) {
        if (BodyReader* reader = std::exchange(reader_, nullptr)) {
            reader->onBodyFailed();
        }
    } else if (decoder_.isDone()) {
        if (BodyReader* reader = std::exchange(reader_, nullptr)) {
            reader->onBodyEnd();
        }
    }
    return step.consumed;
}

void H1Exchange::endTunnelInput() {
    isTunnelInputDone_ = true;
    if (BodyReader* reader = std::exchange(reader_, nullptr)) {
        reader->onBodyEnd();
    }
}

// ---- answers ----

void H1Exchange::respond(PreparedResponse& response) {
    if (!connection_ || answered_) {
        return;
    }
    LoopContext& context = connection_->context_;
    const bool withBody = head_.method != Method::head;
    tally_.bytes = response.appendHttp1(context.scratch(), context.date(),
                                        connection_->connectionField(*this), withBody, strictTransport);
    tally_.bodyBytes = withBody ? response.bodySize() : 0;
    connection_->answered(*this, response.status());
}

void H1Exchange::respond(ResponseHead head, BufferChain body) {
    if (!connection_ || answered_) {
        return;
    }
    addStrictTransport(head);
    // What a head says of a length that was not sent (an answer to HEAD) counts more than the empty chain.
    std::uint64_t length = body.size();
    if (head_.method == Method::head && body.empty()) {
        length = parseDecimal(head.get("Content-Length")).value_or(0);
    }
    tally_.bytes = appendHead(head, chooseFraming(head_.method, head_.minorVersion, head.status, length));
    if (head_.method != Method::head && !isBodiless(head.status)) {
        tally_.bodyBytes = body.size();
        tally_.bytes += body.size();
        connection_->context_.scratch().append(std::move(body));
    }
    connection_->answered(*this, head.status);
}

void H1Exchange::respond(ResponseHead head, std::unique_ptr<BodySource> source) {
    if (!connection_ || answered_) {
        return;
    }
    addStrictTransport(head);
    std::optional<std::uint64_t> length;
    if (std::string_view text = head.get("Content-Length"); !text.empty()) {
        length = parseDecimal(text);
    }
    const ResponseFraming framing = chooseFraming(head_.method, head_.minorVersion, head.status, length);
    if (framing.kind == ResponseFraming::Kind::untilClose) {
        connection_->keepAlive_ = false;
    }
    tally_.bytes = appendHead(head, framing);
    if (head_.method != Method::head && !isBodiless(head.status)) {
        isChunked_ = framing.kind == ResponseFraming::Kind::chunked;
        if (framing.kind != ResponseFraming::Kind::length) {
            length.reset();
        }
        source_.start(std::move(source), length, [this] {
            if (connection_) {
                connection_->resumeInput();
            }
        });
    }
    connection_->answered(*this, head.status);
}

void H1Exchange::respondInterim(const ResponseHead& head) {
    if (!connection_ || answered_ || head_.minorVersion == 0) {
        return;
    }
    HeadContext context;
    context.framing.kind = ResponseFraming::Kind::none;
    std::string bytes;
    renderHead(head, context, bytes);
    connection_->context_.scratch().append(std::move(bytes));
    connection_->flush();
}

void H1Exchange::upgrade(ResponseHead head, BodyReader& reader, std::unique_ptr<BodySource> source) {
    if (!connection_ || answered_) {
        return;
    }
    addStrictTransport(head);
    ResponseFraming framing;
    framing.kind = ResponseFraming::Kind::none;
    tally_.bytes = appendHead(head, framing);
    isTunnel_ = true;
    isBodyPaused_ = false;
    reader_ = &reader;
    source_.start(std::move(source), std::nullopt, [this] {
        if (connection_) {
            connection_->resumeInput();
        }
    });
    keepAccount();
    connection_->beganTunnel(*this, head.status);
}

void H1Exchange::addStrictTransport(ResponseHead& head) const {
    if (strictTransport) {
        head.set("Strict-Transport-Security", strictTransport->text);
    }
}

std::uint64_t H1Exchange::appendHead(const ResponseHead& head, const ResponseFraming& framing) {
    HeadContext context;
    context.framing = framing;
    context.keepAlive = connection_->connectionField(*this) != ConnectionField::close;
    context.minorVersion = head_.minorVersion;
    context.date = connection_->context_.date().text();
    std::string bytes;
    bytes.reserve(512);
    renderHead(head, context, bytes);
    const std::uint64_t size = bytes.size();
    connection_->context_.scratch().append(std::move(bytes));
    return size;
}

BodySource::Pull H1Exchange::pullBody(BufferChain& out) {
    BufferChain data;
    const BodySource::Pull pull = source_.pull(data, kPullSize);
    const std::uint64_t size = data.size();
    tally_.bytes += size;
    tally_.bodyBytes += size;
    if (isChunked_) {
        appendChunk(std::move(data), out);
        if (pull == BodySource::Pull::end) {
            out.appendStatic(kLastChunk);
        }
    } else {
        out.append(std::move(data));
    }
    return pull;
}

void H1Exchange::account() {
    tally_.received =
        head_.size() + tunnelReceived_ + (head_.framing == BodyFraming::none ? 0 : decoder_.received());
    accountFor(*this, tally_, connection_->transport_, connection_->context_);
    if (isTunnel_) {
        connection_->context_.counters().onTunnelClosed();
        forgetAccount(); // writes the line
    }
}

} // namespace saker::http
