// A parsed request for tests of what works on requests.
#pragma once

#include "http/h1/request_parser.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace saker::http {

struct ParsedHead {
    std::string bytes;
    RequestHead head;
};

/// "GET /" with these lines behind it, each with its CRLF.
inline std::unique_ptr<ParsedHead> headOf(const std::string& fields, const std::string& method = "GET") {
    auto parsed = std::make_unique<ParsedHead>();
    parsed->bytes = method + " / HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n";
    static const RequestLimits limits;
    RequestParser parser(limits);
    EXPECT_EQ(parser.parse(parsed->bytes, parsed->head), RequestParser::State::complete) << parsed->bytes;
    return parsed;
}

} // namespace saker::http
