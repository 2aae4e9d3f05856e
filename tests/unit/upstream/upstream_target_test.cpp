#include "upstream/upstream_target.h"

#include <gtest/gtest.h>

namespace saker::upstream {
namespace {

TEST(UpstreamTargetTest, readsWhatConfigurationsSay) {
    struct {
        std::string_view text, canonical, authority, endpoint;
    } const cases[] = {
        {"fcgi://127.0.0.1:9000", "fcgi://127.0.0.1:9000", "127.0.0.1", "127.0.0.1:9000"},
        {"fcgi://127.0.0.1", "fcgi://127.0.0.1:9000", "127.0.0.1", "127.0.0.1:9000"},
        {"FCGI://[::1]:9001/", "fcgi://[::1]:9001", "[::1]:9001", "[::1]:9001"},
        {"fcgi://php:9000", "fcgi://php:9000", "php", ""},
        {"fcgi:///run/php/fpm.sock", "fcgi:///run/php/fpm.sock", "localhost", "unix:/run/php/fpm.sock"},
        {"fcgi:/run/php/fpm.sock", "fcgi:///run/php/fpm.sock", "localhost", "unix:/run/php/fpm.sock"},
        {"http://example.com", "http://example.com", "example.com", ""},
        {"http://Example.com.:8080/base//", "http://example.com:8080/base", "example.com:8080", ""},
        {"http://10.0.0.1:80", "http://10.0.0.1", "10.0.0.1", "10.0.0.1:80"},
        {"https://[2001:db8::1]", "https://[2001:db8::1]", "[2001:db8::1]", "[2001:db8::1]:443"},
        {"https://a:80", "https://a:80", "a:80", ""},
        {"unix:/run/app.sock", "unix:/run/app.sock", "localhost", "unix:/run/app.sock"},
        {"unix:///run/app.sock", "unix:/run/app.sock", "localhost", "unix:/run/app.sock"},
        {"http://unix:/run/app.sock", "unix:/run/app.sock", "localhost", "unix:/run/app.sock"},
    };
    for (const auto& [text, canonical, authority, endpoint] : cases) {
        const auto target = UpstreamTarget::parse(text);
        ASSERT_TRUE(target) << target.error().text();
        EXPECT_EQ(target.value().text(), canonical) << text;
        EXPECT_EQ(target.value().authority(), authority) << text;
        const auto to = target.value().endpoint();
        EXPECT_EQ(to ? to->text() : "", endpoint) << text;
        EXPECT_EQ(UpstreamTarget::parse(canonical).value(), target.value()) << text;
    }
}

TEST(UpstreamTargetTest, saysWhatIsWrong) {
    struct {
        std::string_view text, says;
    } const cases[] = {
        {"", "is no address of an upstream"},
        {"localhost:9000", "is no address of an upstream"},
        {"ftp://x", "is no address of an upstream"},
        {"http://", "has no valid host and port"},
        {"http:///x", "has no valid host and port"},
        {"http://user@host", "has no valid host and port"},
        {"http://a:99999", "has no valid host and port"},
        {"http://a:0", "has the port 0"},
        {"http://a/?q", "has a query or a fragment"},
        {"http://a b", "holds a blank or a control character"},
        {"fcgi://a:9000/x", "has a path behind its port"},
        {"fcgi:///", "does not name a socket"},
        {"fcgi:run.sock", "needs the absolute path of a socket"},
        {"unix:run.sock", "needs the absolute path of a socket"},
        {"unix:/run/", "does not name a socket"},
    };
    for (const auto& [text, says] : cases) {
        const auto target = UpstreamTarget::parse(text);
        ASSERT_FALSE(target) << text;
        EXPECT_NE(target.error().message.find(says), std::string::npos) << target.error().message;
        EXPECT_NE(target.error().message.find("expected one like"), std::string::npos);
    }
}

} // namespace
} // namespace saker::upstream
