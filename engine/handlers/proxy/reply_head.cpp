#include "handlers/proxy/reply_head.h"

#include "base/text.h"
#include "handlers/proxy/proxy_request.h"
#include "http/status.h"

#include <optional>

#include <fmt/format.h>

namespace saker::proxy {

namespace {

using Field = http::ResponseHead::Field;

struct StatusLine {
    int status = 0;
    unsigned minor = 0;
};

/// "HTTP/1.1 200 OK"; the reason may be missing, and its blank too.
std::optional<StatusLine> readStatusLine(std::string_view line) {
    static constexpr std::string_view kStart = "HTTP/1.";
    if (line.size() < 12 || line.substr(0, kStart.size()) != kStart || !isDigit(line[7]) || line[8] != ' ' ||
        (line.size() > 12 && line[12] != ' ')) {
        return std::nullopt;
    }
    const auto status = parseDecimal(line.substr(9, 3));
    if (!status || !http::isStatus(static_cast<int>(*status))) {
        return std::nullopt;
    }
    return StatusLine{static_cast<int>(*status), static_cast<unsigned>(line[7] - '0')};
}

/// Of every Content-Length field, each perhaps a list of the same number (RFC 9110, section 8.6).
std::string_view readLength(const std::vector<Field>& fields, std::optional<std::uint64_t>& length) {
    for (const Field& field : fields) {
        if (!equalsIgnoreCase(field.name, "content-length")) {
            continue;
        }
        for (std::string_view part : split(field.value, ',')) {
            const auto number = parseDecimal(trim(part));
            if (!number || *number > std::uint64_t{1} << 62U) {
                return "its Content-Length is not a number of bytes";
            }
            if (length && *length != *number) {
                return "it has Content-Length fields that differ";
            }
            length = number;
        }
    }
    return {};
}

std::string joined(const std::vector<Field>& fields, std::string_view name, bool* found = nullptr) {
    std::string list;
    for (const Field& field : fields) {
        if (equalsIgnoreCase(field.name, name)) {
            if (found != nullptr) {
                *found = true;
            }
            if (!list.empty()) {
                list += ", ";
            }
            list += field.value;
        }
    }
    return list;
}

} // namespace

std::string parseReplyHead(std::string_view text, const Asked& asked, const http::ReplyLimits& limits,
                           ParsedReply& out) {
    out = {};
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (!line.empty() && line.back() == '\r') {
        line.remove_suffix(1);
    }
    const auto statusLine = readStatusLine(line);
    if (!statusLine) {
        return fmt::format("it began with \"{}\", expected a status line such as \"HTTP/1.1 200 OK\"",
                           escapeControl(line.substr(0, 40)));
    }
    std::vector<Field> fields;
    const std::string_view rest = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    std::string_view wrong = http::parseFieldLines(rest, http::BadLines::refuse, limits.maxFields, fields);
    std::optional<std::uint64_t> length;
    if (wrong.empty()) {
        wrong = readLength(fields, length);
    }
    if (!wrong.empty()) {
        return std::string(wrong);
    }
    bool hasCoding = false;
    const std::string coding = joined(fields, "transfer-encoding", &hasCoding);
    if (hasCoding && length) {
        return "it has both Content-Length and Transfer-Encoding";
    }
    if (hasCoding && statusLine->minor == 0) {
        return "it has Transfer-Encoding in HTTP/1.0";
    }
    if (hasCoding && !equalsIgnoreCase(coding, "chunked")) {
        return fmt::format("its Transfer-Encoding is \"{}\", expected \"chunked\"", escapeControl(coding));
    }
    const int status = statusLine->status;
    if (status == 101 && !asked.isUpgrade) {
        return "it switches to another protocol, which nobody asked for";
    }

    const std::string connection = joined(fields, "connection");
    out.keepAlive =
        !listHas(connection, "close") && (statusLine->minor > 0 || listHas(connection, "keep-alive"));
    out.reply.head.status = status;
    const bool isBodiless = http::isBodiless(status);
    out.reply.hasBody = !isBodiless && asked.method != http::Method::head;
    if (!isBodiless || status == 304) {
        out.reply.bodyLength = length;
    }
    if (!out.reply.hasBody) {
        // A 1xx or 204 that promises a body may well send one (RFC 9110, section 8.6): it would be read as
        // the next answer.
        const bool isDoubtful = (hasCoding || length.value_or(0) > 0) && isBodiless && status != 304;
        out.keepAlive = out.keepAlive && !isDoubtful;
    } else if (hasCoding) {
        out.framing.kind = ReplyFraming::Kind::chunked;
    } else if (length) {
        out.framing = {ReplyFraming::Kind::length, *length};
    } else {
        out.framing.kind = ReplyFraming::Kind::untilClose;
        out.keepAlive = false;
    }
    out.reply.head.fields.reserve(fields.size());
    for (Field& field : fields) {
        const bool isUpgrade = (status == 101 || status == 426) && equalsIgnoreCase(field.name, "upgrade");
        if (isUpgrade || (!isHopByHop(field.name) && !equalsIgnoreCase(field.name, "content-length") &&
                          !listHas(connection, field.name))) {
            out.reply.head.fields.push_back(std::move(field));
        }
    }
    return {};
}

} // namespace saker::proxy
