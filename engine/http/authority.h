// The host and port that a request asks for (RFC 3986, section 3.2; RFC 9110, section 7.2), taken apart and
// folded into the form in which sites are looked up.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace saker::http {

struct Authority {
    std::string_view host;             ///< as sent; an IPv6 address without its brackets
    std::optional<std::uint16_t> port; ///< none when absent or empty ("host:")
    bool isIpv6 = false;
};

/// Nothing when it is not "host", "host:port", "[ipv6]" or "[ipv6]:port": user information, blanks, escapes,
/// characters outside letters, digits, "-._~" and the sub-delimiters, a port over 65535, empty labels
/// ("a..b") and an empty host are all refused. An IPv6 zone ("%eth0") is refused: it has no meaning to a
/// peer.
std::optional<Authority> splitAuthority(std::string_view text);

/// splitAuthority() succeeds? Cheap for names; for the parser.
bool isAuthority(std::string_view text);

/// ASCII lower case without the trailing dot of a full domain name. Returns `host` itself when nothing is to
/// do, else a view of `scratch`.
std::string_view foldHost(std::string_view host, std::string& scratch);

} // namespace saker::http
