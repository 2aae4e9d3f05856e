#include "upstream/web_socket_options.h"

#include "base/text.h"
#include "schema/type_of.h"

#include <fmt/format.h>

namespace saker::upstream {

using schema::field;

const schema::Description& WebSocketOptions::fields() {
    static const schema::Description kFields = schema::describe<WebSocketOptions>(
        "WebSockets to other servers",
        {field("MaxConcurrentUpgradedConnections", "WebSockets at once",
               &WebSocketOptions::maxConcurrentUpgradedConnections)
             .withHelp("How many upgraded connections (WebSockets) may be open at once; one more is answered "
                       "with 503. 0 means no limit.")
             .withNote("Most WebSocket connections at once")
             .inGroup("WebSocket"),
         field("WebSocketTimeout", "Idle time-out", &WebSocketOptions::webSocketTimeout)
             .withHelp("How long nothing may be sent over a WebSocket, in either direction, until it is "
                       "closed; pings of either side count as traffic. 0 means for ever. A WebSocket lives "
                       "through a reload; when the server stops, it is closed after a second of silence, and "
                       "after ShutdownTimeout in any case.")
             .withNote("Seconds")
             .atLeast(0)
             .inGroup("WebSocket"),
         field("WebSocketEndpointTimeout", "Connect time-out", &WebSocketOptions::webSocketEndpointTimeout)
             .withHelp("How long the server that a WebSocket is passed on to may take to be connected and to "
                       "agree; then the client is answered with 504. 0 means as long as other limits allow.")
             .withNote("Seconds")
             .atLeast(0)
             .inGroup("WebSocket")});
    return kFields;
}

std::string WebSocketOptions::tooManyText() const {
    return fmt::format("{} are open, as many as MaxConcurrentUpgradedConnections allows: one more was turned "
                       "away.",
                       counted(maxConcurrentUpgradedConnections, "WebSocket"));
}

TunnelTerms WebSocketOptions::terms(TunnelLimit& limit) const {
    return {static_cast<std::uint64_t>(webSocketTimeout.count()),
            static_cast<std::uint64_t>(webSocketEndpointTimeout.count()),
            limit.take(maxConcurrentUpgradedConnections)};
}

} // namespace saker::upstream
