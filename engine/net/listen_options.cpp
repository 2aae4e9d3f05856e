#include "net/listen_options.h"

#include "base/text.h"
#include "loop/socket_address.h"
#include "schema/type_of.h"

#include <fmt/format.h>

#include <set>

namespace saker::net {

using schema::field;

const schema::Description& ListenOptions::fields() {
    static const schema::Description kFields = schema::describe<ListenOptions>(
        "Listening",
        {field("HttpsPorts", "HTTPS ports", &ListenOptions::httpsPorts)
             .withHelp("The ports that accept HTTPS. The command line's --httpsPort=443,8443 comes first. A "
                       "port of the default list that cannot be had is a warning as long as another one is "
                       "left; one that you named is an error. 0 takes any free port.")
             .withNote("--httpsPort=443,8443"),
         field("HttpPorts", "HTTP ports", &ListenOptions::httpPorts)
             .withHelp("The ports that accept HTTP. The command line's --httpPort=80,8080 comes first. A "
                       "port of the default list that cannot be had is a warning as long as another one is "
                       "left; one that you named is an error. 0 takes any free port.")
             .withNote("--httpPort=80,8080"),
         field("ListenAddresses", "Addresses", &ListenOptions::listenAddresses)
             .withHelp("The addresses of this machine to listen on, IPv4 and IPv6, written as numbers. An "
                       "empty list means all of them. The command line's --ip=ADDR,ADDR comes first.")
             .withNote("[] = every address, IPv4 and IPv6; --ip=127.0.0.1,::1")});
    return kFields;
}

void ListenOptions::check(schema::Checker& checker) const {
    // The default list of one kind gives way to what the other one names, so only lists on purpose can clash.
    const ListenOptions standard;
    bool together = httpPorts != standard.httpPorts && httpsPorts != standard.httpsPorts;
    std::set<std::uint16_t> seen;
    auto checkPorts = [&](std::string_view key, const std::vector<std::uint16_t>& ports) {
        for (std::size_t i = 0; i < ports.size(); ++i) {
            if (ports[i] != 0 && !seen.insert(ports[i]).second) {
                checker.error({key, std::to_string(i)},
                              fmt::format("port {} is listed more than once", ports[i]));
            }
        }
    };
    checkPorts("HttpPorts", httpPorts);
    if (!together) {
        seen.clear();
    }
    checkPorts("HttpsPorts", httpsPorts);
    for (std::size_t i = 0; i < listenAddresses.size(); ++i) {
        if (!loop::SocketAddress::parse(listenAddresses[i], 0)) {
            checker.error(
                {"ListenAddresses", std::to_string(i)},
                fmt::format("expected an address in numbers such as \"127.0.0.1\" or \"::1\", found \"{}\"",
                            escapeControl(listenAddresses[i])));
        }
    }
}

} // namespace saker::net
