#include "handlers/proxy/proxy_request.h"

#include "base/text.h"
#include "http/h1/response_encoder.h"

#include <array>

#include <fmt/format.h>

namespace saker::proxy {

namespace {

using http::FieldName;
using http::RequestHead;

constexpr std::string_view kName = "saker"; // in Via (RFC 9110, section 7.6.3: a pseudonym)

constexpr std::string_view kKey = "Sec-WebSocket-Key";

/// What we tell the upstream ourselves. A client that is no trusted proxy must not be able to say it.
constexpr std::array<std::string_view, 8> kOwnFields = {
    "Forwarded",         "X-Forwarded-For",    "X-Forwarded-Host", "X-Forwarded-Port",
    "X-Forwarded-Proto", "X-Forwarded-Server", "X-Real-IP",        "CF-Connecting-IP"};

/// Equal but for '-' and '_': applications behind CGI-like interfaces cannot tell them apart.
bool looksLike(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) {
        return false;
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
        const char c = a[i] == '_' ? '-' : lowerAscii(a[i]);
        if (c != lowerAscii(b[i])) {
            return false;
        }
    }
    return true;
}

bool isOwnField(std::string_view name) {
    for (std::string_view own : kOwnFields) {
        if (looksLike(name, own)) {
            return true;
        }
    }
    return false;
}

/// All fields of a name as one list; "" when there is none.
std::string joined(const RequestHead& request, std::string_view name) {
    std::string list;
    for (std::size_t i = 0; i < request.fieldCount(); ++i) {
        const RequestHead::Field field = request.field(i);
        if (equalsIgnoreCase(field.name, name) && !field.value.empty()) {
            if (!list.empty()) {
                list += ", ";
            }
            list += field.value;
        }
    }
    return list;
}

/// A member of a list that came from a trusted peer, or the first one.
std::string addedTo(std::string list, std::string_view member) {
    if (!list.empty()) {
        list += ", ";
    }
    list += member;
    return list;
}

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
        }
        out += c;
    }
    return out + "\"";
}

class Writer {
public:
    Writer(const ProxyContext& context, std::string& out)
        : context_(context), request_(context.request), out_(out) {}

    void write() {
        writeRequestLine();
        writeHost();
        connection_ = joined(request_, "connection");
        for (std::size_t i = 0; i < request_.fieldCount(); ++i) {
            const RequestHead::Field field = request_.field(i);
            if (passes(field)) {
                http::appendField(field.name, field.value, out_);
            }
        }
        writeForwarded();
        field("Via", addedTo(joined(request_, "via"),
                             fmt::format("{}.{} {}", request_.majorVersion,
                                         request_.majorVersion == 1 ? request_.minorVersion : 0, kName)));
        if (context_.isUpgrade) {
            field("Connection", "upgrade");
            field("Upgrade", request_.get(FieldName::upgrade));
            field(kKey, context_.webSocketKey);
        } else if (listHas(request_.get(FieldName::te), "trailers")) {
            field("TE", "trailers"); // the only transfer coding's parameter that passes through
            field("Connection", "TE");
        }
        if (context_.fields != nullptr) {
            for (const auto& [name, value] : *context_.fields) {
                if (!value.empty()) {
                    http::appendField(name, value, out_);
                }
            }
        }
    }

private:
    void writeRequestLine() {
        out_ += request_.methodText();
        out_ += ' ';
        if (!context_.target.empty()) {
            out_ += context_.target;
        } else if (request_.form == http::TargetForm::absolute) {
            out_ += request_.path();
            if (request_.hasQuery()) {
                out_ += '?';
                out_ += request_.query();
            }
        } else {
            out_ += request_.target();
        }
        out_ += " HTTP/1.1\r\n";
    }

    void writeHost() {
        const bool isClients = context_.hostPolicy == HostPolicy::client && !request_.authority().empty();
        http::appendField("Host", isClients ? request_.authority() : context_.upstreamAuthority, out_);
    }

