#include "http/h2/h2_exchange.h"

#include "base/text.h"
#include "http/h2/h2_connection.h"

#include <utility>

namespace saker::http {

const loop::SocketAddress& H2Exchange::peer() const {
    return connection_->transport_.peer();
}
const loop::SocketAddress& H2Exchange::local() const {
    return connection_->transport_.local();
}
bool H2Exchange::isEncrypted() const {
    return connection_->transport_.isEncrypted();
}
std::uint64_t H2Exchange::clientPolicy() const {
    return connection_->transport_.clientPolicy();
}
loop::EventLoop& H2Exchange::loop() const {
    return connection_->context_.loop();
}

void H2Exchange::begin(H2Connection& connection, std::int32_t stream) {
    connection_ = &connection;
    stream_ = stream;
    status_ = 0;
    for (std::string* text : {&method_, &path_, &authority_, &cookies_, &fields_}) {
        text->clear();
    }
    strictTransport = {};
    account = {};
    strictTransport = {};
    answered_ = false;
    reader_ = nullptr;
    watcher_ = nullptr;
    heldBody_.clear();
    received_ = unconsumed_ = bytes_ = bodyBytes_ = startMicros_ = 0;
    tooLarge_ = badHead_ = isBodyDone_ = isBodyPaused_ = dispatched_ = deferred_ = warm_ = atEnd_ = false;
}

void H2Exchange::detach() {
    connection_ = nullptr;
    settings_ = {};
    source_.reset();
    body_.clear();
    form_ = {};
    if (BodyReader* reader = std::exchange(reader_, nullptr)) {
        reader->onBodyFailed();
    }
    tellAbandoned();
}

void H2Exchange::takeField(std::string_view name, std::string_view value, std::size_t mostBytes) {
    if (fields_.size() + cookies_.size() + name.size() + value.size() + 4 > mostBytes) {
        tooLarge_ = true; // the rest is read, for the sake of the compression, and dropped
        return;
    }
    if (name.starts_with(':')) {
        if (name == ":method") {
            method_ = value;
        } else if (name == ":path") {
            path_ = value;
        } else if (name == ":authority") {
            authority_ = value;
        }
        return;
    }
    if (name == "host") { // RFC 9113, section 8.3.1: it may only repeat the authority
        if (authority_.empty()) {
            authority_ = value;
        } else if (!equalsIgnoreCase(authority_, value)) {
            badHead_ = true;
        }
        return;
    }
    if (name == "cookie") { // RFC 9113, section 8.2.3
        if (!cookies_.empty()) {
            cookies_ += "; ";
        }
        cookies_ += value;
        return;
    }
    fields_.append(name).append(": ").append(value).append("\r\n");
}

bool H2Exchange::completeText() {
    if (badHead_ || method_.empty()) {
        return false;
    }
    text_.clear();
    text_.append(method_).append(" ").append(method_ == "CONNECT" ? authority_ : path_);
    text_.append(" HTTP/1.1\r\nhost: ").append(authority_).append("\r\n").append(fields_);
    if (!cookies_.empty()) {
        text_.append("cookie: ").append(cookies_).append("\r\n");
    }
    text_.append("\r\n");
    return true;
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
        connection_->answerInterim(*this, head);
    }
}

void H2Exchange::pauseBody() {
    isBodyPaused_ = true;
}

void H2Exchange::resumeBody() {
    if (std::exchange(isBodyPaused_, false) && connection_) {
        connection_->resumeBody(*this);
    }
}

void H2Exchange::discardBody() {
    reader_ = nullptr;
    resumeBody();
}

void H2Exchange::respond(PreparedResponse& response) {
    if (connection_ && !answered_) {
        connection_->answer(*this, response);
    }
}

void H2Exchange::respond(ResponseHead head, BufferChain body) {
    if (connection_ && !answered_) {
        connection_->answer(*this, head, body);
    }
}

void H2Exchange::respond(ResponseHead head, std::unique_ptr<BodySource> source) {
    if (connection_ && !answered_) {
        connection_->answer(*this, head, std::move(source));
    }
}

void H2Exchange::respondInterim(const ResponseHead& head) {
    if (connection_ && !answered_) {
        connection_->answerInterim(*this, head);
    }
}

} // namespace saker::http
