#include "handlers/proxy/http_protocol.h"

#include "support/fake_exchange.h"
#include "support/reply_script.h"

#include <gtest/gtest.h>

namespace saker::proxy {
namespace {

using http::Method;
using upstream::RequestBody;
using Kind = RequestBody::Kind;

std::string request(Method method, const RequestBody& body, const std::vector<std::string>& parts) {
    HttpProtocol protocol({method, false}, "M / HTTP/1.1\r\nHost: a\r\n");
    BufferChain out;
    protocol.begin(body, out);
    for (const std::string& part : parts) {
        BufferChain data;
        data.append(part);
        protocol.encodeBody(data, out);
        EXPECT_TRUE(data.empty());
    }
    if (body.kind != Kind::none) {
        protocol.encodeEnd(out);
    }
    return test::bytesOf(out).substr(23);
}

TEST(HttpProtocolTest, framesRequests) {
    EXPECT_EQ(request(Method::get, {}, {}), "\r\n");
    EXPECT_EQ(request(Method::post, {}, {}), "Content-Length: 0\r\n\r\n");
    EXPECT_EQ(request(Method::get, {Kind::length, 4}, {"ab", "cd"}), "Content-Length: 4\r\n\r\nabcd");
    EXPECT_EQ(request(Method::post, {Kind::length, 0}, {}), "Content-Length: 0\r\n\r\n");
    EXPECT_EQ(request(Method::post, {Kind::unknown, 0}, {"hello world, long", "", "x"}),
              "Transfer-Encoding: chunked\r\n\r\n11\r\nhello world, long\r\n1\r\nx\r\n0\r\n\r\n");
}

std::string reply(std::string_view bytes, bool closes = false, Asked asked = {}) {
    return test::replyOf(
        [&] {
            auto protocol = std::make_unique<HttpProtocol>(asked, "", http::ReplyLimits{200, 6});
            BufferChain ignored;
            protocol->begin({}, ignored);
            return protocol;
        },
        bytes, closes);
}

TEST(HttpProtocolTest, readsReplies) {
    struct {
        std::string_view bytes, expected;
    } const cases[] = {
        {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: y\r\n\r\nhello",
         "head 200 length 5|X: y\nbody hello\nend, reusable\n"},
        {"HTTP/1.1 200 OK\nContent-Length: 5\nX: y\n\nhello",
         "head 200 length 5|X: y\nbody hello\nend, reusable\n"},
        {"HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", "head 200 length 0\nend, reusable\n"},
        {"HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n", "head 200 length 0\nend, reusable\n"},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1;x=y\r\n!\r\n0\r\n\r\n",
         "head 200\nbody hello!\nend, reusable\n"},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n0\r\nX-T: 1\r\nY: 2\r\n\r\n",
         "head 200\nend, reusable\ntrailer X-T: 1\ntrailer Y: 2\n"},
        {"HTTP/1.1 204 No Content\r\nX: y\r\n\r\n", "head 204 without body|X: y\nend, reusable\n"},
        {"HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n",
         "head 304 length 9 without body\nend, reusable\n"},
        {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: x, Close\r\n\r\nok",
         "head 200 length 2\nbody ok\nend\n"},
        {"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", "head 200 length 2\nbody ok\nend\n"},
        {"HTTP/1.0 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nok",
         "head 200 length 2\nbody ok\nend, reusable\n"},
        {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\n"
         "Content-Length: 0\r\n\r\n",
         "interim 103|Link: a\nhead 200 length 0\nend, reusable\n"},
        {"HTTP/1.1 200 OK\r\nSet-Cookie: a\r\nSet-Cookie: b\r\nContent-Length: 0\r\n\r\n",
         "head 200 length 0|Set-Cookie: a|Set-Cookie: b\nend, reusable\n"},
        {"HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 0\r\n\r\n",
         "head 200 length 0|X: a b\nend, reusable\n"},
        {"HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\nContent-Length: 2\r\n\r\nok",
         "head 200 length 2\nbody ok\nend, reusable\n"},
        // What concerned the connection only.
        {"HTTP/1.1 200 OK\r\nConnection: X-Mine\r\nX-Mine: a\r\nKeep-Alive: 5\r\nUpgrade: "
         "h2c\r\nContent-Length: 0\r\n\r\n",
         "head 200 length 0\nend, reusable\n"},
        {"HTTP/1.1 426 U\r\nUpgrade: x/2\r\nContent-Length: 0\r\n\r\n",
         "head 426 length 0|Upgrade: x/2\nend, reusable\n"},
        // Content that must not be there would be taken for the next answer.
        {"HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", "head 204 without body\nend\n"},
        {"HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n", "head 204 without body\nend\n"},
    };
    for (const auto& [bytes, expected] : cases) {
        EXPECT_EQ(reply(bytes), expected) << bytes;
    }
}

