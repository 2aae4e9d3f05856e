#include "http/prepared_response.h"

#include "support/fake_exchange.h"

#include <gmock/gmock.h>

#include <cstdio>

namespace saker::http {
namespace {

using test::bytesOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class PreparedResponseTest : public testing::Test {
protected:
    PreparedResponseTest() { date_.refresh(784111777); }

    static ResponseHead head(int status = 200) {
        ResponseHead head;
        head.status = status;
        head.set("Content-Type", "text/plain");
        return head;
    }
    /// A body whose bytes die with their keeper.
    static PreparedResponse::Body kept(std::string text, std::weak_ptr<std::string>* watch = nullptr) {
        auto owner = std::make_shared<std::string>(std::move(text));
        if (watch) {
            *watch = owner;
        }
        PreparedResponse::Body body;
        body.bytes = *owner;
        body.keeper = owner;
        return body;
    }
    std::string render(PreparedResponse& response, ConnectionField connection = ConnectionField::none,
                       bool withBody = true) {
        BufferChain chain;
        std::uint64_t bytes = response.appendHttp1(chain, date_, connection, withBody);
        EXPECT_EQ(bytes, chain.size());
        return bytesOf(chain);
    }

    DateCache date_;
};

TEST_F(PreparedResponseTest, IsAWholeAnswer) {
    auto response = makeRef<PreparedResponse>(head(), kept("hello"));
    EXPECT_EQ(render(*response), "HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
                                 "Content-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello");
    EXPECT_EQ(response->bodySize(), 5u);
    EXPECT_GT(response->memoryUse(), 5u);
}

TEST_F(PreparedResponseTest, LeavesInOnePieceWhenItIsSmall) {
    auto response = makeRef<PreparedResponse>(head(), kept("hello"));
    BufferChain chain;
    response->appendHttp1(chain, date_, ConnectionField::none, true);
    EXPECT_EQ(chain.pieceCount(), 1u);
}

TEST_F(PreparedResponseTest, SaysWhatBecomesOfTheConnection) {
    auto response = makeRef<PreparedResponse>(head(), kept("hello"));
    EXPECT_THAT(render(*response), Not(HasSubstr("Connection")));
    EXPECT_THAT(render(*response, ConnectionField::close), EndsWith("\r\nConnection: close\r\n\r\nhello"));
    EXPECT_THAT(render(*response, ConnectionField::keepAlive),
                EndsWith("\r\nConnection: keep-alive\r\n\r\nhello"));
    EXPECT_THAT(render(*response, ConnectionField::close, false), EndsWith("\r\nConnection: close\r\n\r\n"));
}

TEST_F(PreparedResponseTest, ToHeadTheHeadOnlyWithTheLength) {
    auto response = makeRef<PreparedResponse>(head(), kept("hello"));
    EXPECT_THAT(render(*response, ConnectionField::none, false), EndsWith("Content-Length: 5\r\n\r\n"));
}

TEST_F(PreparedResponseTest, StatusesWithoutBodyHaveNoLength) {
    for (int status : {204, 304}) {
        ResponseHead given = head(status);
        given.set("Content-Length", "7");
        auto response = makeRef<PreparedResponse>(std::move(given), PreparedResponse::Body{});
        EXPECT_THAT(render(*response), Not(HasSubstr("Content-Length"))) << status;
    }
    auto empty = makeRef<PreparedResponse>(head(200), PreparedResponse::Body{});
    EXPECT_THAT(render(*empty), EndsWith("Content-Length: 0\r\n\r\n"));
}

TEST_F(PreparedResponseTest, OnlyTheDateChanges) {
    auto response = makeRef<PreparedResponse>(head(), kept("hello"));
    std::string first = render(*response);
    date_.refresh(784111778);
    std::string second = render(*response);
    EXPECT_THAT(second, HasSubstr("Date: Sun, 06 Nov 1994 08:49:38 GMT\r\n"));
    second.replace(second.find(":38 GMT"), 7, ":37 GMT");
    EXPECT_EQ(first, second);
}

TEST_F(PreparedResponseTest, WhatIsBeingSentKeepsItsDate) {
    auto response = makeRef<PreparedResponse>(head(), kept("hello"));
    BufferChain chain;
    response->appendHttp1(chain, date_, ConnectionField::none, true);
    date_.refresh(784111778);
    EXPECT_THAT(render(*response), HasSubstr(":38 GMT"));
    EXPECT_THAT(bytesOf(chain), HasSubstr(":37 GMT")) << "the kernel may be reading these bytes";
}

TEST_F(PreparedResponseTest, WhatIsBeingSentOutlivesTheAnswer) {
    for (std::size_t size :
         {std::size_t{5}, PreparedResponse::kInlineBody, PreparedResponse::kInlineBody + 1}) {
        std::weak_ptr<std::string> watch;
        BufferChain chain;
        {
            auto response = makeRef<PreparedResponse>(head(), kept(std::string(size, 'b'), &watch));
            response->appendHttp1(chain, date_, ConnectionField::none, true);
            EXPECT_EQ(chain.pieceCount(), size > PreparedResponse::kInlineBody ? 2u : 1u);
        }
        EXPECT_THAT(bytesOf(chain), EndsWith("\r\n\r\n" + std::string(size, 'b')));
        chain.clear();
        EXPECT_TRUE(watch.expired());
    }
}

TEST_F(PreparedResponseTest, SendsARangeOfAFile) {
    std::FILE* file = std::tmpfile();
    ASSERT_NE(file, nullptr);
    std::fputs("0123456789", file);
    std::fflush(file);
    PreparedResponse::Body body;
    body.file = makeRef<FileHandle>(::dup(fileno(file)));
    body.offset = 2;
    body.size = 5;
    std::fclose(file);
    auto response = makeRef<PreparedResponse>(head(), std::move(body));
    EXPECT_EQ(response->bodySize(), 5u);
    EXPECT_THAT(render(*response), EndsWith("Content-Length: 5\r\n\r\n23456"));
    EXPECT_THAT(render(*response, ConnectionField::none, false), EndsWith("Content-Length: 5\r\n\r\n"));
    EXPECT_LT(response->memoryUse(), 2048u) << "the file is not in memory";
}

TEST_F(PreparedResponseTest, NoFieldValueEndsTheHeadEarly) {
    ResponseHead given = head();
    given.set("X-Odd", "a\r\nInjected: b\r\n\r\nc");
    auto response = makeRef<PreparedResponse>(std::move(given), kept("hello"));
    EXPECT_THAT(render(*response), AllOf(Not(HasSubstr("\r\nInjected")), EndsWith("\r\n\r\nhello")));
}

} // namespace
} // namespace saker::http
