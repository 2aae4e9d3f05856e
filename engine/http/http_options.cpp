#include "http/http_options.h"

#include "http/request.h"
#include "net/network.h"
#include "schema/type_of.h"

namespace saker::http {

using schema::Apply;
using schema::field;
using schema::Unit;

const schema::Description& HttpOptions::fields() {
    static const schema::Description kFields = schema::describe<HttpOptions>(
        "Connections and limits",
        {field("MaxConcurrentConnections", "Connections at once", &HttpOptions::maxConcurrentConnections)
             .withHelp(
                 "How many connections may be open at once. null means as many as the operating system's "
                 "limit of open files allows; the server raises that limit and says how far it got.")
             .withNote("Most connections at once; null = as many as the system allows")
             .atLeast(1),
         field("MaxRequestBodySize", "Largest request body", &HttpOptions::maxRequestBodySize)
             .withHelp("The largest body of a request, such as an upload, in bytes. A larger one is refused "
                       "with 413. 0 means no limit.")
             .withNote("Largest upload in bytes, or e.g. \"8GB\"")
             .countedIn(Unit::bytes),
         field("bytesPerSecond", "Minimum rate", &HttpOptions::bytesPerSecond)
             .withHelp("The rate in bytes per second, in either direction, below which a client counts as "
                       "too slow while data is waiting to be sent or received. Too slow a client is "
                       "disconnected after gracePeriod. Keep it low: people who skim through a video pause "
                       "for long. 0 switches it off.")
             .withNote("Slower clients are cut off after gracePeriod; keep it low")
             .atLeast(0)
             .applied(Apply::newConnections),
         field("gracePeriod", "Grace period", &HttpOptions::gracePeriod)
             .withHelp("How long a client may be slower than bytesPerSecond before it is disconnected.")
             .withNote("Seconds")
             .atLeast(0)
             .applied(Apply::newConnections),
         field("StallTimeout", "Time without progress", &HttpOptions::stallTimeout)
             .withHelp("A client that takes no byte of its answer, or sends none of a body that is expected, "
                       "for so "
                       "long is disconnected. 0 means no limit.")
             .withNote("Seconds without a byte taken or sent before a client is disconnected; 0 = no limit")
             .atLeast(0)
             .forExperts(),
         field("SlowClientBlockSeconds", "Turn slow clients away for", &HttpOptions::slowClientBlockSeconds)
             .withHelp("How long the address of a client that was disconnected for being too slow is turned "
                       "away. 0 means not at all.")
             .atLeast(0)
             .forExperts(),
         field("RequestTimeout", "Time for an answer", &HttpOptions::requestTimeout)
             .withHelp("The longest time from a request's head to the start of its answer; then the client "
                       "gets 504. 0 means no limit.")
             .withNote("Seconds for an answer to begin; 0 = no limit")
             .atLeast(0)
             .applied(Apply::newConnections),
         field("KeepAliveTimeout", "Idle time", &HttpOptions::keepAliveTimeout)
             .withHelp("How long a connection stays open without a request. 0 means without limit.")
             .withNote("Seconds an idle connection stays open")
             .atLeast(0)
             .applied(Apply::newConnections),
         field("RequestHeadersTimeout", "Time for a request head", &HttpOptions::requestHeadersTimeout)
             .withHelp("How long a client may take to send the head of a request; then it gets 408. 0 means "
                       "without limit.")
             .withNote("Seconds for the head of a request to arrive")
             .atLeast(0)
             .applied(Apply::newConnections),
         field("MaxRequestLineSize", "Longest request line", &HttpOptions::maxRequestLineSize)
             .withHelp("The longest first line of a request: method, address and version. A longer one is "
                       "refused with 414.")
             .countedIn(Unit::bytes)
             .within(64, 1024 * 1024)
             .applied(Apply::newConnections)
             .forExperts(),
         field("MaxRequestHeadersSize", "Largest request head", &HttpOptions::maxRequestHeadersSize)
             .withHelp(
                 "The most bytes in all header fields of a request together. More are refused with 431.")
             .countedIn(Unit::bytes)
             .within(256, 16 * 1024 * 1024)
             .applied(Apply::newConnections)
             .forExperts(),
         field("MaxRequestHeaderCount", "Most header fields", &HttpOptions::maxRequestHeaderCount)
             .withHelp("The most header fields in a request. More are refused with 431.")
             .within(1, RequestHead::kMaxFields)
             .applied(Apply::newConnections)
             .forExperts(),
         field("Http2", "HTTP/2", &HttpOptions::http2)
             .withHelp(
                 "Whether HTTP/2 is spoken with clients that can: over TLS, and without it with those that "
                 "begin so.")
             .applied(Apply::newConnections),
         field("TrustedProxies", "Trusted proxies", &HttpOptions::trustedProxies)
             .withHelp("Addresses and networks, such as \"127.0.0.1\" or \"10.0.0.0/8\", of proxies in front "
                       "of this server. What they say of their clients in X-Forwarded-For, "
                       "X-Forwarded-Proto and Forwarded is believed: in logs, in what pages learn of the "
                       "client, and on the way to other servers. Of everybody else it is thrown away.")});
    return kFields;
}

void HttpOptions::check(schema::Checker& checker) const {
    for (std::size_t i = 0; i < trustedProxies.size(); ++i) {
        if (const auto network = net::Network::parse(trustedProxies[i]); !network) {
            checker.error({"TrustedProxies", std::to_string(i)}, network.error().message);
        }
    }
}

} // namespace saker::http
