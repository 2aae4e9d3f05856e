#include "handlers/fastcgi/cgi_head.h"

#include "base/text.h"
#include "http/status.h"

#include <array>

namespace saker::fastcgi {

namespace {

using Field = http::ResponseHead::Field;

/// What a program cannot know about the connection to the client, and what is only for the server.
bool isForServer(std::string_view name) {
    static constexpr std::array<std::string_view, 8> kNames = {
        "connection", "content-length", "keep-alive",        "proxy-connection",
        "status",     "trailer",        "transfer-encoding", "upgrade"};
    for (std::string_view known : kNames) {
        if (equalsIgnoreCase(name, known)) {
            return true;
        }
    }
    return false;
}

/// "404 Not Found" or "404"; 0 when it is neither.
int readStatus(std::string_view value) {
    if (value.size() < 3 || (value.size() > 3 && value[3] != ' ')) {
        return 0;
    }
    const auto code = parseDecimal(value.substr(0, 3));
    return code && http::isStatus(static_cast<int>(*code)) ? static_cast<int>(*code) : 0;
}

} // namespace

std::string_view parseCgiHead(std::string_view lines, const http::ReplyLimits& limits,
                              upstream::ReplyHead& out) {
    out = {};
    std::vector<Field> fields;
    const std::string_view wrong =
        http::parseFieldLines(lines, http::BadLines::drop, limits.maxFields, fields);
    if (!wrong.empty()) {
        return wrong;
    }
    int status = 0;
    std::string_view location;
    for (Field& field : fields) {
        if (equalsIgnoreCase(field.name, "status")) {
            status = readStatus(field.value);
            if (status == 0 || status == 101) {
                return "its Status is not one of an answer, such as \"404 Not Found\"";
            }
        } else if (equalsIgnoreCase(field.name, "content-length") && !field.value.empty()) {
            const auto length = parseDecimal(field.value);
            if (!length || (out.bodyLength && *out.bodyLength != *length)) {
                return "its Content-Length is not one number of bytes";
            }
            out.bodyLength = length;
        } else if (equalsIgnoreCase(field.name, "location") && location.empty()) {
            location = field.value;
        }
    }
    if (status == 0) {
        status = location.empty() ? 200 : 302;
        if (location.size() > 1 ? location[0] == '/' && location[1] != '/' : location == "/") {
            out.localRedirect = location;
        }
    }
    out.head.status = status;
    out.head.fields.reserve(fields.size());
    for (Field& field : fields) {
        if (!isForServer(field.name)) {
            out.head.fields.push_back(std::move(field));
        }
    }
    return {};
}

} // namespace saker::fastcgi
