#include "handlers/fastcgi/cgi_variables.h"

#include "http/h1/request_parser.h"
#include "unit/handlers/fastcgi/records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace saker::fastcgi {
namespace {

using ::testing::Contains;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;

class CgiVariablesTest : public ::testing::Test {
protected:
    void parse(std::string text) {
        text_ = std::move(text);
        http::RequestParser parser(limits_);
        ASSERT_EQ(parser.parse(text_, head_), http::RequestParser::State::complete);
    }
    std::map<std::string, std::string> variables(std::string_view pathInfo = {}) {
        CgiContext context{head_, peer_, local_};
        context.isEncrypted = encrypted_;
        context.serverSoftware = "Saker/1";
        context.serverName = serverName_;
        context.documentRoot = "/srv/www/example.com";
        context.scriptFilename = "/srv/www/example.com/app/index.php";
        context.scriptName = "/app/index.php";
        context.pathInfo = pathInfo;
        context.extra = &extra_;
        std::string out;
        appendCgiVariables(context, out);
        return test::pairsOf(out);
    }

    http::RequestLimits limits_;
    http::RequestHead head_;
    std::string text_;
    std::string serverName_ = "example.com";
    bool encrypted_ = false;
    loop::SocketAddress peer_ = *loop::SocketAddress::parse("2001:db8::7", 40000);
    loop::SocketAddress local_ = *loop::SocketAddress::parse("192.0.2.1", 8443);
    std::vector<std::pair<std::string, std::string>> extra_;
};

TEST_F(CgiVariablesTest, tellsWhatRfc3875AndPhpApplicationsExpect) {
    encrypted_ = true;
    parse("POST /app/user%20x/7?a=b&c HTTP/1.1\r\nHost: example.com:8443\r\nContent-Type: text/plain\r\n"
          "Content-Length: 3\r\nAccept-Language: de\r\nAuthorization: Basic eDp5\r\n\r\n");
    const std::map<std::string, std::string> expected{
        {"GATEWAY_INTERFACE", "CGI/1.1"},
        {"SERVER_SOFTWARE", "Saker/1"},
        {"SERVER_PROTOCOL", "HTTP/1.1"},
        {"SERVER_NAME", "example.com"},
        {"SERVER_ADDR", "192.0.2.1"},
        {"SERVER_PORT", "8443"},
        {"REMOTE_ADDR", "2001:db8::7"},
        {"REMOTE_PORT", "40000"},
        {"REQUEST_METHOD", "POST"},
        {"REQUEST_SCHEME", "https"},
        {"HTTPS", "on"},
        {"REQUEST_URI", "/app/user%20x/7?a=b&c"},
        {"QUERY_STRING", "a=b&c"},
        {"DOCUMENT_ROOT", "/srv/www/example.com"},
        {"DOCUMENT_URI", "/app/index.php/user x/7"},
        {"SCRIPT_FILENAME", "/srv/www/example.com/app/index.php"},
        {"SCRIPT_NAME", "/app/index.php"},
        {"PATH_INFO", "/user x/7"},
        {"PATH_TRANSLATED", "/srv/www/example.com/user x/7"},
        {"REDIRECT_STATUS", "200"},
        {"CONTENT_TYPE", "text/plain"},
        {"HTTP_HOST", "example.com:8443"},
        {"HTTP_ACCEPT_LANGUAGE", "de"},
        {"HTTP_AUTHORIZATION", "Basic eDp5"},
    };
    EXPECT_EQ(variables("/user x/7"), expected);
}

TEST_F(CgiVariablesTest, leavesOutWhatDoesNotApply) {
    parse("GET / HTTP/1.0\r\n\r\n");
    serverName_ = "";
    const auto got = variables();
    for (const char* name : {"HTTPS", "PATH_INFO", "PATH_TRANSLATED", "CONTENT_TYPE", "CONTENT_LENGTH",
                             "HTTP_HOST", "REMOTE_USER", "AUTH_TYPE"}) {
        EXPECT_THAT(got, Not(Contains(Key(name))));
    }
    EXPECT_THAT(got, Contains(Pair("QUERY_STRING", "")));
    EXPECT_THAT(got, Contains(Pair("SERVER_PROTOCOL", "HTTP/1.0")));
    EXPECT_THAT(got, Contains(Pair("SERVER_NAME", "192.0.2.1")));
    EXPECT_THAT(got, Contains(Pair("REQUEST_SCHEME", "http")));
}

TEST_F(CgiVariablesTest, passesNoFieldThatBecomesAnotherVariable) {
    parse("GET / HTTP/1.1\r\nHost: a\r\nProxy: http://evil/\r\nX_Forwarded_For: 1.2.3.4\r\nX-A: dash\r\n"
          "X_A: underscore\r\nX.B: dot\r\nConnection: close\r\nTE: trailers\r\n\r\n");
    const auto got = variables();
    EXPECT_THAT(got, Contains(Pair("HTTP_X_A", "dash")));
    for (const char* name :
         {"HTTP_PROXY", "HTTP_X_FORWARDED_FOR", "HTTP_X.B", "HTTP_X_B", "HTTP_CONNECTION", "HTTP_TE"}) {
        EXPECT_THAT(got, Not(Contains(Key(name))));
    }
}

TEST_F(CgiVariablesTest, joinsRepeatedFields) {
    parse("GET / HTTP/1.1\r\nHost: a\r\nCookie: a=1\r\nX-List: one\r\ncookie: b=2\r\nx-list: two\r\n"
          "X-LIST: three\r\n\r\n");
    const auto got = variables();
    EXPECT_THAT(got, Contains(Pair("HTTP_COOKIE", "a=1; b=2")));
    EXPECT_THAT(got, Contains(Pair("HTTP_X_LIST", "one, two, three")));
}

TEST_F(CgiVariablesTest, takesTheAuthorityOfAnAbsoluteTarget) {
    parse("GET http://real.example/p?q HTTP/1.1\r\nHost: other.example\r\n\r\n");
    const auto got = variables();
    EXPECT_THAT(got, Contains(Pair("HTTP_HOST", "real.example")));
    EXPECT_THAT(got, Contains(Pair("REQUEST_URI", "/p?q")));
}

TEST_F(CgiVariablesTest, putsConfiguredOnesLast) {
    parse("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    extra_ = {{"APP_ENV", "production"}};
    EXPECT_THAT(variables(), Contains(Pair("APP_ENV", "production")));
}

} // namespace
} // namespace saker::fastcgi
