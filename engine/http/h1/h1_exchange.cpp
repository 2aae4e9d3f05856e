#include "http/h1/h1_exchange.h"

#include "http/h1/h1_connection.h"

namespace saker::http {

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

void H1Exchange::begin(H1Connection& connection, Ref<ConnectionSettings> settings,
                       std::uint64_t startMicros) {
    connection_ = &connection;
    settings_ = std::move(settings);
    startMicros_ = startMicros;
    answered_ = false;
    reader_ = nullptr;
    bytes_ = 0;
    bodyBytes_ = 0;
    status_ = 0;
    chunked_ = false;
    continueSent_ = false;
    isBodyPaused_ = false;
    watcher_ = nullptr;
    isSending_ = false;
    strictTransport = {};
    account = {};
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
    reader_ = &reader;
    connection_->startBody(*this);
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
    resumeBody();
}

void H1Exchange::respond(PreparedResponse& response) {
    if (connection_ && !answered_) {
        connection_->answer(*this, response);
    }
}

void H1Exchange::respond(ResponseHead head, BufferChain body) {
    if (connection_ && !answered_) {
        connection_->answer(*this, head, body);
    }
}

void H1Exchange::respond(ResponseHead head, std::unique_ptr<BodySource> source) {
    if (connection_ && !answered_) {
        connection_->answer(*this, head, std::move(source));
    }
}

void H1Exchange::respondInterim(const ResponseHead& head) {
    if (connection_ && !answered_) {
        connection_->answerInterim(*this, head);
    }
}

} // namespace saker::http
