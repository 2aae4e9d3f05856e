#include "upstream/upstream_target.h"

#include "base/text.h"
#include "http/authority.h"

#include <fmt/format.h>

namespace saker::upstream {

namespace {

constexpr std::string_view kExpected =
    "expected one like \"http://127.0.0.1:3000\", \"https://example.com\", \"unix:/run/app.sock\", "
    "\"fcgi://127.0.0.1:9000\" or \"fcgi:///run/php.sock\"";

Error wrong(std::string_view text, std::string_view what) {
    return {ErrorKind::configuration, fmt::format("\"{}\" {}; {}", escapeControl(text), what, kExpected), {}};
}

bool isClean(std::string_view text) {
    for (char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte <= ' ' || byte == 0x7f) {
            return false;
        }
    }
    return true;
}

bool takePrefix(std::string_view& text, std::string_view prefix) {
    if (!startsWithIgnoreCase(text, prefix)) {
        return false;
    }
    text.remove_prefix(prefix.size());
    return true;
}

/// An IPv6 address as it stands in front of a port.
std::string bracketed(const std::string& host) {
    return host.find(':') != std::string::npos ? "[" + host + "]" : host;
}

std::uint16_t usualPort(const UpstreamTarget& target) {
    if (target.protocol == UpstreamTarget::Protocol::fastCgi) {
        return 9000;
    }
    return target.isTls ? 443 : 80;
}

} // namespace

Result<UpstreamTarget> UpstreamTarget::parse(std::string_view text) {
    UpstreamTarget target;
    std::string_view rest = text;
    bool isUrl = true;
    if (!isClean(text)) {
        return wrong(text, "holds a blank or a control character");
    }
    if (takePrefix(rest, "fcgi:")) {
        target.protocol = Protocol::fastCgi;
        isUrl = takePrefix(rest, "//");
    } else if (takePrefix(rest, "https://")) {
        target.isTls = true;
    } else if (takePrefix(rest, "unix:")) {
        isUrl = false;
        takePrefix(rest, "//");
    } else if (!takePrefix(rest, "http://")) {
        return wrong(text, "is no address of an upstream");
    } else if (takePrefix(rest, "unix:")) {
        isUrl = false;
    }
    const bool isPath = !rest.empty() && rest.front() == '/';
    if (isPath && (!isUrl || target.protocol == Protocol::fastCgi)) {
        if (rest.size() < 2 || rest.back() == '/') {
            return wrong(text, "does not name a socket");
        }
        target.path = rest;
        return target;
    }
    if (!isUrl) {
        return wrong(text, "needs the absolute path of a socket");
    }
    const std::size_t slash = rest.find('/');
    const auto authority = http::splitAuthority(rest.substr(0, slash));
    if (!authority) {
        return wrong(text, "has no valid host and port");
    }
    std::string_view base = slash == std::string_view::npos ? std::string_view() : rest.substr(slash);
    while (!base.empty() && base.back() == '/') {
        base.remove_suffix(1);
    }
    if (!base.empty() && target.protocol == Protocol::fastCgi) {
        return wrong(text, "has a path behind its port, which FastCGI does not know");
    }
    if (base.find_first_of("?#") != std::string_view::npos) {
        return wrong(text, "has a query or a fragment");
    }
    if (authority->port && *authority->port == 0) {
        return wrong(text, "has the port 0");
    }
    target.base = base;
    std::string scratch;
    target.host = http::foldHost(authority->host, scratch);
    target.port = authority->port.value_or(usualPort(target));
    return target;
}

std::string UpstreamTarget::authority() const {
    if (isLocal()) {
        return "localhost";
    }
    std::string text = bracketed(host);
    if (port != usualPort(*this)) {
        text += fmt::format(":{}", port);
    }
    return text;
}

std::string UpstreamTarget::text() const {
    if (isLocal()) {
        return (protocol == Protocol::fastCgi ? "fcgi://" : "unix:") + path;
    }
    if (protocol == Protocol::fastCgi) {
        return fmt::format("fcgi://{}:{}", bracketed(host), port);
    }
    return (isTls ? "https://" : "http://") + authority() + base;
}

std::optional<net::Endpoint> UpstreamTarget::endpoint() const {
    if (isLocal()) {
        return net::Endpoint::local(path);
    }
    if (auto address = loop::SocketAddress::parse(host, port)) {
        return net::Endpoint{*address, {}};
    }
    return std::nullopt;
}

} // namespace saker::upstream
