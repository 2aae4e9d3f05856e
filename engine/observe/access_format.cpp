#include "observe/access_format.h"

#include "observe/log_escape.h"
#include "os/local_time.h"

#include <charconv>
#include <cstring>
#include <fmt/format.h>

namespace saker::observe {

namespace {

/// All that is in a line besides the client's and the sites' texts, with room to spare.
constexpr std::size_t kFixedSize = 640;

char* put(std::string_view text, char* out) {
    std::memcpy(out, text.data(), text.size());
    return out + text.size();
}

char* putNumber(std::uint64_t number, char* out) {
    return std::to_chars(out, out + 20, number).ptr;
}

/// A field of the combined format: "-" when there is nothing.
char* putField(std::string_view text, char* out) {
    if (text.empty()) {
        *out++ = '-';
        return out;
    }
    return escapeForLine(text, out);
}

/// A JSON member with the comma before it; nothing when there is nothing to say. `key` brings its
/// punctuation.
char* putMember(std::string_view key, std::string_view text, char* out) {
    if (text.empty()) {
        return out;
    }
    out = escapeForJson(text, put(key, out));
    *out++ = '"';
    return out;
}

} // namespace

std::size_t AccessFormatter::maxSize(const AccessRecord& record) {
    std::size_t texts = record.client.size() + record.user.size() + record.host.size() + record.site.size() +
                        record.method.size() + record.target.size() + record.version.size() +
                        record.referer.size() + record.userAgent.size() + record.requestId.size();
    return kFixedSize + texts * kJsonEscapeFactor;
}

char* AccessFormatter::write(const AccessRecord& record, char* out) {
    std::int64_t second = record.unixMillis / 1000;
    if (second != second_) {
        setSecond(second);
    }
    return format_ == AccessLogFormat::json ? writeJson(record, out) : writeCombined(record, out);
}

void AccessFormatter::setSecond(std::int64_t unixSeconds) {
    static constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                              "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    second_ = unixSeconds;
    os::CalendarTime local = os::localTime(unixSeconds);
    int offset = local.offsetMinutes < 0 ? -local.offsetMinutes : local.offsetMinutes;
    fmt::format_to_n(clock_.data(), clock_.size(), "[{:02}/{}/{:04}:{:02}:{:02}:{:02} {}{:02}{:02}]",
                     local.day, kMonths[local.month - 1], local.year, local.hour, local.minute, local.second,
                     local.offsetMinutes < 0 ? '-' : '+', offset / 60, offset % 60);
    os::CalendarTime utc = os::utcTime(unixSeconds);
    fmt::format_to_n(iso_.data(), iso_.size(), "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", utc.year, utc.month,
                     utc.day, utc.hour, utc.minute, utc.second);
}

char* AccessFormatter::writeCombined(const AccessRecord& record, char* out) {
    if (format_ == AccessLogFormat::vhostCombined) {
        out = putField(record.site, out);
        *out++ = ':';
        out = putNumber(record.port, out);
        *out++ = ' ';
    }
    out = put(" - ", putField(record.client, out));
    out = putField(record.user, out);
    *out++ = ' ';
    out = put({clock_.data(), clock_.size()}, out);
    out = put(" \"", out);
    if (record.method.empty()) {
        *out++ = '-'; // no request line was understood
    } else {
        out = escapeForLine(record.method, out);
        *out++ = ' ';
        out = escapeForLine(record.target, out);
        *out++ = ' ';
        out = escapeForLine(record.version, out);
    }
    out = put("\" ", out);
    out = putNumber(record.status, out);
    *out++ = ' ';
    out = putNumber(record.bytes, out);
    out = put(" \"", out);
    out = putField(record.referer, out);
    out = put("\" \"", out);
    out = putField(record.userAgent, out);
    return put("\"\n", out);
}

char* AccessFormatter::writeJson(const AccessRecord& record, char* out) {
    out = put("{\"@timestamp\":\"", out);
    out = put({iso_.data(), iso_.size()}, out);
    auto millis = static_cast<unsigned>(record.unixMillis % 1000);
    *out++ = '.';
    *out++ = static_cast<char>('0' + millis / 100);
    *out++ = static_cast<char>('0' + millis / 10 % 10);
    *out++ = static_cast<char>('0' + millis % 10);
    out = put("Z\"", out);
    out = putMember(",\"client.ip\":\"", record.client, out);
    out = putMember(",\"user.name\":\"", record.user, out);
    out = putMember(",\"url.domain\":\"", record.host, out);
    out = putMember(",\"saker.site\":\"", record.site, out);
    out = put(",\"server.port\":", out);
    out = putNumber(record.port, out);
    out = putMember(",\"url.scheme\":\"", record.scheme, out);
    out = putMember(",\"http.request.method\":\"", record.method, out);
    out = putMember(",\"url.original\":\"", record.target, out);
    std::string_view version = record.version;
    if (version.substr(0, 5) == "HTTP/") {
        version.remove_prefix(5); // ECS wants the number alone
    }
    out = putMember(",\"http.version\":\"", version, out);
    out = put(",\"http.response.status_code\":", out);
    out = putNumber(record.status, out);
    out = put(",\"http.response.body.bytes\":", out);
    out = putNumber(record.bytes, out);
    out = put(",\"event.duration\":", out); // nanoseconds
    out = putNumber(record.durationMicros, out);
    if (record.durationMicros != 0) {
        out = put("000", out);
    }
    out = putMember(",\"http.request.referrer\":\"", record.referer, out);
    out = putMember(",\"user_agent.original\":\"", record.userAgent, out);
    out = putMember(",\"http.request.id\":\"", record.requestId, out);
    return put("}\n", out);
}

} // namespace saker::observe
