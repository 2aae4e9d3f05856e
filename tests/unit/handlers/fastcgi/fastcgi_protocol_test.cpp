#include "handlers/fastcgi/fastcgi_protocol.h"

#include "support/fake_exchange.h"
#include "support/reply_script.h"
#include "unit/handlers/fastcgi/records.h"

#include <gtest/gtest.h>

namespace saker::fastcgi {
namespace {

using test::endRequest;
using test::err;
using test::out;
using upstream::RequestBody;
using Kind = RequestBody::Kind;

std::unique_ptr<FastCgiProtocol> sent(http::Method method = http::Method::get, FastCgiLimits limits = {}) {
    auto protocol = std::make_unique<FastCgiProtocol>(method, "", limits);
    BufferChain ignored;
    protocol->begin({}, ignored);
    return protocol;
}

std::string reply(std::string_view bytes, bool closes = false, http::Method method = http::Method::get) {
    return test::replyOf([&] { return sent(method, {{200, 8}, 10}); }, bytes, closes);
}

TEST(FastCgiProtocolTest, sendsARequestWithoutBodyAtOnce) {
    std::string pairs;
    appendPair("A", "b", pairs);
    FastCgiProtocol protocol(http::Method::get, pairs);
    BufferChain chain;
    protocol.begin({}, chain);
    EXPECT_EQ(test::bytesOf(chain), "\1\1\0\1\0\10\0\0\0\1\1\0\0\0\0\0"s + test::record(4, pairs) +
                                        test::record(4, "") + test::record(5, ""));
}

TEST(FastCgiProtocolTest, streamsABody) {
    FastCgiProtocol protocol(http::Method::post, "");
    BufferChain chain;
    protocol.begin({Kind::length, 8}, chain);
    BufferChain data;
    data.append(std::string("12345"));
    protocol.encodeBody(data, chain);
    data.append(std::string("678"));
    protocol.encodeBody(data, chain);
    protocol.encodeEnd(chain);
    std::string pair;
    appendPair("CONTENT_LENGTH", "8", pair);
    EXPECT_EQ(test::bytesOf(chain), "\1\1\0\1\0\10\0\0\0\1\1\0\0\0\0\0"s + test::record(4, pair) +
                                        test::record(4, "") + test::record(5, "12345") +
                                        test::record(5, "678") + test::record(5, ""));
}

TEST(FastCgiProtocolTest, aborts) {
    FastCgiProtocol protocol(http::Method::get, "");
    BufferChain chain;
    protocol.encodeAbort(chain);
    EXPECT_EQ(test::bytesOf(chain), test::record(2, ""));
}

TEST(FastCgiProtocolTest, readsReplies) {
    struct {
        std::string bytes;
        std::string_view expected;
    } const cases[] = {
        {out("Content-Type: text/plain\r\n\r\nhello", 3) + out(" world") + out("") + endRequest(),
         "head 200|Content-Type: text/plain\nbody hello world\nend, reusable\n"},
        {out("A: b\n\n") + endRequest(), "head 200|A: b\nend, reusable\n"},
        {out("A: b\n") + err("note") + out("\nx", 255) + out("", 7) + endRequest(),
         "error text note\nhead 200|A: b\nbody x\nend, reusable\n"},
        {out("Content-Length: 3\n\nabcdef") + out("") + endRequest(),
         "head 200 length 3\nbody abc\nend, reusable\n"},
        {out("Status: 304\n\nabcdef") + endRequest(), "head 304 without body\nend, reusable\n"},
        {out("Status: 103\nLink: x\n\nStatus: 200\n\nabc") + endRequest(),
         "interim 103|Link: x\nhead 200\nbody abc\nend, reusable\n"},
        {out("A: b\n\nx") + err("0123456789abc") + err("more") + out("y") + endRequest(),
         "head 200|A: b\nbody x\nerror text 0123456789\nbody y\nend, reusable\n"},
        {endRequest(), "failed 502: the request ended before the head of the answer\n"},
        {out("") + endRequest(), "failed 502: the request ended before the head of the answer\n"},
        {err("Primary") + out("A: b\n") + endRequest(),
         "error text Primary\nfailed 502: the request ended before the head of the answer\n"},
        {endRequest(2), "failed 503: the FastCGI server is overloaded, it says\n"},
        {endRequest(1), "failed 502: the FastCGI server refuses the request (protocol status 1)\n"},
        {endRequest(3), "failed 502: the FastCGI server refuses the request (protocol status 3)\n"},
        {out("Content-Length: 9\n\nabc") + endRequest(),
         "head 200 length 9\nbody abc\n"
         "failed 502: the request ended 6 bytes before the end that Content-Length promised\n"},
        {out("A: b\n\nx") + out("") + out("y"),
         "head 200|A: b\nbody x\nfailed 502: output came after the end of STDOUT\n"},
        {out("A: " + std::string(300, 'b')), "failed 502: the head of the answer is larger than 200 bytes\n"},
        {out("Status: x\n\n"),
         "failed 502: the head of the answer cannot be read: its Status is not one of an "
         "answer, such as \"404 Not Found\"\n"},
        {test::record(3, "1234567"), "failed 502: END_REQUEST is shorter than eight bytes\n"},
        {test::record(3, "123456789"), "failed 502: END_REQUEST is longer than eight bytes\n"},
        {test::record(3, ""), "failed 502: END_REQUEST is shorter than eight bytes\n"},
        {out("A: b\n\nx") + test::record(6, "other", 0, 2),
         "head 200|A: b\nbody x\nfailed 502: a FastCGI record for request 2 came, expected request 1\n"},
    };
    for (const auto& [bytes, expected] : cases) {
        EXPECT_EQ(reply(bytes), expected);
    }
}

TEST(FastCgiProtocolTest, answersHeadWithoutBody) {
    EXPECT_EQ(reply(out("Content-Length: 9\n\nabc") + out("") + endRequest(), false, http::Method::head),
              "head 200 length 9 without body\nend, reusable\n");
}

TEST(FastCgiProtocolTest, judgesAConnectionThatIsClosed) {
    EXPECT_EQ(reply("", true), "failed 502: the connection was closed before the head of the answer\n");
    EXPECT_EQ(reply(out("A: b\n\nx"), true),
              "head 200|A: b\nbody x\nfailed 502: the connection was closed in the middle of the answer\n");
    EXPECT_EQ(reply(out("A: b\n\nx") + out(""), true), "head 200|A: b\nbody x\nend\n");
    EXPECT_EQ(reply(out("Content-Length: 1\n\nx"), true), "head 200 length 1\nbody x\nend\n");
}

TEST(FastCgiProtocolTest, leavesWhatComesBehindTheEnd) {
    std::string unused;
    test::replyOf([] { return sent(); }, out("A: b\n\n") + endRequest(), false, &unused);
    EXPECT_EQ(unused, "");
    auto protocol = sent();
    test::ReplyScript extra(*protocol);
    extra.feed(out("A: b\n\n") + endRequest() + out("somebody else's"));
    EXPECT_EQ(extra.unused, out("somebody else's"));
}

TEST(FastCgiProtocolTest, isNotReusableBeforeTheRequestIsSent) {
    FastCgiProtocol protocol(http::Method::post, "");
    BufferChain chain;
    protocol.begin({Kind::length, 8}, chain);
    test::ReplyScript script(protocol);
    script.feed(out("A: b\n\nearly") + endRequest());
    EXPECT_EQ(script.text(), "head 200|A: b\nbody early\nend\n");
}

TEST(FastCgiProtocolTest, beginsAnew) {
    auto protocol = sent();
    test::ReplyScript first(*protocol);
    first.feed(out("A: b\n\nx").substr(0, 12));
    BufferChain chain;
    protocol->begin({}, chain);
    test::ReplyScript second(*protocol);
    second.feed(out("C: d\n\ny") + endRequest());
    EXPECT_EQ(second.text(), "head 200|C: d\nbody y\nend, reusable\n");
}

TEST(FastCgiProtocolTest, knowsWhatMayBeSentTwice) {
    EXPECT_TRUE(FastCgiProtocol(http::Method::put, "").isIdempotent());
    EXPECT_FALSE(FastCgiProtocol(http::Method::post, "").isIdempotent());
    EXPECT_FALSE(FastCgiProtocol(http::Method::other, "").isIdempotent());
}

/// Feeds the same bytes until the protocol has had enough.
std::string endless(std::string_view first, const std::string& again,
                    http::Method method = http::Method::get) {
    auto protocol = sent(method, {{200, 8}, 10});
    test::ReplyScript script(*protocol);
    script.feed(first);
    for (int i = 0; i < 100000 && script.feed(again); ++i) {
    }
    return script.text();
}

TEST(FastCgiProtocolTest, endsWhatWouldGoOnForEver) {
    EXPECT_EQ(endless("", out("")), "failed 502: it sends nothing but empty records\n");
    EXPECT_EQ(endless("", err("") + test::record(7, "", 255)),
              "failed 502: it sends nothing but empty records\n");
    EXPECT_EQ(endless("", err("0123456789" + std::string(1000, 'x'))),
              "error text 0123456789\nfailed 502: it keeps writing to STDERR\n");
    EXPECT_EQ(endless(out("A: b\n\n"), out(std::string(1000, 'x')), http::Method::head),
              "head 200 without body|A: b\nend\n");
    EXPECT_EQ(endless(out("Content-Length: 1\n\n"), out(std::string(1000, 'x'))),
              "head 200 length 1\nbody x\nend\n");
}

} // namespace
} // namespace saker::fastcgi
