#include "handlers/fastcgi/cgi_variables.h"

#include "base/text.h"
#include "handlers/fastcgi/fastcgi_record.h"
#include "http/authority.h"

#include <charconv>

namespace saker::fastcgi {

namespace {

using http::FieldName;
using http::RequestHead;

std::string portText(std::uint16_t port) {
    char digits[5];
    return {digits, std::to_chars(digits, digits + sizeof digits, port).ptr};
}

std::string_view protocolText(const RequestHead& request) {
    if (request.majorVersion == 2) {
        return "HTTP/2.0";
    }
    return request.minorVersion == 0 ? "HTTP/1.0" : "HTTP/1.1";
}

/// The target as the client sent it; of the absolute form, path and query (RFC 9112, section 3.2.2: the
/// authority is told by HTTP_HOST).
std::string requestUri(const RequestHead& request) {
    if (request.form != http::TargetForm::absolute) {
        return std::string(request.target());
    }
    std::string uri(request.path());
    if (request.hasQuery()) {
        uri += '?';
        uri += request.query();
    }
    return uri;
}

/// Fields that have variables of their own, or are about the connection to the client: the program gets a
/// body that is decoded already.
bool isLeftOut(FieldName id) {
    switch (id) {
    case FieldName::host:
    case FieldName::contentLength:
    case FieldName::contentType:
    case FieldName::transferEncoding:
    case FieldName::connection:
    case FieldName::keepAlive:
    case FieldName::proxyConnection:
    case FieldName::te:
    case FieldName::trailer:
    case FieldName::upgrade:
    case FieldName::expect:
        return true;
    default:
        return false;
    }
}

/// Repeated fields become one list (RFC 3875, section 4.1.18); of cookies, one cookie string.
void appendFields(const RequestHead& request, std::string& out) {
    for (std::size_t i = 0; i < request.fieldCount(); ++i) {
        const RequestHead::Field field = request.field(i);
        if (isLeftOut(field.id)) {
            continue;
        }
        auto isSame = [&](std::size_t other) {
            const RequestHead::Field candidate = request.field(other);
            return candidate.id == field.id && equalsIgnoreCase(candidate.name, field.name);
        };
        bool isRepeated = false;
        for (std::size_t before = 0; before < i && !isRepeated; ++before) {
            isRepeated = isSame(before);
        }
        const std::string name = isRepeated ? std::string() : cgiFieldName(field.name);
        if (name.empty()) {
            continue;
        }
        std::string joined;
        for (std::size_t later = i + 1; later < request.fieldCount(); ++later) {
            if (isSame(later)) {
                if (joined.empty()) {
                    joined = field.value;
                }
                joined += field.id == FieldName::cookie ? "; " : ", ";
                joined += request.field(later).value;
            }
        }
        appendPair(name, joined.empty() ? field.value : std::string_view(joined), out);
    }
}

} // namespace

std::string cgiFieldName(std::string_view fieldName) {
    if (equalsIgnoreCase(fieldName, "proxy")) {
        return {};
    }
    std::string name = "HTTP_";
    name.reserve(name.size() + fieldName.size());
    for (char c : fieldName) {
        const char lower = lowerAscii(c);
        if (lower >= 'a' && lower <= 'z') {
            name += static_cast<char>(lower - 'a' + 'A');
        } else if (isDigit(c)) {
            name += c;
        } else if (c == '-') {
            name += '_';
        } else {
            return {};
        }
    }
    return name;
}

void appendCgiVariables(const CgiContext& context, std::string& out) {
    const RequestHead& request = context.request;
    const std::string localHost = context.local.host();
    const std::string pathAndRest = std::string(context.scriptName) + std::string(context.pathInfo);

    appendPair("GATEWAY_INTERFACE", "CGI/1.1", out);
    appendPair("SERVER_SOFTWARE", context.serverSoftware, out);
    appendPair("SERVER_PROTOCOL", protocolText(request), out);
    appendPair("SERVER_NAME", context.serverName.empty() ? std::string_view(localHost) : context.serverName,
               out);
    appendPair("SERVER_ADDR", localHost, out);
    appendPair("SERVER_PORT", portText(context.local.port), out);
    appendPair("REMOTE_ADDR", context.peer.host(), out);
    appendPair("REMOTE_PORT", portText(context.peer.port), out);
    appendPair("REQUEST_METHOD", request.methodText(), out);
    appendPair("REQUEST_SCHEME", context.isEncrypted ? "https" : "http", out);
    if (context.isEncrypted) {
        appendPair("HTTPS", "on", out);
    }
    appendPair("REQUEST_URI", requestUri(request), out);
    appendPair("QUERY_STRING", request.query(), out);
    appendPair("DOCUMENT_ROOT", context.documentRoot, out);
    appendPair("DOCUMENT_URI", pathAndRest, out);
    appendPair("SCRIPT_FILENAME", context.scriptFilename, out);
    appendPair("SCRIPT_NAME", context.scriptName, out);
    if (!context.pathInfo.empty()) {
        appendPair("PATH_INFO", context.pathInfo, out);
        appendPair("PATH_TRANSLATED", std::string(context.documentRoot) + std::string(context.pathInfo), out);
    }
    // PHP built to insist on a redirect by its server (cgi.force_redirect) looks for this one.
    appendPair("REDIRECT_STATUS", "200", out);
    if (!context.remoteUser.empty()) {
        appendPair("REMOTE_USER", context.remoteUser, out);
        appendPair("AUTH_TYPE", context.authType, out);
    }
    if (request.has(FieldName::contentType)) {
        appendPair("CONTENT_TYPE", request.get(FieldName::contentType), out);
    }
    if (!request.authority().empty()) {
        appendPair("HTTP_HOST", request.authority(), out);
    }
    appendFields(request, out);
    if (context.extra != nullptr) {
        for (const auto& [name, value] : *context.extra) {
            appendPair(name, value, out);
        }
    }
}

} // namespace saker::fastcgi
