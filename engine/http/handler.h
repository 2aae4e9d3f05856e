// Who answers requests. One instance per loop and configuration; everything is called on that loop.
#pragma once

#include <string>
#include <string_view>

namespace saker::http {

class Exchange;

class Handler {
public:
    virtual ~Handler() = default;

    /// Answers now (Exchange::respond), or keeps the exchange (Exchange::retain) and answers later.
    virtual void handle(Exchange& exchange) = 0;

    struct Page {
        std::string contentType;
        std::string body;
    };
    /// The body of an answer that the protocol layer gives by itself (a rejected request); no exchange
    /// exists.
    virtual Page errorPage(int status, std::string_view sentence) = 0;
};

} // namespace saker::http
