// One request as one line of the access log. Whatever a client sends, the line stays one line of printable
// text: control characters, quotes and bytes that are not ASCII (JSON: not UTF-8) are escaped.
#pragma once

#include "observe/log_options.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace saker::observe {

/// What is known about an answered request. Views are read during the call only; empty means unknown.
struct AccessRecord {
    std::int64_t unixMillis = 0; ///< when the request began
    std::string_view client;     ///< address text; the connection keeps it
    std::string_view user;       ///< authenticated name
    std::string_view host;       ///< as the client sent it, without port
    std::string_view site;       ///< name of the site that answered
    std::uint16_t port = 0;      ///< local port
    std::string_view scheme;     ///< "https"
    std::string_view method;
    std::string_view target;  ///< as sent
    std::string_view version; ///< "HTTP/1.1"
    unsigned status = 0;
    std::uint64_t bytes = 0; ///< of the body, as sent
    std::uint64_t durationMicros = 0;
    std::string_view referer;
    std::string_view userAgent;
    std::string_view requestId;
};

/// Writes lines; keeps the text of the current second. One per thread.
class AccessFormatter {
public:
    explicit AccessFormatter(AccessLogFormat format) : format_(format) {}

    /// No line of this record is longer.
    static std::size_t maxSize(const AccessRecord& record);
    /// Writes the line with its line feed; returns its end. REQUIRES: room for maxSize(record).
    char* write(const AccessRecord& record, char* out);

private:
    char* writeCombined(const AccessRecord& record, char* out);
    char* writeJson(const AccessRecord& record, char* out);
    void setSecond(std::int64_t unixSeconds);

    AccessLogFormat format_;
    std::int64_t second_ = INT64_MIN; // what the texts below say
    std::array<char, 28> clock_{};    // "[10/Oct/2000:13:55:36 -0700]"
    std::array<char, 19> iso_{};      // "2000-10-10T20:55:36", UTC
};

} // namespace saker::observe
