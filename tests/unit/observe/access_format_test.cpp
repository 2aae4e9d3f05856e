#include "observe/access_format.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <string>

namespace saker::observe {
namespace {

class AccessFormatTest : public testing::Test {
protected:
    AccessFormatTest() {
        ::setenv("TZ", "XYZ+7", 1); // seven hours west of UTC
        ::tzset();
    }
    ~AccessFormatTest() override {
        ::unsetenv("TZ");
        ::tzset();
    }

    static std::string line(AccessLogFormat format, const AccessRecord& record) {
        AccessFormatter formatter(format);
        std::string text(AccessFormatter::maxSize(record), '\0');
        text.resize(static_cast<std::size_t>(formatter.write(record, text.data()) - text.data()));
        return text;
    }

    static AccessRecord sample() {
        AccessRecord record;
        record.unixMillis = 971211336042; // 2000-10-10 20:55:36.042 UTC
        record.client = "203.0.113.9";
        record.host = "www.example.com";
        record.site = "example.com";
        record.port = 8080;
        record.method = "GET";
        record.target = "/a%20b?c=d";
        record.version = "HTTP/1.1";
        record.status = 200;
        record.bytes = 2326;
        record.durationMicros = 1500;
        record.referer = "http://example.com/start";
        record.userAgent = "Mozilla/5.0 (X11)";
        return record;
    }
};

TEST_F(AccessFormatTest, Combined) {
    EXPECT_EQ(line(AccessLogFormat::combined, sample()),
              "203.0.113.9 - - [10/Oct/2000:13:55:36 -0700] \"GET /a%20b?c=d HTTP/1.1\" 200 2326 "
              "\"http://example.com/start\" \"Mozilla/5.0 (X11)\"\n");
}

TEST_F(AccessFormatTest, VhostCombined) {
    AccessRecord record = sample();
    record.user = "frank";
    EXPECT_EQ(
        line(AccessLogFormat::vhostCombined, record),
        "example.com:8080 203.0.113.9 - frank [10/Oct/2000:13:55:36 -0700] \"GET /a%20b?c=d HTTP/1.1\" 200 "
        "2326 \"http://example.com/start\" \"Mozilla/5.0 (X11)\"\n");
}

TEST_F(AccessFormatTest, Json) {
    AccessRecord record = sample();
    record.requestId = "7f3a";
    EXPECT_EQ(
        line(AccessLogFormat::json, record),
        "{\"@timestamp\":\"2000-10-10T20:55:36.042Z\",\"client.ip\":\"203.0.113.9\",\"url.domain\":\"www."
        "example."
        "com\",\"saker.site\":\"example.com\",\"server.port\":8080,\"http.request.method\":\"GET\",\"url."
        "original\":\"/"
        "a%20b?c=d\",\"http.version\":\"1.1\",\"http.response.status_code\":200,\"http.response."
        "body.bytes\":2326,\"event.duration\":1500000,\"http.request.referrer\":\"http://example.com/start\","
        "\"user_agent.original\":\"Mozilla/5.0 (X11)\",\"http.request.id\":\"7f3a\"}\n");
}

TEST_F(AccessFormatTest, UnknownThingsAreDashesOrLeftOut) {
    AccessRecord record;
    record.status = 400;
    EXPECT_EQ(line(AccessLogFormat::combined, record),
              "- - - [31/Dec/1969:17:00:00 -0700] \"-\" 400 0 \"-\" \"-\"\n");
    EXPECT_EQ(line(AccessLogFormat::json, record), "{\"@timestamp\":\"1970-01-01T00:00:00.000Z\",\"server."
                                                   "port\":0,\"http.response.status_code\":400,\"http."
                                                   "response.body.bytes\":0,\"event.duration\":0}\n");
}

TEST_F(AccessFormatTest, TimeTextFollowsTheSecond) {
    AccessFormatter formatter(AccessLogFormat::combined);
    AccessRecord record = sample();
    std::string text(AccessFormatter::maxSize(record), '\0');
    for (int second = 0; second < 3; ++second) {
        char* end = formatter.write(record, text.data());
        std::string_view written(text.data(), static_cast<std::size_t>(end - text.data()));
        EXPECT_NE(written.find("13:55:3" + std::to_string(6 + second)), std::string_view::npos) << written;
        record.unixMillis += 1000;
    }
}

TEST_F(AccessFormatTest, HostileBytesStayWithinOneLineAndTheStatedSize) {
    std::string hostile;
    for (int i = 0; i < 3000; ++i) {
        hostile += static_cast<char>(i);
    }
    AccessRecord record = sample();
    record.method = record.target = record.referer = record.userAgent = record.host = record.requestId =
        hostile;
    for (auto format : {AccessLogFormat::combined, AccessLogFormat::vhostCombined, AccessLogFormat::json}) {
        std::string text = line(format, record);
        EXPECT_EQ(text.find('\n'), text.size() - 1);
        for (char c : text.substr(0, text.size() - 1)) {
            ASSERT_GE(static_cast<unsigned char>(c), 0x20);
        }
    }
    record = {};
    record.status = 4294967295u;
    record.bytes = record.durationMicros = UINT64_MAX;
    record.unixMillis = 253402300799999; // the last of year 9999
    record.port = 65535;
    EXPECT_LE(line(AccessLogFormat::json, record).size(), AccessFormatter::maxSize(record));
}

} // namespace
} // namespace saker::observe
