#include "http/h2/request_text.h"

#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace saker::http {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

class RequestTextTest : public testing::Test {
protected:
    bool make(const Fields& fields, std::size_t most = 8192) {
        text.begin(most);
        for (const auto& [name, value] : fields) {
            text.addField(name, value);
        }
        return text.complete();
    }
    RequestText text;
};

TEST_F(RequestTextTest, ReadsAsAnHttp1Head) {
    ASSERT_TRUE(make({{":method", "GET"},
                      {":scheme", "https"},
                      {":authority", "a.test"},
                      {":path", "/x?y"},
                      {"accept", "*/*"}}));
    EXPECT_EQ(text.text(), "GET /x?y HTTP/1.1\r\nhost: a.test\r\naccept: */*\r\n\r\n");
}

TEST_F(RequestTextTest, TakesTheAuthorityFromHostWhereThereIsNoOther) {
    ASSERT_TRUE(make({{":method", "GET"}, {":path", "/"}, {"host", "a.test"}}));
    EXPECT_EQ(text.text(), "GET / HTTP/1.1\r\nhost: a.test\r\n\r\n");
}

TEST_F(RequestTextTest, HostMayOnlyRepeatTheAuthority) {
    ASSERT_TRUE(make({{":method", "GET"}, {":path", "/"}, {":authority", "A.test"}, {"host", "a.test"}}));
    EXPECT_EQ(text.text(), "GET / HTTP/1.1\r\nhost: A.test\r\n\r\n");
    EXPECT_FALSE(make({{":method", "GET"}, {":path", "/"}, {":authority", "a.test"}, {"host", "b.test"}}));
}

TEST_F(RequestTextTest, JoinsCookies) { // RFC 9113, section 8.2.3
    ASSERT_TRUE(make({{":method", "GET"},
                      {":path", "/"},
                      {":authority", "x"},
                      {"cookie", "a=1"},
                      {"accept", "*/*"},
                      {"cookie", "b=2"}}));
    EXPECT_EQ(text.text(), "GET / HTTP/1.1\r\nhost: x\r\naccept: */*\r\ncookie: a=1; b=2\r\n\r\n");
}

TEST_F(RequestTextTest, ConnectNamesTheAuthority) {
    ASSERT_TRUE(make({{":method", "CONNECT"}, {":authority", "x:443"}}));
    EXPECT_EQ(text.text(), "CONNECT x:443 HTTP/1.1\r\nhost: x:443\r\n\r\n");
}

TEST_F(RequestTextTest, ExtendedConnectLooksLikeAnUpgrade) { // RFC 8441
    ASSERT_TRUE(make({{":method", "CONNECT"},
                      {":protocol", "websocket"},
                      {":path", "/chat"},
                      {":authority", "x"},
                      {"sec-websocket-version", "13"}}));
    EXPECT_EQ(text.text(), "GET /chat HTTP/1.1\r\nconnection: upgrade\r\nupgrade: websocket\r\nhost: x\r\n"
                           "sec-websocket-version: 13\r\n\r\n");
}

TEST_F(RequestTextTest, CountsWhatItDrops) {
    EXPECT_FALSE(
        make({{":method", "GET"}, {":path", "/"}, {":authority", "x"}, {"a", std::string(100, 'v')}}, 60));
    EXPECT_TRUE(text.isTooLarge());
    EXPECT_GT(text.size(), 100U);
    EXPECT_LE(text.text().size(), 100U);
}

TEST_F(RequestTextTest, ServesOneRequestAfterTheOther) {
    ASSERT_TRUE(make({{":method", "GET"}, {":path", "/" + std::string(5000, 'p')}, {":authority", "long"}}));
    ASSERT_TRUE(make({{":method", "PUT"}, {":path", "/"}, {":authority", "x"}}));
    EXPECT_EQ(text.text(), "PUT / HTTP/1.1\r\nhost: x\r\n\r\n");
}

} // namespace
} // namespace saker::http
