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
        text.begin(most, takesProtocol);
        for (const auto& [name, value] : fields) {
            text.addField(name, value);
        }
        return text.complete();
    }
    static Fields with(const Fields& more) {
        Fields all{{":method", "GET"}, {":scheme", "https"}, {":path", "/"}, {":authority", "x"}};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    RequestText text;
    bool takesProtocol = false;
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
    ASSERT_TRUE(make({{":method", "GET"}, {":scheme", "http"}, {":path", "/"}, {"host", "a.test"}}));
    EXPECT_EQ(text.text(), "GET / HTTP/1.1\r\nhost: a.test\r\n\r\n");
}

TEST_F(RequestTextTest, HostMayOnlyRepeatTheAuthority) {
    Fields fields = {{":method", "GET"},
                     {":scheme", "http"},
                     {":path", "/"},
                     {":authority", "A.test"},
                     {"host", "a.test"}};
    ASSERT_TRUE(make(fields));
    EXPECT_EQ(text.text(), "GET / HTTP/1.1\r\nhost: A.test\r\n\r\n");
    fields.back().second = "b.test";
    EXPECT_FALSE(make(fields));
    EXPECT_TRUE(text.isMalformed());
}

TEST_F(RequestTextTest, JoinsCookies) { // RFC 9113, section 8.2.3
    ASSERT_TRUE(make(with({{"cookie", "a=1"}, {"accept", "*/*"}, {"cookie", "b=2"}})));
    EXPECT_EQ(text.text(), "GET / HTTP/1.1\r\nhost: x\r\naccept: */*\r\ncookie: a=1; b=2\r\n\r\n");
}

TEST_F(RequestTextTest, ConnectNamesTheAuthority) {
    ASSERT_TRUE(make({{":method", "CONNECT"}, {":authority", "x:443"}}));
    EXPECT_EQ(text.text(), "CONNECT x:443 HTTP/1.1\r\nhost: x:443\r\n\r\n");
}

TEST_F(RequestTextTest, ExtendedConnectLooksLikeAnUpgrade) { // RFC 8441
    const Fields fields = {{":method", "CONNECT"}, {":protocol", "websocket"},
                           {":scheme", "https"},   {":path", "/chat"},
                           {":authority", "x"},    {"sec-websocket-version", "13"}};
    EXPECT_FALSE(make(fields)) << "it was not offered";
    takesProtocol = true;
    ASSERT_TRUE(make(fields));
    EXPECT_EQ(text.text(), "GET /chat HTTP/1.1\r\nconnection: upgrade\r\nupgrade: websocket\r\nhost: x\r\n"
                           "sec-websocket-version: 13\r\n\r\n");
}

TEST_F(RequestTextTest, KeepsThePriority) { // RFC 9218
    ASSERT_TRUE(make(with({{"priority", "u=1, i"}, {"accept", "*/*"}})));
    EXPECT_EQ(text.priority(), "u=1, i");
    ASSERT_TRUE(make(with({})));
    EXPECT_EQ(text.priority(), "");
}

TEST_F(RequestTextTest, FindsWhatIsMalformed) { // RFC 9113, sections 8.2 and 8.3
    const std::pair<std::string, std::string> method{":method", "GET"}, scheme{":scheme", "https"},
        path{":path", "/"}, authority{":authority", "x"};
    const std::vector<Fields> cases = {
        {},
        {scheme, path, authority},
        {method, path, authority},
        {method, scheme, authority},
        {method, scheme, path, authority, path},
        {method, method, scheme, path, authority},
        {method, scheme, {"accept", "*/*"}, path, authority},
        {method, scheme, path, authority, {":status", "200"}},
        {method, scheme, path, authority, {":unknown", "1"}},
        {method, scheme, path, authority, {":protocol", "websocket"}},
        {{":method", ""}, scheme, path, authority},
        {{":method", "GET /evil"}, scheme, path, authority},
        {{":method", "GET / HTTP/1.1\r\na: b\r\n\r\nGET"}, scheme, path, authority},
        {method, {":scheme", ""}, path, authority},
        {method, scheme, {":path", ""}, authority},
        {method, scheme, {":path", "x"}, authority},
        {method, scheme, {":path", "*"}, authority},
        {method, scheme, {":path", "http://other/"}, authority},
        {method, scheme, {":path", "/ HTTP/1.1\r\nhost: other"}, authority},
        {method, scheme, path, {":authority", "x\r\nhost: other"}},
        {{":method", "CONNECT"}, scheme, path, authority},
        {{":method", "CONNECT"}},
        {method, scheme, path, {":authority", ""}},
        {method, scheme, path, {"host", ""}},
        with({{"", "v"}}),
        with({{"Accept", "v"}}),
        with({{"a b", "v"}}),
        with({{"a:", "v"}}),
        with({{"a: b\r\nc", "v"}}),
        with({{std::string("a\0", 2), "v"}}),
        with({{"\xc3\xa4", "v"}}),
        with({{"a", "v\r\nb: c"}}),
        with({{"a", "v\n"}}),
        with({{"a", std::string("v\0w", 3)}}),
        with({{"a", "\x7f"}}),
        with({{"a", " v"}}),
        with({{"a", "v\t"}}),
        with({{"connection", "close"}}),
        with({{"keep-alive", "5"}}),
        with({{"proxy-connection", "close"}}),
        with({{"transfer-encoding", "chunked"}}),
        with({{"upgrade", "h2c"}}),
        with({{"te", "gzip"}}),
        with({{"cookie", "a\r\nb: c"}}),
    };
    for (std::size_t i = 0; i < cases.size(); ++i) {
        EXPECT_FALSE(make(cases[i])) << "case " << i;
        EXPECT_TRUE(text.isMalformed()) << "case " << i;
    }
    EXPECT_TRUE(make(with({{"te", "trailers"}, {"a", ""}, {"b", "\xc3\xa4 \"\t\""}, {"x_y.z", "1"}})));
    EXPECT_TRUE(make({{":method", "OPTIONS"}, scheme, {":path", "*"}, authority}));
}

TEST_F(RequestTextTest, CountsWhatItDrops) {
    EXPECT_FALSE(
        make({{":method", "GET"}, {":path", "/"}, {":authority", "x"}, {"a", std::string(100, 'v')}}, 60));
    EXPECT_TRUE(text.isTooLarge());
    EXPECT_GT(text.size(), 100U);
    EXPECT_LE(text.text().size(), 100U);
}

TEST_F(RequestTextTest, ServesOneRequestAfterTheOther) {
    ASSERT_TRUE(make({{":method", "GET"},
                      {":scheme", "http"},
                      {":path", "/" + std::string(5000, 'p')},
                      {":authority", "long"}}));
    EXPECT_FALSE(make({}));
    ASSERT_TRUE(make({{":method", "PUT"}, {":scheme", "http"}, {":path", "/"}, {":authority", "x"}}));
    EXPECT_EQ(text.text(), "PUT / HTTP/1.1\r\nhost: x\r\n\r\n");
}

} // namespace
} // namespace saker::http
