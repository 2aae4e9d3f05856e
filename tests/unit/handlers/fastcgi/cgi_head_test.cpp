#include "handlers/fastcgi/cgi_head.h"

#include <gtest/gtest.h>

#include <string>

namespace saker::fastcgi {
namespace {

std::string parsed(std::string_view lines) {
    upstream::ReplyHead reply;
    const std::string_view wrong = parseCgiHead(lines, {1000, 8}, reply);
    if (!wrong.empty()) {
        return std::string(wrong);
    }
    std::string text = std::to_string(reply.head.status);
    if (reply.bodyLength) {
        text += " length " + std::to_string(*reply.bodyLength);
    }
    if (!reply.localRedirect.empty()) {
        text += " redirect " + reply.localRedirect;
    }
    for (const auto& field : reply.head.fields) {
        text += "|" + field.name + ": " + field.value;
    }
    return text;
}

TEST(CgiHeadTest, understandsWhatProgramsWrite) {
    const char* const kNoStatus = "its Status is not one of an answer, such as \"404 Not Found\"";
    const char* const kNoLength = "its Content-Length is not one number of bytes";
    struct {
        std::string_view lines, expected;
    } const cases[] = {
        {"", "200"},
        {"Content-Type: text/html\r\n", "200|Content-Type: text/html"},
        {"Status: 404 Not Found\nContent-Type: a\n", "404|Content-Type: a"},
        {"Content-Type: a\r\nstatus: 500\r\n", "500|Content-Type: a"},
        {"Status: 200\r\nContent-Length: 12\r\n", "200 length 12"},
        {"Content-Length: 12\r\nContent-Length: 12\r\n", "200 length 12"},
        {"Content-Length:\r\n", "200"},
        {"Set-Cookie: a=1\r\nSet-Cookie: b=2\r\nSet-Cookie: a=3\r\n",
         "200|Set-Cookie: a=1|Set-Cookie: b=2|Set-Cookie: a=3"},
        {"X: a\r\n b\r\n", "200|X: a b"},
        // Location: elsewhere is a redirect of the client, a path is one for the server (RFC 3875, 6.2.2).
        {"Location: https://example.com/x\r\n", "302|Location: https://example.com/x"},
        {"Location: //example.com/x\r\n", "302|Location: //example.com/x"},
        {"Location: /there?a=b\r\n", "302 redirect /there?a=b|Location: /there?a=b"},
        {"Location: /\r\n", "302 redirect /|Location: /"},
        {"Location: there\r\n", "302|Location: there"},
        {"Status: 302 Found\r\nLocation: /there\r\n", "302|Location: /there"},
        {"Status: 201\r\nLocation: /new\r\n", "201|Location: /new"},
        {"Status: 103 Early Hints\r\nLink: </a.css>\r\n", "103|Link: </a.css>"},
        // What a program cannot know about the client's connection.
        {"Connection: close\r\nTransfer-Encoding: chunked\r\nKeep-Alive: x\r\nUpgrade: h2c\r\nTrailer: x\r\n"
         "Proxy-Connection: x\r\nX: y\r\n",
         "200|X: y"},
        {"no field\r\nX: y\r\n", "200|X: y"},
        {"Status: OK\r\n", kNoStatus},
        {"Status: 4040\r\n", kNoStatus},
        {"Status: 99\r\n", kNoStatus},
        {"Status: 000 x\r\n", kNoStatus},
        {"Status: 600\r\n", kNoStatus},
        {"Status: 101\r\n", kNoStatus},
        {"Status:\r\n", kNoStatus},
        {"Content-Length: -1\r\n", kNoLength},
        {"Content-Length: 1, 1\r\n", kNoLength},
        {"Content-Length: 1\r\nContent-Length: 2\r\n", kNoLength},
        {"Content-Length: 99999999999999999999999\r\n", kNoLength},
        {"A:1\nA:1\nA:1\nA:1\nA:1\nA:1\nA:1\nA:1\nA:1\n", "there are too many fields"},
    };
    for (const auto& [lines, expected] : cases) {
        EXPECT_EQ(parsed(lines), expected) << lines;
    }
}

} // namespace
} // namespace saker::fastcgi
