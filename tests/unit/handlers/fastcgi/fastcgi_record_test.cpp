#include "handlers/fastcgi/fastcgi_record.h"

#include "support/fake_exchange.h"
#include "unit/handlers/fastcgi/records.h"

#include <gtest/gtest.h>

namespace saker::fastcgi {
namespace {

using namespace std::string_view_literals;

TEST(FastCgiRecordTest, writesRecordsAsTheSpecificationSays) {
    std::string out;
    appendBeginRequest(out);
    EXPECT_EQ(out, "\1\1\0\1\0\10\0\0\0\1\1\0\0\0\0\0"sv);
    out.clear();
    appendAbortRequest(out);
    EXPECT_EQ(out, "\1\2\0\1\0\0\0\0"sv);
    out.clear();
    appendStream(RecordType::stdinput, "abc", out);
    appendStreamEnd(RecordType::stdinput, out);
    EXPECT_EQ(out, "\1\5\0\1\0\3\0\0abc\1\5\0\1\0\0\0\0"sv);
    out.clear();
    appendStream(RecordType::stdinput, "", out);
    EXPECT_EQ(out, "") << "an empty record would end the stream";
}

TEST(FastCgiRecordTest, writesLengthsOfPairs) {
    auto pair = [](std::size_t name, std::size_t value) {
        std::string out;
        appendPair(std::string(name, 'n'), std::string(value, 'v'), out);
        EXPECT_EQ(out.substr(out.size() - name - value), std::string(name, 'n') + std::string(value, 'v'));
        return out.substr(0, out.size() - name - value);
    };
    EXPECT_EQ(pair(3, 0), "\3\0"sv);
    EXPECT_EQ(pair(127, 127), "\x7f\x7f"sv);
    EXPECT_EQ(pair(128, 5), "\x80\0\0\x80\5"sv);
    EXPECT_EQ(pair(1, 70000), "\1\x80\1\x11\x70"sv);
}

TEST(FastCgiRecordTest, splitsLongStreams) {
    const std::string content(kMaxContent * 2 + 5, 'x');
    std::string out;
    appendStream(RecordType::params, content, out);
    EXPECT_EQ(out.size(), content.size() + 3 * kHeaderSize);
    EXPECT_EQ(out.substr(0, 8), "\1\4\0\1\xff\xf8\0\0"sv);
    EXPECT_EQ(out.substr(2 * (kMaxContent + 8)), "\1\4\0\1\0\5\0\0xxxxx"sv);

    BufferChain chain, framed;
    chain.append(content);
    chain.append(std::string("more"));
    appendStream(RecordType::params, chain, framed);
    EXPECT_TRUE(chain.empty());
    EXPECT_EQ(test::bytesOf(framed), out + "\1\4\0\1\0\4\0\0more"s);
}

std::string decode(std::string_view input, std::size_t cut) {
    RecordDecoder decoder;
    std::string text;
    bool wasContent = false;
    auto feed = [&](std::string_view rest) {
        for (;;) {
            const RecordDecoder::Step step = decoder.next(rest);
            rest.remove_prefix(step.consumed);
            switch (step.state) {
            case RecordDecoder::State::more:
                EXPECT_TRUE(rest.empty());
                return true;
            case RecordDecoder::State::content:
                EXPECT_FALSE(step.content.empty());
                if (!std::exchange(wasContent, true)) {
                    text += std::to_string(static_cast<int>(step.type)) + ":";
                }
                text += step.content;
                break;
            case RecordDecoder::State::recordEnd:
                wasContent = false;
                text += "/" + std::to_string(step.length) + " ";
                break;
            case RecordDecoder::State::failed:
                text += "failed: " + decoder.error();
                return false;
            }
        }
    };
    if (feed(input.substr(0, cut))) {
        feed(input.substr(cut));
    }
    return text;
}

TEST(FastCgiRecordTest, decodesWhateverTheCut) {
    const std::string input = test::record(6, "hello", 3) + test::record(7, "oops") +
                              test::record(6, "", 255) + test::record(6, "x", 200) +
                              test::record(3, std::string(8, '\0'));
    const std::string expected = "6:hello/5 7:oops/4 /0 6:x/1 3:"s + std::string(8, '\0') + "/8 ";
    for (std::size_t cut = 0; cut <= input.size(); ++cut) {
        EXPECT_EQ(decode(input, cut), expected) << cut;
    }
}

TEST(FastCgiRecordTest, refusesWhatIsNotForThisRequest) {
    struct {
        std::string input;
        std::string_view wrong;
    } const cases[] = {
        {"\2\6\0\1\0\1\0\0x"s, "failed: a record of FastCGI version 2 came"},
        {"HTTP/1.1"s, "failed: a record of FastCGI version 72 came"},
        {"\1\6\0\2\0\1\0\0x"s, "failed: a FastCGI record for request 2 came, expected request 1"},
        {"\1\6\0\0\0\1\0\0x"s, "failed: a FastCGI record for request 0 came"},
        {"\1\4\0\1\0\1\0\0x"s, "failed: a FastCGI record of type 4 came"},
        {"\1\x0b\0\0\0\0\0\0"s, "failed: a FastCGI record of type 11 came"},
    };
    for (const auto& [input, wrong] : cases) {
        for (std::size_t cut = 0; cut <= input.size(); ++cut) {
            EXPECT_EQ(decode(input, cut).substr(0, wrong.size()), wrong);
        }
    }
}

TEST(FastCgiRecordTest, givesContentAgainThatWasNotWanted) {
    const std::string input = test::record(6, "headbody", 2) + test::record(6, "more");
    RecordDecoder decoder;
    RecordDecoder::Step step = decoder.next(input);
    EXPECT_EQ(step.content, "headbody");
    decoder.unread(4);
    std::string_view rest = std::string_view(input).substr(step.consumed - 4);
    step = decoder.next(rest);
    EXPECT_EQ(step.content, "body");
    rest.remove_prefix(step.consumed);
    step = decoder.next(rest);
    EXPECT_EQ(step.state, RecordDecoder::State::recordEnd);
    EXPECT_EQ(step.length, 8);
    rest.remove_prefix(step.consumed);
    EXPECT_EQ(decoder.next(rest).content, "more");
}

} // namespace
} // namespace saker::fastcgi
