// A request without a connection: parsed from text, its answer kept to be looked at. As strict as a real one:
// what a handler still holds of a head's bytes after retain() is gone, and a second answer fails the test.
#pragma once

#include "http/exchange.h"
#include "http/h1/request_parser.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

namespace saker::test {

/// The bytes of a chain, those of files included.
inline std::string bytesOf(const BufferChain& chain) {
    std::string out;
    for (std::size_t i = 0; i < chain.pieceCount(); ++i) {
        const Piece& piece = chain.piece(i);
        if (!piece.isFile()) {
            out.append(piece.data, piece.size);
            continue;
        }
        std::string part(piece.size, '\0');
        auto n = ::pread(static_cast<int>(piece.file->native()), part.data(), part.size(),
                         static_cast<off_t>(piece.offset));
        part.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
        out += part;
    }
    return out;
}

class FakeExchange final : public http::Exchange {
public:
    using Fields = std::vector<std::pair<std::string, std::string>>;

    FakeExchange(loop::EventLoop& loop, std::string_view method, std::string_view target,
                 std::string_view host, const Fields& fields = {})
        : loop_(loop) {
        std::string text = std::string(method) + " " + std::string(target) +
                           " HTTP/1.1\r\nHost: " + std::string(host) + "\r\n";
        for (const auto& [name, value] : fields) {
            text += name + ": " + value + "\r\n";
        }
        text += "\r\n";
        own(text);
        static const http::RequestLimits limits{1 << 20, 1 << 21, 100};
        http::RequestParser parser(limits);
        EXPECT_EQ(parser.parse({bytes_.get(), text.size()}, head_), http::RequestParser::State::complete)
            << text;
    }

    // ---- the answer ----

    int status() const { return answer_.status; }
    const http::ResponseHead& head() const { return answer_; }
    std::string_view field(std::string_view name) const { return answer_.get(name); }
    bool has(std::string_view name) const { return answer_.has(name); }
    /// As a client gets it: nothing to HEAD and with a 304.
    const std::string& body() const { return body_; }
    bool isPrepared() const { return prepared_; }
    bool isRetained() const { return retained_; }
    /// Pieces of the body that come from a file.
    std::size_t filePieces() const { return filePieces_; }

    /// Called at the end of respond(): whatever kept the handler alive may go then.
    std::function<void()> onAnswered = [] {};
    void disconnect() { connected_ = false; }
    bool encrypted = false;
    std::uint64_t policy = 0;
    // The request's body is the test's: it calls the reader.
    bool hasBody = false;
    http::BodyReader* reader = nullptr;
    bool isBodyPaused = false;
    void setLocalPort(std::uint16_t port) { local_.port = port; }
    void setPeer(std::string_view address) { peer_ = *loop::SocketAddress::parse(address, 50000); }

    // ---- http::Exchange ----

    const loop::SocketAddress& peer() const override { return peer_; }
    const loop::SocketAddress& local() const override { return local_; }
    bool isEncrypted() const override { return encrypted; }
    std::uint64_t clientPolicy() const override { return policy; }
    loop::EventLoop& loop() const override { return loop_; }
    Ref<http::Exchange> retain() override {
        if (!std::exchange(retained_, true)) {
            own(std::string(head_.base(), head_.size()));
            head_.rebase(bytes_.get());
        }
        return Ref<http::Exchange>(this);
    }
    bool isConnected() const override { return connected_; }
    void readBody(http::BodyReader& reader) override {
        if (!hasBody) {
            reader.onBodyEnd();
        } else {
            this->reader = &reader;
        }
    }
    void pauseBody() override { isBodyPaused = true; }
    void resumeBody() override { isBodyPaused = false; }
    void discardBody() override {
        reader = nullptr;
        isBodyPaused = false;
    }
    void respond(http::PreparedResponse& response) override {
        prepared_ = true;
        BufferChain wire;
        http::DateCache date;
        date.refresh(784111777);
        response.appendHttp1(wire, date, http::ConnectionField::none, head_.method != http::Method::head);
        std::string text = bytesOf(wire);
        std::size_t end = text.find("\r\n\r\n");
        countFiles(wire);
        take(response.head(), text.substr(end + 4));
    }
    void respond(http::ResponseHead head, BufferChain body) override {
        std::string text = bytesOf(body);
        if (!head.has("Content-Length") && head.status != 304 && head.status != 204) {
            head.set("Content-Length", std::to_string(body.size()));
        }
        countFiles(body);
        bodyEnded = true;
        take(std::move(head), head_.method == http::Method::head ? std::string() : std::move(text));
    }
    /// The body comes with pullBody(), which `ready` calls too unless the client is slow.
    void respond(http::ResponseHead head, std::unique_ptr<http::BodySource> source) override {
        take(std::move(head), {});
        if (head_.method == http::Method::head) {
            bodyEnded = true;
            return;
        }
        source_ = std::move(source);
        source_->ready = [this] {
            if (!isSlow) {
                pullBody();
            }
        };
        if (!isSlow) {
            pullBody();
        }
    }
    void respondInterim(const http::ResponseHead& head) override { interims.push_back(head); }
    /// The test calls the reader.
    void upgrade(http::ResponseHead head, http::BodyReader& reader,
                 std::unique_ptr<http::BodySource> source) override {
        isTunnel = true;
        this->reader = &reader;
        respond(std::move(head), std::move(source));
    }
    void tellToDrain() { tellDraining(); }

    /// All of a made body that there is now.
    void pullBody() {
        using Pull = http::BodySource::Pull;
        for (Pull pull = Pull::more; source_ && pull == Pull::more;) {
            BufferChain chain;
            pull = source_->pull(chain, 1000);
            body_ += bytesOf(chain);
            if (pull == Pull::end || pull == Pull::failed) {
                bodyEnded = pull == Pull::end;
                bodyFailed = pull == Pull::failed;
                source_.reset();
            }
        }
    }
    /// The client goes away, as the protocols say it.
    void abandon() {
        connected_ = false;
        source_.reset();
        if (http::BodyReader* gone = std::exchange(reader, nullptr)) {
            gone->onBodyFailed();
        }
        tellAbandoned();
    }
    bool isSlow = false;
    bool isTunnel = false;
    bool bodyEnded = false;
    bool bodyFailed = false;
    std::vector<http::ResponseHead> interims;

private:
    void own(std::string_view text) {
        auto made = std::make_unique<char[]>(text.size());
        text.copy(made.get(), text.size());
        bytes_ = std::move(made);
    }
    void take(http::ResponseHead head, std::string body) {
        EXPECT_FALSE(answered_) << "answered twice";
        EXPECT_TRUE(connected_) << "answered although the client is gone";
        answered_ = true;
        answer_ = std::move(head);
        body_ = std::move(body);
        onAnswered();
    }
    void countFiles(const BufferChain& chain) {
        for (std::size_t i = 0; i < chain.pieceCount(); ++i) {
            filePieces_ += chain.piece(i).isFile() ? 1 : 0;
        }
    }

    loop::EventLoop& loop_;
    loop::SocketAddress peer_ = *loop::SocketAddress::parse("127.0.0.1", 50000);
    loop::SocketAddress local_ = *loop::SocketAddress::parse("127.0.0.1", 80);
    std::unique_ptr<char[]> bytes_;
    http::ResponseHead answer_;
    std::string body_;
    std::unique_ptr<http::BodySource> source_;
    std::size_t filePieces_ = 0;
    bool prepared_ = false;
    bool retained_ = false;
    bool connected_ = true;
};

} // namespace saker::test