TEST(HttpProtocolTest, refusesRepliesThatCouldBeReadInTwoWays) {
    struct {
        std::string_view bytes, reason;
    } const cases[] = {
        {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
         "it has both Content-Length and Transfer-Encoding"},
        {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
         "it has Content-Length fields that differ"},
        {"HTTP/1.1 200 OK\r\nContent-Length: 5, 6\r\n\r\n", "it has Content-Length fields that differ"},
        {"HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\n", "its Content-Length is not a number of bytes"},
        {"HTTP/1.1 200 OK\r\nContent-Length: 5 5\r\n\r\n", "its Content-Length is not a number of bytes"},
        {"HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n", "its Content-Length is not a number of bytes"},
        {"HTTP/1.1 200 OK\r\nContent-Length: 9999999999999999999\r\n\r\n",
         "its Content-Length is not a number of bytes"},
        {"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "it has Transfer-Encoding in HTTP/1.0"},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
         "its Transfer-Encoding is \"gzip, chunked\", expected \"chunked\""},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
         "its Transfer-Encoding is \"chunked, chunked\", expected \"chunked\""},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding:\r\n\r\n",
         "its Transfer-Encoding is \"\", expected \"chunked\""},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: xchunked\r\n\r\n",
         "its Transfer-Encoding is \"xchunked\", expected \"chunked\""},
        {"HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n",
         "it switches to another protocol, which nobody asked for"},
        {"HTTP/1.1 200 OK\r\nA b: c\r\n\r\n", "a field's name holds characters that no name can have"},
        {"HTTP/1.1 200 OK\r\nA: b\rc\r\n\r\n", "a field holds a control character"},
        {"HTTP/1.1 200 OK\r\nA\r\n\r\n", "a line of the head has no colon"},
        {"HTTP/1.1 200 OK\r\n folded: x\r\n\r\n", "a folded line follows no field"},
        {"HTTP/1.1 200 OK\r\nA:\nA:\nA:\nA:\nA:\nA:\nA:\n\n", "there are too many fields"},
        {"HTTP/2 200\r\n\r\n",
         "it began with \"HTTP/2 200\", expected a status line such as \"HTTP/1.1 200 OK\""},
        {"HTTP/1.1 20\r\n\r\n",
         "it began with \"HTTP/1.1 20\", expected a status line such as \"HTTP/1.1 200 OK\""},
        {"HTTP/1.1 099 x\r\n\r\n",
         "it began with \"HTTP/1.1 099 x\", expected a status line such as \"HTTP/1.1 200 OK\""},
        {"HTTP/1.1  200 OK\r\n\r\n",
         "it began with \"HTTP/1.1  200 OK\", expected a status line such as \"HTTP/1.1 200 OK\""},
        {"SSH-2.0-x\r\n\r\n",
         "it began with \"SSH-2.0-x\", expected a status line such as \"HTTP/1.1 200 OK\""},
        {"\r\n", "it began with \"\", expected a status line such as \"HTTP/1.1 200 OK\""},
    };
    for (const auto& [bytes, reason] : cases) {
        EXPECT_EQ(reply(bytes), "failed 502: the answer cannot be read: " + std::string(reason) + "\n")
            << bytes;
    }
    EXPECT_EQ(reply("HTTP/1.1 200 OK\r\nX: " + std::string(300, 'x')),
              "failed 502: the head of the answer is larger than 200 bytes\n");
    EXPECT_EQ(reply("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\nhello"),
              "head 200\nfailed 502: the answer's chunks are malformed\n");
    std::string endless;
    for (int i = 0; i < 40; ++i) {
        endless += "HTTP/1.1 100 Continue\r\n\r\n";
    }
    EXPECT_EQ(reply(endless), "failed 502: interim answers come without end\n");
}

TEST(HttpProtocolTest, answersHeadWithoutBody) {
    const Asked head{Method::head, false};
    EXPECT_EQ(reply("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", false, head),
              "head 200 length 5 without body\nend, reusable\n");
    EXPECT_EQ(reply("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", false, head),
              "head 200 without body\nend, reusable\n");
    EXPECT_EQ(reply("HTTP/1.1 200 OK\r\n\r\n", false, head), "head 200 without body\nend, reusable\n");
}

TEST(HttpProtocolTest, judgesAConnectionThatIsClosed) {
    EXPECT_EQ(reply("HTTP/1.1 200 OK\r\nX: y\r\n\r\nhello", true), "head 200|X: y\nbody hello\nend\n");
    EXPECT_EQ(reply("", true), "failed 502: the connection was closed without an answer\n");
    EXPECT_EQ(reply("HTTP/1.1 200", true),
              "failed 502: the connection was closed in the head of the answer\n");
    EXPECT_EQ(
        reply("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell", true),
        "head 200 length 5\nbody hell\nfailed 502: the connection was closed in the middle of the answer\n");
    EXPECT_EQ(reply("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n", true),
              "head 200\nbody x\nfailed 502: the connection was closed in the middle of the answer\n");
}

TEST(HttpProtocolTest, switchesWhenAsked) {
    EXPECT_EQ(reply("HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nraw", false,
                    {Method::get, true}),
              "upgraded 101|Upgrade: websocket\n");
}

TEST(HttpProtocolTest, leavesWhatComesBehindTheEnd) {
    HttpProtocol protocol({}, "");
    BufferChain ignored;
    protocol.begin({}, ignored);
    test::ReplyScript script(protocol);
    script.feed("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxHTTP/1.1 200 Poison\r\n\r\n");
    EXPECT_EQ(script.unused, "HTTP/1.1 200 Poison\r\n\r\n");
}

TEST(HttpProtocolTest, isNotReusableBeforeTheRequestIsSent) {
    HttpProtocol protocol({Method::put, false}, "");
    BufferChain ignored;
    protocol.begin({Kind::length, 10}, ignored);
    test::ReplyScript script(protocol);
    script.feed("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n");
    EXPECT_EQ(script.text(), "head 413 length 0\nend\n");
}

} // namespace
} // namespace saker::proxy
