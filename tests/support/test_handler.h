// A handler for tests of the protocols.
#pragma once

#include "http/exchange.h"
#include "http/handler.h"

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace saker::test {

using namespace http;

/// Answers by path: /now at once, /later when the test says so, /big with a long body, /stream from a source,
/// /tunnel by leaving HTTP behind.
class TestHandler final : public Handler {
public:
    struct Source final : BodySource {
        std::deque<std::string> parts;
        bool isEnded = false;
        bool fails = false;
        Pull pull(BufferChain& chain, std::size_t) override {
            if (fails) {
                return Pull::failed;
            }
            if (!parts.empty()) {
                chain.append(std::move(parts.front()));
                parts.pop_front();
                return parts.empty() && isEnded ? Pull::end : Pull::more;
            }
            return isEnded ? Pull::end : Pull::wait;
        }
    };
    struct Reader final : BodyReader {
        std::string text;
        bool isEnded = false, hasFailed = false;
        void onBody(std::string_view bytes) override { text += bytes; }
        void onBodyEnd() override { isEnded = true; }
        void onBodyFailed() override { hasFailed = true; }
    };

    void handle(Exchange& exchange) override {
        const RequestHead& request = exchange.request();
        seen.push_back(std::string(request.methodText()) + " " + std::string(request.target()));
        if (request.path() == "/later") {
            waiting.push_back(exchange.retain());
        } else if (request.path() == "/read") {
            waiting.push_back(exchange.retain());
            if (pausesAtOnce) {
                exchange.pauseBody();
            }
            exchange.readBody(reader);
        } else if (request.path() == "/big") {
            text(exchange, std::string(bigSize, 'b'));
        } else if (request.path() == "/stream") {
            auto made = std::make_unique<Source>();
            source = made.get();
            source->parts = {"one", "two"};
            ResponseHead head;
            if (!streamLength.empty()) {
                head.set("Content-Length", streamLength);
            }
            exchange.respond(std::move(head), std::move(made));
        } else if (request.path() == "/tunnel" && request.wantsUpgrade) {
            waiting.push_back(exchange.retain());
            if (!upgradesLater) {
                upgrade(exchange);
            }
        } else if (request.path() == "/nothing") {
            return; // a defect
        } else {
            text(exchange, std::string(request.path()));
        }
    }
    Page errorPage(int status, std::string_view) override {
        return {"text/plain", fmt::format("error {}", status)};
    }

    static void text(Exchange& exchange, std::string body) {
        BufferChain chain;
        chain.append(std::move(body));
        exchange.respond(ResponseHead{}, std::move(chain));
    }

    /// Into a tunnel from `source` to `reader`.
    void upgrade(Exchange& exchange) {
        ResponseHead head;
        head.status = 101;
        head.set("Upgrade", "websocket");
        head.set("Sec-WebSocket-Accept", "proof");
        head.set("Sec-WebSocket-Protocol", "chat");
        auto made = std::make_unique<Source>();
        source = made.get();
        exchange.upgrade(std::move(head), reader, std::move(made));
    }

    std::vector<std::string> seen;
    std::vector<Ref<Exchange>> waiting;
    Reader reader;
    Source* source = nullptr;
    std::string streamLength;
    bool pausesAtOnce = false;  ///< the reader of /read
    bool upgradesLater = false; ///< /tunnel
    std::size_t bigSize = 1 << 20;
};

} // namespace saker::test
