#include "http/h1/request_parser.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace saker::http {
namespace {

using State = RequestParser::State;

std::string describe(const RequestHead& head) {
    std::string text;
    auto add = [&text](std::string_view name, std::string_view value) {
        text.append(name).append("=").append(value).append("\n");
    };
    add("method", head.methodText());
    add("id", std::to_string(static_cast<int>(head.method)));
    add("minor", std::to_string(head.minorVersion));
    add("form", std::to_string(static_cast<int>(head.form)));
    add("framing", std::to_string(static_cast<int>(head.framing)));
    add("length", std::to_string(head.contentLength));
    add("keep", head.keepAlive ? "1" : "0");
    add("continue", head.expectsContinue ? "1" : "0");
    add("upgrade", head.wantsUpgrade ? "1" : "0");
    add("target", head.target());
    add("path", head.path());
    add("query", head.hasQuery() ? head.query() : "-");
    add("authority", head.authority());
    add("size", std::to_string(head.size()));
    for (std::size_t i = 0; i < head.fieldCount(); ++i) {
        RequestHead::Field field = head.field(i);
        add(std::string(field.name) + "#" + std::to_string(static_cast<int>(field.id)), field.value);
    }
    return text;
}

struct Outcome {
    State state = State::incomplete;
    Rejection rejection = Rejection::none;
    std::string head;
};

bool operator==(const Outcome& a, const Outcome& b) {
    return a.state == b.state && a.rejection == b.rejection && a.head == b.head;
}

void PrintTo(const Outcome& outcome, std::ostream* out) {
    *out << "state " << static_cast<int>(outcome.state) << ", rejection "
         << static_cast<int>(outcome.rejection) << "\n"
         << outcome.head;
}

/// Every call gets the bytes in memory of their own, of exactly their size: a read beyond them is an error
/// that the address sanitizer sees, and nothing may hang on where they were the last time.
State feed(RequestParser& parser, std::string_view bytes, std::vector<char>& memory, RequestHead& head) {
    std::vector<char> fresh(bytes.begin(), bytes.end());
    State state = parser.parse({fresh.data(), fresh.size()}, head);
    memory = std::move(fresh);
    return state;
}

Outcome outcomeOf(const RequestParser& parser, State state, const RequestHead& head) {
    return {state, parser.rejection(), state == State::complete ? describe(head) : ""};
}

Outcome parseWhole(std::string_view bytes, const RequestLimits& limits = {}) {
    RequestParser parser(limits);
    RequestHead head;
    std::vector<char> memory;
    State state = feed(parser, bytes, memory, head);
    return outcomeOf(parser, state, head);
}

Outcome parseInSteps(std::string_view bytes, std::size_t first, std::size_t step,
                     const RequestLimits& limits = {}) {
    RequestParser parser(limits);
    std::vector<char> memory;
    for (std::size_t size = first;; size = std::min(size + step, bytes.size())) {
        RequestHead head; // a fresh one: nothing may hang on the head of an earlier call
        State state = feed(parser, bytes.substr(0, size), memory, head);
        if (state != State::incomplete || size == bytes.size()) {
            return outcomeOf(parser, state, head);
        }
    }
}

Rejection rejectionOf(std::string_view bytes, const RequestLimits& limits = {}) {
    Outcome outcome = parseWhole(bytes, limits);
    EXPECT_NE(outcome.state, State::incomplete) << bytes;
    return outcome.rejection;
}

std::string get(std::string_view fields) {
    return "GET / HTTP/1.1\r\nHost: a\r\n" + std::string(fields) + "\r\n";
}

const char kBrowser[] = "GET /docs/a%20b/index.html?q=1&r=%7E HTTP/1.1\r\n"
                        "Host: docs.example.com:8080\r\n"
                        "Connection: keep-alive\r\n"
                        "sec-ch-ua: \"Chromium\";v=\"124\", \"Not-A.Brand\";v=\"99\"\r\n"
                        "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
                        "Chrome/124.0 Safari/537.36\r\n"
                        "Accept: text/html,application/xhtml+xml;q=0.9,*/*;q=0.8\r\n"
                        "X-Custom_Name.With!Odd#Chars:\tvalue with\ttab and \xc3\xa9 \t\r\n"
                        "Empty:\r\n"
                        "Accept-Encoding: gzip, br\r\n"
                        "Cookie: a=b; c=d\r\n"
                        "\r\n"
                        "GET /next HTTP/1.1\r\n";

TEST(RequestParser, ReadsABrowsersRequest) {
    RequestLimits limits;
    RequestParser parser(limits);
    RequestHead head;
    std::string bytes = kBrowser;
    ASSERT_EQ(parser.parse(bytes, head), State::complete);
    EXPECT_EQ(head.size(), bytes.find("\r\n\r\n") + 4);
    EXPECT_EQ(head.method, Method::get);
    EXPECT_EQ(head.methodText(), "GET");
    EXPECT_EQ(head.target(), "/docs/a%20b/index.html?q=1&r=%7E");
    EXPECT_EQ(head.path(), "/docs/a%20b/index.html");
    EXPECT_TRUE(head.hasQuery());
    EXPECT_EQ(head.query(), "q=1&r=%7E");
    EXPECT_EQ(head.authority(), "docs.example.com:8080");
    EXPECT_EQ(head.form, TargetForm::origin);
    EXPECT_EQ(head.framing, BodyFraming::none);
    EXPECT_TRUE(head.keepAlive);
    EXPECT_EQ(head.fieldCount(), 9U);
    EXPECT_EQ(head.get(FieldName::acceptEncoding), "gzip, br");
    EXPECT_EQ(head.get("x-custom_name.with!odd#chars"), "value with\ttab and \xc3\xa9");
    EXPECT_TRUE(head.get("empty").empty());
    EXPECT_NE(head.get("empty").data(), nullptr);
    EXPECT_EQ(head.get("absent").data(), nullptr);
    EXPECT_EQ(head.get(FieldName::range).data(), nullptr);
    EXPECT_FALSE(head.has(FieldName::range));

    std::string moved = bytes;
    head.rebase(moved.data());
    bytes.assign(bytes.size(), 'x');
    EXPECT_EQ(head.get(FieldName::cookie), "a=b; c=d");
}

TEST(RequestParser, GivesTheSameWhereverTheInputIsCut) {
    const std::string inputs[] = {
        kBrowser,
        "\r\n\r\nPOST /x HTTP/1.0\r\nContent-Length: 5\r\nConnection: keep-alive\r\n\r\nhello",
        "GET http://example.com/a?b HTTP/1.1\r\nHost: other\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nbad name: x\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nA: b\n\r\n",
        "GET / HTTP/1.1\nHost: a\n\n",
        "GET /\r\n\r\n",
        "BREW /pot HTTP/1.1\r\nHost: a\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n",
        "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "GET /" + std::string(100, 'a') + " HTTP/1.1\r\nHost: a\r\n\r\n",
        "\r\nGET /" + std::string(49, 'a') + " HTTP/1.1\r\nHost: a\r\n\r\n",
        "\r\nGET /" + std::string(50, 'a') + " HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nA: " + std::string(200, 'a') + "\r\n\r\n",
    };
    for (const RequestLimits& limits : {RequestLimits{}, RequestLimits{64, 128, 20}}) {
        for (const std::string& input : inputs) {
            Outcome whole = parseWhole(input, limits);
            EXPECT_NE(whole.state, State::incomplete) << input;
            for (std::size_t cut = 0; cut <= input.size(); ++cut) {
                EXPECT_EQ(parseInSteps(input, cut, input.size(), limits), whole)
                    << input << "\ncut at " << cut;
            }
            for (std::size_t step : {1, 2, 3, 7, 16, 17}) {
                EXPECT_EQ(parseInSteps(input, 1, step, limits), whole) << input << "\nsteps of " << step;
            }
        }
    }
}

TEST(RequestParser, EveryPrefixOfAHeadIsIncomplete) {
    std::string input = kBrowser;
    input.resize(input.find("\r\n\r\n") + 4);
    for (std::size_t size = 0; size < input.size(); ++size) {
        EXPECT_EQ(parseWhole(input.substr(0, size)).state, State::incomplete) << size;
    }
}

struct Case {
    std::string input;
    Rejection rejection;
};

TEST(RequestParser, JudgesRequestLines) {
    const Case cases[] = {
        {"GET / HTTP/1.1\r\nHost: a\r\n\r\n", Rejection::none},
        {"GET / HTTP/1.0\r\n\r\n", Rejection::none},
        {"GET / HTTP/1.2\r\nHost: a\r\n\r\n", Rejection::none},
        {"M-SEARCH / HTTP/1.1\r\nHost: a\r\n\r\n", Rejection::none},
        {"G / HTTP/1.1\r\nHost: a\r\n\r\n", Rejection::none},
        {"GET //a//b HTTP/1.1\r\nHost: a\r\n\r\n", Rejection::none},
        {"GET /caf\xc3\xa9|{}\"<>^`\\ HTTP/1.1\r\nHost: a\r\n\r\n", Rejection::none},
        {"GET /?a?b\\ HTTP/1.1\r\nHost: a\r\n\r\n", Rejection::none},
        {"OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", Rejection::none},
        {"CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n", Rejection::none},
        {"CONNECT [::1]:443 HTTP/1.1\r\nHost: a\r\n\r\n", Rejection::none},
        {"GET HTTPS://a HTTP/1.1\r\nHost: a\r\n\r\n", Rejection::none},
        // versions
        {"GET / HTTP/2.0\r\n\r\n", Rejection::badVersion},
        {"GET / HTTP/0.9\r\n\r\n", Rejection::badVersion},
        {"PRI * HTTP/2.0\r\n\r\n", Rejection::badVersion},
        {"GET / HTTP/1.1 \r\n\r\n", Rejection::badRequestLine},
        {"GET / HTTP/1.10\r\n\r\n", Rejection::badRequestLine},
        {"GET / HTTP/11\r\n\r\n", Rejection::badRequestLine},
        {"GET / http/1.1\r\n\r\n", Rejection::badRequestLine},
        {"GET / HTTP/1.x\r\n\r\n", Rejection::badRequestLine},
        {"GET / HTTPS/1.1\r\n\r\n", Rejection::badRequestLine},
        {"GET / \r\n\r\n", Rejection::badRequestLine},
        {"GET /\r\n\r\n", Rejection::badRequestLine},
        {"GET\r\n\r\n", Rejection::badRequestLine},
        {"GET / HTTP/1.1\n\n", Rejection::badRequestLine},
        {"GET / HTTP/1.1\rHost: a\r\n\r\n", Rejection::badRequestLine},
        // blanks and methods
        {" GET / HTTP/1.1\r\n\r\n", Rejection::badRequestLine},
        {"GET  / HTTP/1.1\r\n\r\n", Rejection::badRequestLine},
        {"GET\t/ HTTP/1.1\r\n\r\n", Rejection::badRequestLine},
        {"GET /  HTTP/1.1\r\n\r\n", Rejection::badRequestLine},
        {"G(T / HTTP/1.1\r\n\r\n", Rejection::badRequestLine},
        {"GE\x01T / HTTP/1.1\r\n\r\n", Rejection::badRequestLine},
        {std::string(33, 'M') + " / HTTP/1.1\r\n\r\n", Rejection::badRequestLine},
        {"\nGET / HTTP/1.1\r\n\r\n", Rejection::badRequestLine},
        {"\rGET / HTTP/1.1\r\n\r\n", Rejection::badRequestLine},
        {"\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\nGET / HTTP/1.0\r\n\r\n", Rejection::none},
        {"\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\nGET / HTTP/1.0\r\n\r\n", Rejection::badRequestLine},
        // targets
        {"GET /a#b HTTP/1.1\r\n\r\n", Rejection::badTarget},
        {"GET /a?b#c HTTP/1.1\r\n\r\n", Rejection::badTarget},
        {"GET /a\tb HTTP/1.1\r\n\r\n", Rejection::badTarget},
        {"GET /a\x7f HTTP/1.1\r\n\r\n", Rejection::badTarget},
        {std::string("GET /a\0b HTTP/1.1\r\n\r\n", 22), Rejection::badTarget},
        {"GET a HTTP/1.1\r\n\r\n", Rejection::badTarget},
        {"GET ?a HTTP/1.1\r\n\r\n", Rejection::badTarget},
        {"GET * HTTP/1.1\r\n\r\n", Rejection::badTarget},
        {"OPTIONS *a HTTP/1.1\r\n\r\n", Rejection::badTarget},
        {"GET ftp://a/ HTTP/1.1\r\n\r\n", Rejection::badTarget},
        {"GET http:/a HTTP/1.1\r\n\r\n", Rejection::badTarget},
        {"GET http:// HTTP/1.1\r\n\r\n", Rejection::badTarget},
        {"GET http:///a HTTP/1.1\r\n\r\n", Rejection::badTarget},
        {"GET http://u@a/ HTTP/1.1\r\n\r\n", Rejection::badTarget},
        {"GET http://u:p@a/ HTTP/1.1\r\n\r\n", Rejection::badTarget},
        {"GET http://a:99999/ HTTP/1.1\r\n\r\n", Rejection::badTarget},
        {"GET a:443 HTTP/1.1\r\n\r\n", Rejection::badTarget},
        {"CONNECT a HTTP/1.1\r\n\r\n", Rejection::badTarget},
        {"CONNECT a: HTTP/1.1\r\n\r\n", Rejection::badTarget},
        {"CONNECT / HTTP/1.1\r\n\r\n", Rejection::badTarget},
        {"CONNECT http://a:443/ HTTP/1.1\r\n\r\n", Rejection::badTarget},
    };
    for (const Case& c : cases) {
        EXPECT_EQ(rejectionOf(c.input), c.rejection) << c.input;
    }
}

TEST(RequestParser, JudgesFields) {
    const Case cases[] = {
        {"A: b\r\n", Rejection::none},
        {"A:b\r\n", Rejection::none},
        {"A: \t b \t \r\n", Rejection::none},
        {"A: \x80\xff\r\n", Rejection::none},
        {"A : b\r\n", Rejection::badField},
        {"A\t: b\r\n", Rejection::badField},
        {" A: b\r\n", Rejection::badField},
        {"A: b\r\n c\r\n", Rejection::badField},
        {"A: b\r\n\tc: d\r\n", Rejection::badField},
        {": b\r\n", Rejection::badField},
        {"A\r\n", Rejection::badField},
        {"A\xc3\xa9: b\r\n", Rejection::badField},
        {"A(b): c\r\n", Rejection::badField},
        {"A: b\n", Rejection::badField},
        {"A: b\nTransfer-Encoding: chunked\r\n", Rejection::badField},
        {"A: b\rC: d\r\n", Rejection::badField},
        {"A: b\r\r\n", Rejection::badField},
        {"A: \r\r\n", Rejection::badField},
        {"\rA: b\r\n", Rejection::badField},
        {std::string("A: b\0c\r\n", 8), Rejection::badField},
        {std::string("A\0: b\r\n", 7), Rejection::badField},
        {"A: b\x01\r\n", Rejection::badField},
        {"A: b\x7f\r\n", Rejection::badField},
        {"A: b\x0b\r\n", Rejection::badField},
        {"Content\rLength: 5\r\n", Rejection::badField},
    };
    for (const Case& c : cases) {
        EXPECT_EQ(rejectionOf(get(c.input)), c.rejection) << c.input;
    }
}

TEST(RequestParser, JudgesHosts) {
    const Case cases[] = {
        {"GET / HTTP/1.1\r\nHost: example.com\r\n\r\n", Rejection::none},
        {"GET / HTTP/1.1\r\nhOsT:example.com:80\r\n\r\n", Rejection::none},
        {"GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", Rejection::none},
        {"GET / HTTP/1.1\r\nHost:\r\n\r\n", Rejection::none},
        {"GET / HTTP/1.0\r\nHost: a\r\n\r\n", Rejection::none},
        {"GET / HTTP/1.1\r\n\r\n", Rejection::badHost},
        {"GET http://a/ HTTP/1.1\r\n\r\n", Rejection::badHost},
        {"GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", Rejection::badHost},
        {"GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", Rejection::badHost},
        {"GET / HTTP/1.1\r\nHost: a b\r\n\r\n", Rejection::badHost},
        {"GET / HTTP/1.1\r\nHost: a, b\r\n\r\n", Rejection::badHost},
        {"GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", Rejection::badHost},
        {"GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", Rejection::badHost},
        {"GET / HTTP/1.1\r\nHost: http://a\r\n\r\n", Rejection::badHost},
        {"GET / HTTP/1.1\r\nHost: ../..\r\n\r\n", Rejection::badHost},
        {"GET / HTTP/1.1\r\nHost: a:x\r\n\r\n", Rejection::badHost},
        {"GET / HTTP/1.1\r\nHost: \xc3\xa9\r\n\r\n", Rejection::badHost},
        {"GET / HTTP/1.0\r\nHost: a b\r\n\r\n", Rejection::badHost},
    };
    for (const Case& c : cases) {
        EXPECT_EQ(rejectionOf(c.input), c.rejection) << c.input;
    }
}

TEST(RequestParser, RefusesEveryAmbiguousFraming) {
    const Case cases[] = {
        {"Content-Length: 5\r\n", Rejection::none},
        {"Content-Length: 0\r\n", Rejection::none},
        {"Content-Length: 9223372036854775807\r\n", Rejection::none},
        {"Transfer-Encoding: chunked\r\n", Rejection::none},
        {"Transfer-Encoding: CHUNKED\r\n", Rejection::none},
        {"Content-Length: 5\r\nContent-Length: 5\r\n", Rejection::badContentLength},
        {"Content-Length: 5\r\ncontent-length: 6\r\n", Rejection::badContentLength},
        {"Content-Length: 5, 5\r\n", Rejection::badContentLength},
        {"Content-Length: +5\r\n", Rejection::badContentLength},
        {"Content-Length: -5\r\n", Rejection::badContentLength},
        {"Content-Length: 5 5\r\n", Rejection::badContentLength},
        {"Content-Length: 0x5\r\n", Rejection::badContentLength},
        {"Content-Length: 5a\r\n", Rejection::badContentLength},
        {"Content-Length: 5.0\r\n", Rejection::badContentLength},
        {"Content-Length: 1_0\r\n", Rejection::badContentLength},
        {"Content-Length:\r\n", Rejection::badContentLength},
        {"Content-Length: \"5\"\r\n", Rejection::badContentLength},
        {"Content-Length: 9223372036854775808\r\n", Rejection::badContentLength},
        {"Content-Length: 18446744073709551616\r\n", Rejection::badContentLength},
        {"Content-Length: 99999999999999999999999\r\n", Rejection::badContentLength},
        {"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", Rejection::conflictingFraming},
        {"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", Rejection::conflictingFraming},
        {"Transfer-Encoding: xchunked\r\nContent-Length: 5\r\n", Rejection::conflictingFraming},
        {"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", Rejection::badTransferEncoding},
        {"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", Rejection::badTransferEncoding},
        {"Transfer-Encoding: chunked, chunked\r\n", Rejection::badTransferEncoding},
        {"Transfer-Encoding: chunked, gzip\r\n", Rejection::badTransferEncoding},
        {"Transfer-Encoding: chunked,\r\n", Rejection::badTransferEncoding},
        {"Transfer-Encoding: ,chunked\r\n", Rejection::badTransferEncoding},
        {"Transfer-Encoding: chunked;a=b\r\n", Rejection::badTransferEncoding},
        {"Transfer-Encoding: \"chunked\"\r\n", Rejection::badTransferEncoding},
        {"Transfer-Encoding:\r\n", Rejection::badTransferEncoding},
        {"Transfer-Encoding: chunked foo\r\n", Rejection::badTransferEncoding},
        {"Transfer-Encoding: gzip, chunked\r\n", Rejection::unknownCoding},
        {"Transfer-Encoding: identity\r\n", Rejection::unknownCoding},
        {"Transfer-Encoding: xchunked\r\n", Rejection::unknownCoding},
        {"Transfer-Encoding: gzip;level=\"a\"\r\n", Rejection::unknownCoding},
        {"Transfer-Encoding : chunked\r\n", Rejection::badField},
        {"Transfer-Encoding: \x0b"
         "chunked\r\n",
         Rejection::badField},
        {"Transfer-Encoding:\r\n chunked\r\n", Rejection::badField},
        {"X: y\r\n\rTransfer-Encoding: chunked\r\n", Rejection::badField},
    };
    for (const Case& c : cases) {
        EXPECT_EQ(rejectionOf(get(c.input)), c.rejection) << c.input;
    }
    EXPECT_EQ(rejectionOf("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"),
              Rejection::badTransferEncoding);
}

TEST(RequestParser, NamesSimilarToFramingFieldsAreOtherFields) {
    RequestLimits limits;
    RequestParser parser(limits);
    RequestHead head;
    std::string bytes = get("Content_Length: 5\r\nTransfer_Encoding: chunked\r\nXContent-Length: 7\r\n");
    ASSERT_EQ(parser.parse(bytes, head), State::complete);
    EXPECT_EQ(head.framing, BodyFraming::none);
    EXPECT_EQ(head.field(1).id, FieldName::other);
}

struct Persistence {
    std::string_view version, fields;
    bool keepAlive;
};

TEST(RequestParser, KeepsConnectionsByVersionAndConnection) {
    const Persistence cases[] = {
        {"1.1", "", true},
        {"1.1", "Connection: close\r\n", false},
        {"1.1", "Connection: CLOSE\r\n", false},
        {"1.1", "Connection: foo, close\r\n", false},
        {"1.1", "Connection: foo\r\nConnection: close\r\n", false},
        {"1.1", "Connection: keep-alive, close\r\n", false},
        {"1.1", "Connection: closed\r\n", true},
        {"1.1", "Connection: keep-alive\r\n", true},
        {"1.1", "Connection:\r\n", true},
        {"1.0", "", false},
        {"1.0", "Connection: keep-alive\r\n", true},
        {"1.0", "Connection: Keep-Alive, foo\r\n", true},
        {"1.0", "Connection: keep-alive, close\r\n", false},
    };
    for (const Persistence& c : cases) {
        RequestLimits limits;
        RequestParser parser(limits);
        RequestHead head;
        std::string bytes =
            "GET / HTTP/" + std::string(c.version) + "\r\nHost: a\r\n" + std::string(c.fields) + "\r\n";
        ASSERT_EQ(parser.parse(bytes, head), State::complete);
        EXPECT_EQ(head.keepAlive, c.keepAlive) << bytes;
    }
}

TEST(RequestParser, ReadsExpectations) {
    struct Expectation {
        std::string input;
        Rejection rejection;
        bool expectsContinue;
    };
    const std::string post = "POST / HTTP/1.1\r\nHost: a\r\n";
    const std::string old = "POST / HTTP/1.0\r\nContent-Length: 5\r\n";
    const Expectation cases[] = {
        {post + "Content-Length: 5\r\nExpect: 100-continue\r\n\r\n", Rejection::none, true},
        {post + "Content-Length: 5\r\nExpect: 100-Continue\r\n\r\n", Rejection::none, true},
        {post + "Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n", Rejection::none, true},
        {post + "Content-Length: 0\r\nExpect: 100-continue\r\n\r\n", Rejection::none, false},
        {post + "Expect: 100-continue\r\n\r\n", Rejection::none, false},
        {old + "Expect: 100-continue\r\n\r\n", Rejection::none, false},
        {post + "Expect: 200-ok\r\n\r\n", Rejection::badExpectation, false},
        {post + "Expect: 100-continue, x\r\n\r\n", Rejection::badExpectation, false},
        {post + "Expect: 100-continue\r\nExpect: x\r\n\r\n", Rejection::badExpectation, false},
    };
    for (const Expectation& c : cases) {
        RequestLimits limits;
        RequestParser parser(limits);
        RequestHead head;
        parser.parse(c.input, head);
        EXPECT_EQ(parser.rejection(), c.rejection) << c.input;
        EXPECT_EQ(head.expectsContinue, c.expectsContinue) << c.input;
    }
}

TEST(RequestParser, ReadsUpgrades) {
    const std::pair<std::string, bool> cases[] = {
        {"GET / HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n\r\n", true},
        {"GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\n\r\n", false},
        {"GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n\r\n", false},
        {"GET / HTTP/1.0\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n", false},
    };
    for (const auto& [bytes, wanted] : cases) {
        RequestLimits limits;
        RequestParser parser(limits);
        RequestHead head;
        ASSERT_EQ(parser.parse(bytes, head), State::complete);
        EXPECT_EQ(head.wantsUpgrade, wanted) << bytes;
    }
}

TEST(RequestParser, TakesTheAuthorityFromTheTargetFirst) {
    struct Target {
        std::string line;
        TargetForm form;
        std::string_view path, query, authority;
    };
    const Target cases[] = {
        {"GET /p?q HTTP/1.1", TargetForm::origin, "/p", "q", "host"},
        {"GET /p? HTTP/1.1", TargetForm::origin, "/p", "", "host"},
        {"GET http://other:81/p/q?r HTTP/1.1", TargetForm::absolute, "/p/q", "r", "other:81"},
        {"GET http://other HTTP/1.1", TargetForm::absolute, "/", "", "other"},
        {"GET hTTp://other?r/s HTTP/1.1", TargetForm::absolute, "/", "r/s", "other"},
        {"OPTIONS * HTTP/1.1", TargetForm::asterisk, "*", "", "host"},
        {"CONNECT other:443 HTTP/1.1", TargetForm::authority, "/", "", "other:443"},
    };
    for (const Target& c : cases) {
        RequestLimits limits;
        RequestParser parser(limits);
        RequestHead head;
        std::string bytes = c.line + "\r\nHost: host\r\n\r\n";
        ASSERT_EQ(parser.parse(bytes, head), State::complete) << c.line;
        EXPECT_EQ(head.form, c.form) << c.line;
        EXPECT_EQ(head.path(), c.path) << c.line;
        EXPECT_EQ(head.query(), c.query) << c.line;
        EXPECT_EQ(head.authority(), c.authority) << c.line;
    }
}

TEST(RequestParser, KnowsTheMethods) {
    for (int i = 0; i < static_cast<int>(Method::other); ++i) {
        auto method = static_cast<Method>(i);
        std::string target = method == Method::connect ? "a:1" : "/";
        std::string bytes = std::string(methodName(method)) + " " + target + " HTTP/1.1\r\nHost: a\r\n\r\n";
        RequestLimits limits;
        RequestParser parser(limits);
        RequestHead head;
        ASSERT_EQ(parser.parse(bytes, head), State::complete) << bytes;
        EXPECT_EQ(head.method, method);
        EXPECT_EQ(head.methodText(), methodName(method));
    }
    RequestLimits limits;
    RequestParser parser(limits);
    RequestHead head;
    std::string bytes = "get / HTTP/1.1\r\nHost: a\r\n\r\n"; // methods are case-sensitive
    ASSERT_EQ(parser.parse(bytes, head), State::complete);
    EXPECT_EQ(head.method, Method::other);
    EXPECT_EQ(head.methodText(), "get");
}

TEST(RequestParser, EnforcesLimitsBeforeTheHeadIsComplete) {
    RequestLimits limits{20, 60, 2};
    const std::string host = "Host: a\r\n";
    EXPECT_EQ(rejectionOf("GET /aaaaaa HTTP/1.1\r\n" + host + "\r\n", limits), Rejection::none); // 20 bytes
    EXPECT_EQ(rejectionOf("GET /aaaaaaa HTTP/1.1\r\n" + host + "\r\n", limits), Rejection::targetTooLong);
    EXPECT_EQ(rejectionOf("GET /" + std::string(17, 'a'), limits), Rejection::targetTooLong);
    EXPECT_EQ(parseWhole("GET /" + std::string(16, 'a'), limits).state, State::incomplete);
    EXPECT_EQ(rejectionOf("GET /a HTTP/1.1\r\n" + host + "A: b\r\n\r\n", limits), Rejection::none);
    EXPECT_EQ(rejectionOf("GET /a HTTP/1.1\r\n" + host + "A: b\r\nC: d\r\n", limits),
              Rejection::tooManyFields);
    std::string exact = "GET /a HTTP/1.1\r\n" + host + "A: " + std::string(27, 'b') + "\r\n\r\n";
    ASSERT_EQ(exact.size(), 60U);
    EXPECT_EQ(rejectionOf(exact, limits), Rejection::none);
    EXPECT_EQ(rejectionOf("GET /a HTTP/1.1\r\n" + host + "A: " + std::string(31, 'b'), limits),
              Rejection::headTooLarge);
    EXPECT_EQ(parseWhole("GET /a HTTP/1.1\r\n" + host + "A: " + std::string(30, 'b'), limits).state,
              State::incomplete);
}

TEST(RequestParser, TakesAsManyFieldsAsTheHeadHolds) {
    RequestLimits limits;
    limits.maxFields = 255;
    std::string fields;
    for (std::size_t i = 1; i < RequestHead::kMaxFields; ++i) {
        fields += "A: b\r\n";
    }
    EXPECT_EQ(rejectionOf(get(fields), limits), Rejection::none);
    EXPECT_EQ(rejectionOf(get(fields + "A: b\r\n"), limits), Rejection::tooManyFields);
}

TEST(RequestParser, TellsForeignProtocolsFromTheFirstByte) {
    EXPECT_EQ(rejectionOf("\x16"), Rejection::notHttp);
    EXPECT_EQ(rejectionOf(std::string_view("\0", 1)), Rejection::notHttp);
    EXPECT_EQ(rejectionOf("\xff\xfb"), Rejection::notHttp);
    EXPECT_EQ(parseInSteps("\r\n\x16", 2, 1).rejection, Rejection::notHttp);
}

TEST(RequestParser, ReadsPipelinedRequestsAfterReset) {
    RequestLimits limits;
    RequestParser parser(limits);
    RequestHead head;
    std::string first = get("A: 1\r\n");
    std::string bytes = first + get("A: 2\r\n");
    ASSERT_EQ(parser.parse(std::string_view(bytes).substr(0, 10), head), State::incomplete);
    ASSERT_EQ(parser.parse(bytes, head), State::complete);
    ASSERT_EQ(head.size(), first.size());
    parser.reset();
    ASSERT_EQ(parser.parse(std::string_view(bytes).substr(first.size()), head), State::complete);
    EXPECT_EQ(head.get("a"), "2");
}

} // namespace
} // namespace saker::http