    bool passes(const RequestHead::Field& field) const {
        switch (field.id) {
        case FieldName::host:
        case FieldName::contentLength:
        case FieldName::expect: // we have told the client to go on
            return false;
        default:
            break;
        }
        // Fields of HTTP_PROXY's kind: see fastcgi::cgiFieldName; servers behind us run CGI too.
        if (isHopByHop(field.name) || equalsIgnoreCase(field.name, "proxy") ||
            equalsIgnoreCase(field.name, "via") || isOwnField(field.name)) {
            return false;
        }
        if (!context_.webSocketKey.empty() && equalsIgnoreCase(field.name, kKey)) {
            return false;
        }
        return !listHas(connection_, field.name) && !isSet(field.name);
    }

    /// The configuration says what the field is.
    bool isSet(std::string_view name) const {
        if (context_.fields != nullptr) {
            for (const auto& [set, value] : *context_.fields) {
                if (equalsIgnoreCase(set, name)) {
                    return true;
                }
            }
        }
        return false;
    }

    void field(std::string_view name, std::string_view value) {
        if (!value.empty() && !isSet(name)) {
            http::appendField(name, value, out_);
        }
    }

    /// What a trusted proxy said, or what we see ourselves.
    std::string told(std::string_view name, std::string_view own) const {
        std::string value = context_.isPeerTrusted ? joined(request_, name) : std::string();
        return value.empty() ? std::string(own) : value;
    }

    void writeForwarded() {
        const std::string peer = context_.peer.host();
        const std::string client = context_.client != nullptr ? context_.client->host() : peer;
        const std::string_view scheme = context_.isEncrypted ? "https" : "http";
        const bool hasAuthority = !request_.authority().empty();
        auto before = [&](std::string_view name) {
            return context_.isPeerTrusted ? joined(request_, name) : std::string();
        };
        field("X-Forwarded-For", addedTo(before("X-Forwarded-For"), peer));
        field("X-Forwarded-Proto", told("X-Forwarded-Proto", scheme));
        field("X-Forwarded-Host", told("X-Forwarded-Host", request_.authority()));
        field("X-Forwarded-Port", told("X-Forwarded-Port", fmt::format("{}", context_.local.port)));
        field("X-Real-IP", told("X-Real-IP", client));
        field("CF-Connecting-IP", told("CF-Connecting-IP", client));
        std::string element = "for=" + forwardedNode(context_.peer) + ";proto=";
        element += scheme;
        if (hasAuthority) {
            element += ";host=" + quoted(request_.authority());
        }
        field("Forwarded", addedTo(before("Forwarded"), element));
    }

    const ProxyContext& context_;
    const RequestHead& request_;
    std::string& out_;
    std::string connection_; // the client's options
};

} // namespace

bool isHopByHop(std::string_view name) {
    static constexpr std::array<std::string_view, 10> kNames = {
        "connection",          "http2-settings",   "keep-alive", "proxy-authenticate",
        "proxy-authorization", "proxy-connection", "te",         "trailer",
        "transfer-encoding",   "upgrade"};
    for (std::string_view known : kNames) {
        if (equalsIgnoreCase(name, known)) {
            return true;
        }
    }
    return false;
}

bool listHas(std::string_view list, std::string_view member) {
    while (!list.empty()) {
        const std::size_t comma = list.find(',');
        if (equalsIgnoreCase(trim(list.substr(0, comma)), member)) {
            return true;
        }
        list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
    }
    return false;
}

std::string forwardedNode(const loop::SocketAddress& address) {
    const std::string host = address.host();
    switch (address.family) {
    case loop::SocketAddress::Family::ipv4:
        return host;
    case loop::SocketAddress::Family::ipv6:
        return "\"[" + host + "]\"";
    default:
        return "unknown";
    }
}

void appendProxyHead(const ProxyContext& context, std::string& out) {
    Writer(context, out).write();
}

} // namespace saker::proxy
