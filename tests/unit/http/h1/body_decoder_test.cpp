#include "http/h1/body_decoder.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace saker::http {
namespace {

using State = BodyDecoder::State;

struct Outcome {
    State state = State::more;
    Rejection rejection = Rejection::none;
    std::string data;
    std::size_t consumed = 0; // not compared for refused bodies
};

bool operator==(const Outcome& a, const Outcome& b) {
    return a.state == b.state && a.rejection == b.rejection && a.data == b.data &&
           (a.consumed == b.consumed || a.state == State::rejected);
}

void PrintTo(const Outcome& o, std::ostream* out) {
    *out << "state " << static_cast<int>(o.state) << ", rejection " << static_cast<int>(o.rejection)
         << ", data \"" << o.data << "\", consumed " << o.consumed;
}

/// All of `input`, given in pieces of `step` bytes after a first one of `first`.
Outcome decode(BodyDecoder& decoder, std::string_view input, std::size_t first, std::size_t step) {
    Outcome outcome;
    std::size_t given = 0;
    for (std::size_t size = first;; size = step) {
        std::vector<char> piece;
        std::string_view taken = input.substr(given, size);
        piece.assign(taken.begin(), taken.end());
        std::string_view rest(piece.data(), piece.size());
        for (;;) {
            BodyDecoder::Step result = decoder.next(rest);
            outcome.state = result.state;
            outcome.consumed += result.consumed;
            outcome.rejection = decoder.rejection();
            if (result.state == State::data) {
                EXPECT_GE(result.data.data(), piece.data());
                EXPECT_LE(result.data.data() + result.data.size(), piece.data() + piece.size());
                outcome.data.append(result.data);
            }
            rest.remove_prefix(result.consumed);
            if (result.state == State::end || result.state == State::rejected) {
                return outcome;
            }
            if (result.state == State::more) {
                break;
            }
        }
        EXPECT_TRUE(rest.empty());
        given += taken.size();
        if (given == input.size()) {
            return outcome;
        }
    }
}

Outcome decodeChunked(std::string_view input, std::uint64_t maxBody = 0) {
    BodyDecoder decoder;
    decoder.start(BodyFraming::chunked, 0, maxBody);
    return decode(decoder, input, input.size(), 1);
}

struct Case {
    std::string input;
    State state;
    Rejection rejection;
    std::string data;
};

const std::vector<Case>& chunkedCases() {
    static const std::vector<Case> cases = {
        {"0\r\n\r\n", State::end, Rejection::none, ""},
        {"5\r\nhello\r\n0\r\n\r\nGET", State::end, Rejection::none, "hello"},
        {"5\r\nhello\r\n6\r\n world\r\n000\r\n\r\n", State::end, Rejection::none, "hello world"},
        {"a\r\n0123456789\r\nA\r\n\r\n\r\n\r\n\r\n\r\n\r\n0\r\n\r\n", State::end, Rejection::none,
         "0123456789\r\n\r\n\r\n\r\n\r\n"},
        {"5;a=b;c=\"d\\\"\"\r\nhello\r\n0;last\r\n\r\n", State::end, Rejection::none, "hello"},
        {"0000000000000005\r\nhello\r\n0\r\n\r\n", State::end, Rejection::none, "hello"},
        {"0\r\nTrailer: value\r\nOther:\r\n\r\n", State::end, Rejection::none, ""},
        {"5\r\nhel", State::more, Rejection::none, "hel"},
        {"5\r\nhello\r\n0\r\n", State::more, Rejection::none, "hello"},
        // sizes
        {"\r\n", State::rejected, Rejection::badChunk, ""},
        {"g\r\n", State::rejected, Rejection::badChunk, ""},
        {"-1\r\n", State::rejected, Rejection::badChunk, ""},
        {"+5\r\nhello\r\n", State::rejected, Rejection::badChunk, ""},
        {"0x5\r\nhello\r\n", State::rejected, Rejection::badChunk, ""},
        {" 5\r\nhello\r\n", State::rejected, Rejection::badChunk, ""},
        {"5 \r\nhello\r\n", State::rejected, Rejection::badChunk, ""},
        {"5\t;a\r\nhello\r\n", State::rejected, Rejection::badChunk, ""},
        {"5.\r\nhello\r\n", State::rejected, Rejection::badChunk, ""},
        {";a\r\n", State::rejected, Rejection::badChunk, ""},
        {"8000000000000000\r\n", State::rejected, Rejection::badChunk, ""},
        {"fffffffffffffffff\r\n", State::rejected, Rejection::badChunk, ""},
        {"10000000000000005\r\nhello\r\n", State::rejected, Rejection::badChunk, ""},
        {"00000000000000005\r\nhello\r\n", State::rejected, Rejection::badChunk, ""},
        // line ends
        {"5\nhello\r\n0\r\n\r\n", State::rejected, Rejection::badChunk, ""},
        {"5\rhello\r\n0\r\n\r\n", State::rejected, Rejection::badChunk, ""},
        {"5\r\nhello0\r\n\r\n", State::rejected, Rejection::badChunk, "hello"},
        {"5\r\nhello\n0\r\n\r\n", State::rejected, Rejection::badChunk, "hello"},
        {"5\r\nhello\rx0\r\n\r\n", State::rejected, Rejection::badChunk, "hello"},
        {"5\r\nhelloXX0\r\n\r\n", State::rejected, Rejection::badChunk, "hello"},
        {"5;a\nhello\r\n", State::rejected, Rejection::badChunk, ""},
        {"5;a\rb\r\nhello\r\n", State::rejected, Rejection::badChunk, ""},
        {std::string("5;a\0\r\nhello\r\n", 13), State::rejected, Rejection::badChunk, ""},
        {"0\r\n\n", State::rejected, Rejection::badField, ""},
        {"0\r\n\rx", State::rejected, Rejection::badChunk, ""},
        // trailers
        {"0\r\nA: b\n\r\n", State::rejected, Rejection::badField, ""},
        {"0\r\nA : b\r\n\r\n", State::rejected, Rejection::badField, ""},
        {"0\r\n: b\r\n\r\n", State::rejected, Rejection::badField, ""},
        {"0\r\nA\r\n\r\n", State::rejected, Rejection::badField, ""},
        {"0\r\nA: b\r\n c\r\n\r\n", State::rejected, Rejection::badField, ""},
        {"0\r\nA: \x01\r\n\r\n", State::rejected, Rejection::badField, ""},
        {"0\r\nA: b\rc\r\n\r\n", State::rejected, Rejection::badChunk, ""},
        {"0\r\nGET / HTTP/1.1\r\n\r\n", State::rejected, Rejection::badField, ""},
        {"0\r\nA: " + std::string(8192, 'a') + "\r\n\r\n", State::rejected, Rejection::headTooLarge, ""},
        {"5;" + std::string(4097, 'a') + "\r\nhello\r\n", State::rejected, Rejection::badChunk, ""},
    };
    return cases;
}

TEST(BodyDecoder, DecodesChunks) {
    for (const Case& c : chunkedCases()) {
        Outcome outcome = decodeChunked(c.input);
        EXPECT_EQ(outcome.state, c.state) << c.input;
        EXPECT_EQ(outcome.rejection, c.rejection) << c.input;
        EXPECT_EQ(outcome.data, c.data) << c.input;
    }
}

TEST(BodyDecoder, GivesTheSameWhereverTheInputIsCut) {
    for (const Case& c : chunkedCases()) {
        if (c.input.size() > 200) {
            continue; // they only differ in length
        }
        Outcome whole = decodeChunked(c.input);
        for (std::size_t cut = 0; cut <= c.input.size(); ++cut) {
            BodyDecoder decoder;
            decoder.start(BodyFraming::chunked, 0, 0);
            EXPECT_EQ(decode(decoder, c.input, cut, c.input.size()), whole) << c.input << " cut at " << cut;
        }
        BodyDecoder decoder;
        decoder.start(BodyFraming::chunked, 0, 0);
        EXPECT_EQ(decode(decoder, c.input, 1, 1), whole) << c.input;
    }
}

TEST(BodyDecoder, LeavesWhatFollowsTheBody) {
    EXPECT_EQ(decodeChunked("1\r\na\r\n0\r\n\r\nGET /").consumed, 11U);
    BodyDecoder decoder;
    decoder.start(BodyFraming::length, 3, 0);
    Outcome outcome = decode(decoder, "abcGET /", 8, 1);
    EXPECT_EQ(outcome, (Outcome{State::end, Rejection::none, "abc", 3}));
    EXPECT_TRUE(decoder.isDone());
    EXPECT_EQ(decoder.received(), 3U);
}

TEST(BodyDecoder, DecodesByLength) {
    for (std::size_t step : {1, 2, 3, 100}) {
        BodyDecoder decoder;
        decoder.start(BodyFraming::length, 5, 5);
        EXPECT_EQ(decode(decoder, "hello", step, step), (Outcome{State::end, Rejection::none, "hello", 5}));
    }
    BodyDecoder decoder;
    decoder.start(BodyFraming::length, 5, 0);
    EXPECT_EQ(decode(decoder, "hel", 3, 1), (Outcome{State::more, Rejection::none, "hel", 3}));
    EXPECT_FALSE(decoder.isDone());
}

TEST(BodyDecoder, IsDoneAtOnceWithoutABody) {
    BodyDecoder decoder;
    for (BodyFraming framing : {BodyFraming::none, BodyFraming::length}) {
        decoder.start(framing, 0, 1);
        EXPECT_TRUE(decoder.isDone());
        EXPECT_EQ(decoder.next("GET").state, State::end);
        EXPECT_EQ(decoder.next("GET").consumed, 0U);
    }
}

TEST(BodyDecoder, RefusesBodiesOverTheLimit) {
    BodyDecoder decoder;
    decoder.start(BodyFraming::length, 6, 5);
    EXPECT_EQ(decoder.rejection(), Rejection::bodyTooLarge);
    EXPECT_EQ(decoder.next("abcdef").state, State::rejected);

    EXPECT_EQ(decodeChunked("5\r\nhello\r\n0\r\n\r\n", 5).state, State::end);
    Outcome outcome = decodeChunked("3\r\nhel\r\n3\r\nlo!\r\n0\r\n\r\n", 5);
    EXPECT_EQ(outcome, (Outcome{State::rejected, Rejection::bodyTooLarge, "hel", 0}));
    EXPECT_EQ(decodeChunked("7fffffffffffffff\r\n", 5).rejection, Rejection::bodyTooLarge);
    EXPECT_EQ(decodeChunked("1\r\na\r\n7fffffffffffffff\r\nb").data, "ab");
}

TEST(BodyDecoder, ExtensionsMayNotOutweighTheData) {
    std::string tiny;
    for (int i = 0; i < 100; ++i) {
        tiny += "1;" + std::string(99, 'x') + "\r\na\r\n";
    }
    EXPECT_EQ(decodeChunked(tiny).rejection, Rejection::badChunk);
    std::string fair;
    for (int i = 0; i < 100; ++i) {
        fair += "64;" + std::string(99, 'x') + "\r\n" + std::string(100, 'a') + "\r\n";
    }
    EXPECT_EQ(decodeChunked(fair + "0\r\n\r\n").state, State::end);
}

} // namespace
} // namespace saker::http
