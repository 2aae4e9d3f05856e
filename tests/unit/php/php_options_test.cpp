#include "php/php_options.h"

#include "schema/description.h"
#include "schema/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace saker::php {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

struct Decoded {
    PhpOptions options;
    std::string problems;
};

Decoded decode(const std::string& text) {
    Decoded decoded;
    auto read = schema::read(text);
    for (const schema::Problem& problem : schema::decode(read.document, decoded.options)) {
        decoded.problems += problem.pointer + ": " + problem.message + "\n";
    }
    return decoded;
}

TEST(PhpOptions, Decode) {
    const Decoded decoded = decode(R"({"PhpMode": "cgi", "PhpVersion": "8.2", "PhpPath": ["/opt/php"],
        "PhpChildren": 12, "PhpMaxRequests": 0, "PhpRequestTimeout": "2m", "PhpUser": "www",
        "PhpIni": {"memory_limit": "512M", "date.timezone": "Europe/Berlin"}})");
    EXPECT_THAT(decoded.problems, IsEmpty());
    EXPECT_EQ(decoded.options.mode, PhpMode::cgi);
    EXPECT_EQ(decoded.options.version, "8.2");
    EXPECT_THAT(decoded.options.path, ElementsAre("/opt/php"));
    EXPECT_EQ(decoded.options.children, 12u);
    EXPECT_EQ(decoded.options.maxRequests, 0u);
    EXPECT_EQ(decoded.options.requestTimeout, std::chrono::minutes(2));
    EXPECT_EQ(decoded.options.user, "www");
    EXPECT_THAT(decoded.options.ini,
                ElementsAre(Pair("memory_limit", "512M"), Pair("date.timezone", "Europe/Berlin")));
}

TEST(PhpOptions, AreFineWhenNothingIsSaid) {
    const Decoded decoded = decode("{}");
    EXPECT_THAT(decoded.problems, IsEmpty());
    EXPECT_EQ(decoded.options, PhpOptions());
}

TEST(PhpOptions, SayWhatIsWrong) {
    struct Case {
        const char* text;
        const char* problem;
    };
    for (const Case& c : {
             Case{R"({"PhpMode": "apache"})", "PhpMode"},
             Case{R"({"PhpVersion": "latest"})",
                  "expected a version such as \"8.2\", or \"auto\", found \"latest\""},
             Case{R"({"PhpVersion": "8..2"})", "PhpVersion"},
             Case{R"({"PhpVersion": ""})", "PhpVersion"},
             Case{R"({"PhpChildren": -1})", "PhpChildren"},
             Case{R"({"PhpChildren": 100000})", "PhpChildren"},
             Case{R"({"PhpIni": {"a b": "1"}})", "name of a setting"},
             Case{R"({"PhpIni": {"a]\n": "1"}})", "name of a setting"},
             Case{R"({"PhpIni": {"a": "x\"\ny"}})", "without quotes"},
             Case{R"({"PhpIni": {"a": "${HOME}"}})", "without quotes"},
             Case{R"({"PhpIni": {"a": "x\\"}})", "without quotes"},
         }) {
        EXPECT_THAT(decode(c.text).problems, HasSubstr(c.problem)) << c.text;
    }
}

TEST(PhpVersionText, AutoOrNumbers) {
    for (const char* text : {"auto", "AUTO", "8", "8.2", "8.2.36"}) {
        EXPECT_TRUE(isPhpVersion(text)) << text;
    }
    for (const char* text : {"", ".", "8.", "8.2.3.4", "php8.2", "-1", "8.2 "}) {
        EXPECT_FALSE(isPhpVersion(text)) << text;
    }
}

} // namespace
} // namespace saker::php
