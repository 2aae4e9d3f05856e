#include "tls/development_names.h"

#include "base/domain_name.h"

#include <algorithm>

namespace saker::tls {

std::span<const std::string_view> developmentDomains() {
    static constexpr std::string_view kDomains[] = {"localhost", "test", "local", "internal", "home.arpa"};
    return kDomains;
}

std::span<const std::string_view> developmentNetworks() {
    static constexpr std::string_view kNetworks[] = {
        "127.0.0.0/255.0.0.0",     "10.0.0.0/255.0.0.0",      "172.16.0.0/255.240.0.0",
        "192.168.0.0/255.255.0.0", "169.254.0.0/255.255.0.0", "::1/ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
        "fc00::/fe00::",           "fe80::/ffc0::",
    };
    return kNetworks;
}

std::string machineDomain(std::string_view hostName) {
    auto name = domainToAscii(hostName);
    if (!name || name->find('.') != std::string::npos || *name == "*") {
        return {};
    }
    const auto domains = developmentDomains();
    return std::find(domains.begin(), domains.end(), *name) == domains.end() ? *name : std::string();
}

bool isBelow(std::string_view name, std::span<const std::string> domains) {
    if (name.starts_with("*.")) {
        name.remove_prefix(2);
    }
    return std::any_of(domains.begin(), domains.end(), [name](std::string_view domain) {
        return name.ends_with(domain) &&
               (name.size() == domain.size() || name[name.size() - domain.size() - 1] == '.');
    });
}

bool isDevelopmentAddress(const loop::SocketAddress& address) {
    const auto& ip = address.ip;
    switch (address.family) {
    case loop::SocketAddress::Family::ipv4:
        return ip[0] == 127 || ip[0] == 10 || (ip[0] == 172 && (ip[1] & 0xf0) == 16) ||
               (ip[0] == 192 && ip[1] == 168) || (ip[0] == 169 && ip[1] == 254);
    case loop::SocketAddress::Family::ipv6:
        return address.isLoopback() || (ip[0] & 0xfe) == 0xfc || (ip[0] == 0xfe && (ip[1] & 0xc0) == 0x80);
    default:
        return false;
    }
}

} // namespace saker::tls
