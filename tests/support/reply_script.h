// Feeds a protocol's reply in pieces and writes down what it makes of them, one line an event; neighbouring
// parts of a body are one. Every piece is a copy of its own, so that a view kept too long is found by the
// sanitizer.
#pragma once

#include "upstream/upstream_protocol.h"

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

namespace saker::test {

class ReplyScript {
public:
    explicit ReplyScript(upstream::UpstreamProtocol& protocol) : protocol_(protocol) {}

    /// False once the reply is over.
    bool feed(std::string_view bytes) {
        auto lent = std::make_unique<char[]>(bytes.size());
        bytes.copy(lent.get(), bytes.size());
        std::string_view rest(lent.get(), bytes.size());
        while (!isOver_) {
            const upstream::ReplyEvent event = protocol_.next(rest);
            if (event.consumed > rest.size() || (event.kind == Kind::more && event.consumed != rest.size()) ||
                (!event.data.empty() &&
                 (event.data.data() < rest.data() ||
                  event.data.data() + event.data.size() > rest.data() + rest.size()))) {
                std::abort(); // the contract of UpstreamProtocol::next
            }
            write(event);
            rest.remove_prefix(event.consumed);
            if (event.kind == Kind::more) {
                break;
            }
        }
        if (isOver_) {
            unused += rest;
        }
        return !isOver_;
    }
    void close() {
        if (!isOver_) {
            write(protocol_.finish());
        }
    }

    bool isOver() const { return isOver_; }
    std::string text() const { return text_ + run_; }
    std::string unused; ///< what came behind the end

private:
    using Kind = upstream::ReplyEvent::Kind;

    void write(const upstream::ReplyEvent& event) {
        switch (event.kind) {
        case Kind::more:
            break;
        case Kind::interim:
            writeHead("interim");
            break;
        case Kind::head:
            writeHead("head");
            break;
        case Kind::upgraded:
            writeHead("upgraded");
            isOver_ = true;
            break;
        case Kind::body:
            append("body ", event.data);
            break;
        case Kind::errorText:
            append("error text ", event.data);
            break;
        case Kind::end:
            isOver_ = true;
            line(protocol_.isReusable() ? "end, reusable" : "end");
            for (const auto& field : protocol_.trailers()) {
                line("trailer " + field.name + ": " + field.value);
            }
            break;
        case Kind::failed:
            isOver_ = true;
            line("failed " + std::to_string(protocol_.failure().status) + ": " + protocol_.failure().message);
            break;
        }
    }
    void writeHead(std::string_view what) {
        const upstream::ReplyHead reply = protocol_.takeHead();
        std::string text = std::string(what) + " " + std::to_string(reply.head.status);
        if (reply.bodyLength) {
            text += " length " + std::to_string(*reply.bodyLength);
        }
        if (!reply.hasBody && what == "head") {
            text += " without body";
        }
        if (!reply.localRedirect.empty()) {
            text += " redirect " + reply.localRedirect;
        }
        for (const auto& field : reply.head.fields) {
            text += "|" + field.name + ": " + field.value;
        }
        line(text);
    }
    void append(std::string_view kind, std::string_view data) {
        if (runKind_ != kind || run_.empty()) {
            flush();
            runKind_ = kind;
            run_ = kind;
        }
        run_ += data;
    }
    void line(std::string_view text) {
        flush();
        text_ += text;
        text_ += '\n';
    }
    void flush() {
        if (!run_.empty()) {
            text_ += run_ + "\n";
            run_.clear();
        }
    }

    upstream::UpstreamProtocol& protocol_;
    std::string text_, run_, runKind_;
    bool isOver_ = false;
};

/// A reply whole, cut at every byte into two, and byte by byte: all must give the same. Returns what.
/// `make` gives a protocol whose request has been sent.
template <class Make>
std::string replyOf(Make make, std::string_view bytes, bool closes, std::string* unused = nullptr) {
    auto run = [&](auto cuts) {
        auto protocol = make();
        ReplyScript script(*protocol);
        cuts(script);
        if (closes) {
            script.close();
        }
        if (unused != nullptr) {
            *unused = script.unused;
        }
        return script.text();
    };
    const std::string whole = run([&](ReplyScript& script) { script.feed(bytes); });
    auto same = [&](const std::string& text, std::string_view how) {
        return text == whole ? std::string()
                             : std::string(how) + " gives\n" + text + "but whole gives\n" + whole;
    };
    std::string differs = same(run([&](ReplyScript& script) {
                                   for (char c : bytes) {
                                       if (!script.feed({&c, 1})) {
                                           break;
                                       }
                                   }
                               }),
                               "byte by byte");
    for (std::size_t cut = 1; cut < bytes.size() && differs.empty(); ++cut) {
        differs = same(run([&](ReplyScript& script) {
                           if (script.feed(bytes.substr(0, cut))) {
                               script.feed(bytes.substr(cut));
                           }
                       }),
                       "cut at " + std::to_string(cut));
    }
    return differs.empty() ? run([&](ReplyScript& script) { script.feed(bytes); }) : differs;
}

} // namespace saker::test
