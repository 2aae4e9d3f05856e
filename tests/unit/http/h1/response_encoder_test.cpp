#include "http/h1/response_encoder.h"

#include <gtest/gtest.h>

#include <string>

namespace saker::http {
namespace {

using Kind = ResponseFraming::Kind;

std::string render(const ResponseHead& head, const HeadContext& context) {
    std::string out = "before|";
    renderHead(head, context, out);
    EXPECT_EQ(out.substr(0, 7), "before|");
    return out.substr(7);
}

TEST(ResponseEncoder, RendersAHead) {
    ResponseHead head;
    head.add("Content-Type", "text/html");
    head.add("Set-Cookie", "a=b");
    head.add("Set-Cookie", "c=d");
    HeadContext context;
    context.framing = {Kind::length, 1234};
    context.date = "Sun, 06 Nov 1994 08:49:37 GMT";
    EXPECT_EQ(render(head, context), "HTTP/1.1 200 OK\r\n"
                                     "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
                                     "Content-Type: text/html\r\n"
                                     "Set-Cookie: a=b\r\n"
                                     "Set-Cookie: c=d\r\n"
                                     "Content-Length: 1234\r\n"
                                     "\r\n");
}

TEST(ResponseEncoder, TheConnectionDecidesItsOwnFields) {
    ResponseHead head;
    head.status = 404;
    head.add("content-length", "9");
    head.add("Transfer-Encoding", "gzip");
    head.add("CONNECTION", "x");
    head.add("Keep-Alive", "timeout=5");
    head.add("Date", "never");
    EXPECT_EQ(
        render(head, {{Kind::chunked, 0}, false, 1, "now"}),
        "HTTP/1.1 404 Not Found\r\nDate: now\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n");
    EXPECT_EQ(render(head, {{Kind::untilClose, 0}, false, 0, {}}),
              "HTTP/1.1 404 Not Found\r\nDate: never\r\nConnection: close\r\n\r\n");
    EXPECT_EQ(render(head, {{Kind::length, 0}, true, 0, "now"}),
              "HTTP/1.1 404 Not Found\r\nDate: now\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n");
}

TEST(ResponseEncoder, AnUpgradeIsNamedInConnection) {
    ResponseHead head;
    head.status = 101;
    head.add("Upgrade", "websocket");
    EXPECT_EQ(render(head, {{Kind::none, 0}, false, 1, {}}),
              "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n");
    head.status = 426;
    EXPECT_EQ(render(head, {{Kind::length, 0}, false, 1, {}}),
              "HTTP/1.1 426 Upgrade Required\r\nUpgrade: websocket\r\nContent-Length: 0\r\n"
              "Connection: upgrade, close\r\n\r\n");
}

TEST(ResponseEncoder, NoValueSplitsAHead) {
    const std::pair<std::string, std::string> cases[] = {
        {"a\r\nSet-Cookie: b=c", "a  Set-Cookie: b=c"},
        {"a\nb", "a b"},
        {std::string("a\0b", 3), "a b"},
        {"\r\n\r\n<html>", "    <html>"},
        {"a\tb\x7f\x80", "a\tb \x80"},
        {"", ""},
    };
    for (const auto& [value, sent] : cases) {
        std::string out;
        EXPECT_TRUE(appendField("X", value, out));
        EXPECT_EQ(out, "X: " + sent + "\r\n");
    }
    for (std::string_view name : {"", "a b", "a:", "a\r\nb", "\xc3\xa9"}) {
        std::string out;
        EXPECT_FALSE(appendField(name, "x", out)) << name;
        EXPECT_TRUE(out.empty());
    }
    ResponseHead head;
    head.add("Location", "/a\r\n\r\nbody");
    head.add("bad\r\nname", "x");
    EXPECT_EQ(render(head, {{Kind::none, 0}, true, 1, {}}),
              "HTTP/1.1 200 OK\r\nLocation: /a    body\r\n\r\n");
}

TEST(ResponseEncoder, ChoosesTheFraming) {
    struct Case {
        Method method;
        std::uint8_t minor;
        int status;
        std::optional<std::uint64_t> length;
        Kind kind;
    };
    const Case cases[] = {
        {Method::get, 1, 200, 5, Kind::length},
        {Method::get, 0, 200, 5, Kind::length},
        {Method::get, 1, 200, std::nullopt, Kind::chunked},
        {Method::get, 0, 200, std::nullopt, Kind::untilClose},
        {Method::head, 1, 200, 5, Kind::length},
        {Method::head, 1, 200, std::nullopt, Kind::none},
        {Method::get, 1, 204, 5, Kind::none},
        {Method::get, 1, 304, 5, Kind::none},
        {Method::get, 1, 101, std::nullopt, Kind::none},
        {Method::connect, 1, 200, std::nullopt, Kind::none},
        {Method::connect, 1, 403, 5, Kind::length},
        {Method::post, 1, 205, std::nullopt, Kind::length},
    };
    for (const Case& c : cases) {
        ResponseFraming framing = chooseFraming(c.method, c.minor, c.status, c.length);
        EXPECT_EQ(framing.kind, c.kind) << c.status << " to " << methodName(c.method);
        EXPECT_EQ(framing.length, framing.kind == Kind::length ? c.length.value_or(0) : 0);
    }
}

TEST(ResponseEncoder, FramesChunks) {
    const std::pair<std::uint64_t, std::string> cases[] = {
        {1, "1\r\n"}, {255, "ff\r\n"}, {16384, "4000\r\n"}, {UINT64_MAX, "ffffffffffffffff\r\n"}};
    for (const auto& [size, text] : cases) {
        char line[kChunkHeadSize];
        EXPECT_EQ(std::string(line, writeChunkHead(size, line)), text);
    }
    std::string out;
    appendLastChunk({}, out);
    EXPECT_EQ(out, kLastChunk);
    out.clear();
    appendLastChunk(
        {{"Server-Timing", "db;dur=5"}, {"Content-Length", "5"}, {"Set-Cookie", "a"}, {"x", "a\r\nb"}}, out);
    EXPECT_EQ(out, "0\r\nServer-Timing: db;dur=5\r\nx: a  b\r\n\r\n");
}

} // namespace
} // namespace saker::http
