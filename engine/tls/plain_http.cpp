#include "tls/plain_http.h"

#include "base/text.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>

namespace saker::tls {

namespace {

/// The value of the Host field, where there is one that can stand in an address.
std::string_view hostOf(std::string_view head) {
    std::string_view host;
    for (std::string_view line : split(head, '\n')) {
        if (startsWithIgnoreCase(line, "host:")) {
            host = trimLines(line.substr(5));
            break;
        }
    }
    constexpr std::string_view kAllowed =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~[]:";
    return host.find_first_not_of(kAllowed) == std::string_view::npos ? host : std::string_view();
}

/// The path with its query; "/" where it is none.
std::string_view targetOf(std::string_view head) {
    const std::string_view line = head.substr(0, head.find_first_of("\r\n"));
    const std::size_t begin = line.find(' ');
    if (begin == std::string_view::npos) {
        return "/";
    }
    const std::string_view rest = line.substr(begin + 1);
    const std::size_t end = rest.find(' ');
    const std::string_view target = rest.substr(0, end);
    if (end == std::string_view::npos || !target.starts_with('/') || target.starts_with("//")) {
        return "/";
    }
    for (char c : target) {
        if (c <= ' ' || c >= 0x7f) {
            return "/";
        }
    }
    return target;
}

/// "[::1]" and "::1:80" aside, a colon separates the port.
bool hasPort(std::string_view host) {
    const std::size_t colon = host.rfind(':');
    return colon != std::string_view::npos && host.find(']', colon) == std::string_view::npos;
}

} // namespace

bool isPlainHeadComplete(std::string_view head) {
    return head.size() >= kMaxPlainHead || head.find("\r\n\r\n") != std::string_view::npos ||
           head.find("\n\n") != std::string_view::npos;
}

std::string plainHttpAnswer(std::string_view head, std::uint16_t port, std::int64_t now) {
    std::string sentence = "This port speaks HTTPS: the address has to begin with <b>https://</b>.";
    if (const std::string_view host = hostOf(head); !host.empty()) {
        std::string address = "https://" + std::string(host);
        if (!hasPort(host) && port != 443) {
            address += fmt::format(":{}", port);
        }
        address += targetOf(head);
        sentence = fmt::format("This port speaks HTTPS. The page is at <a href=\"{0}\">{0}</a>.",
                               escapeHtml(address));
    }
    std::string body = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width\">\n<title>400 Bad Request</title>\n"
        "<h1>Plain HTTP on an HTTPS port</h1>\n<p>{}</p>\n</html>\n",
        sentence);
    std::string answer =
        fmt::format("HTTP/1.1 400 Bad Request\r\nDate: {:%a, %d %b %Y %H:%M:%S} GMT\r\nServer: "
                    "Saker\r\nContent-Type: text/html; charset=utf-8\r\n"
                    "Cache-Control: no-store\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                    fmt::gmtime(static_cast<std::time_t>(now)), body.size());
    if (!head.starts_with("HEAD ")) {
        answer += body;
    }
    return answer;
}

} // namespace saker::tls
