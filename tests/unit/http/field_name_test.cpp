#include "http/request.h"

#include "base/text.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>

namespace saker::http {
namespace {

constexpr std::array<std::pair<std::string_view, FieldName>, 25> kAll = {{
    {"Accept", FieldName::accept},
    {"Accept-Encoding", FieldName::acceptEncoding},
    {"Authorization", FieldName::authorization},
    {"Connection", FieldName::connection},
    {"Content-Length", FieldName::contentLength},
    {"Content-Type", FieldName::contentType},
    {"Cookie", FieldName::cookie},
    {"Expect", FieldName::expect},
    {"Host", FieldName::host},
    {"If-Match", FieldName::ifMatch},
    {"If-Modified-Since", FieldName::ifModifiedSince},
    {"If-None-Match", FieldName::ifNoneMatch},
    {"If-Range", FieldName::ifRange},
    {"If-Unmodified-Since", FieldName::ifUnmodifiedSince},
    {"Keep-Alive", FieldName::keepAlive},
    {"Origin", FieldName::origin},
    {"Proxy-Connection", FieldName::proxyConnection},
    {"Range", FieldName::range},
    {"Referer", FieldName::referer},
    {"TE", FieldName::te},
    {"Trailer", FieldName::trailer},
    {"Transfer-Encoding", FieldName::transferEncoding},
    {"Upgrade", FieldName::upgrade},
    {"User-Agent", FieldName::userAgent},
    {"X-Forwarded-For", FieldName::xForwardedFor},
}};

TEST(FieldName, IsFoundInAnyCase) {
    std::set<FieldName> found;
    for (const auto& [name, id] : kAll) {
        EXPECT_EQ(fieldNameId(name), id) << name;
        EXPECT_EQ(fieldNameId(toLowerAscii(name)), id) << name;
        std::string upper(name);
        for (char& c : upper) {
            c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
        }
        EXPECT_EQ(fieldNameId(upper), id) << name;
        found.insert(id);
    }
    EXPECT_EQ(found.size() + 1, static_cast<std::size_t>(FieldName::count_));
}

TEST(FieldName, OneWrongByteMakesItAnother) {
    for (const auto& [name, id] : kAll) {
        for (std::size_t i = 0; i < name.size(); ++i) {
            for (int byte = 0; byte < 256; ++byte) {
                std::string other(name);
                other[i] = static_cast<char>(byte);
                FieldName expected = equalsIgnoreCase(other, name) ? id : FieldName::other;
                ASSERT_EQ(fieldNameId(other), expected) << other;
            }
        }
        EXPECT_EQ(fieldNameId(name.substr(1)), FieldName::other);
        EXPECT_EQ(fieldNameId(std::string(name) + "x"), FieldName::other);
    }
    EXPECT_EQ(fieldNameId(""), FieldName::other);
    EXPECT_EQ(fieldNameId(std::string(1000, 'a')), FieldName::other);
}

} // namespace
} // namespace saker::http
