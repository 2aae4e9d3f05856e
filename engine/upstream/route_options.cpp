#include "upstream/route_options.h"

#include "base/text.h"
#include "http/configured_field.h"
#include "http/url.h"
#include "schema/type_of.h"
#include "upstream/forward_options.h"

#include <fmt/format.h>

namespace saker::upstream {

namespace {

constexpr std::uint32_t kBuffered = 256 * 1024;

std::uint64_t millis(schema::Duration duration) {
    return static_cast<std::uint64_t>(duration.count());
}

void checkHeaders(schema::Checker& checker, std::string_view key,
                  const schema::OrderedMap<std::string>& headers) {
    for (const auto& [name, value] : headers) {
        if (const std::string problem = http::fieldProblem(name, value); !problem.empty()) {
            checker.error({key, name}, problem);
        }
    }
}

void checkPath(schema::Checker& checker, std::string_view key, const std::string& path) {
    std::string scratch;
    const http::NormalPath normal = http::normalisePath(path, scratch);
    if (path.empty() || path.front() != '/') {
        checker.error({key}, fmt::format("expected a path that begins with / such as \"/api/\", found \"{}\"",
                                         escapeControl(path)));
    } else if (!normal.ok()) {
        checker.error({key}, fmt::format("\"{}\" is no path: {}", escapeControl(path),
                                         http::pathErrorText(normal.error)));
    } else if (path.find_first_of("?# ") != std::string::npos) {
        checker.error(
            {key}, fmt::format("expected a path without blank, ? and #, found \"{}\"", escapeControl(path)));
    }
}

/// What is wrong with a server's address; "" when nothing is.
std::string serverProblem(const std::string& url) {
    const auto target = forwardTarget(url, "localhost");
    if (!target) {
        const auto parsed = UpstreamTarget::parse(url);
        return parsed ? "expected the address of a server" : parsed.error().message;
    }
    if (target->protocol != UpstreamTarget::Protocol::http) {
        return fmt::format("\"{}\" is an address of FastCGI, which has no routes; expected one that begins "
                           "with http://, https:// or unix:",
                           escapeControl(url));
    }
    return {};
}

} // namespace

using schema::field;

std::span<const schema::Choice> schemaChoices(BalancePolicy) {
    static constexpr schema::Choice kChoices[] = {
        {"round-robin", static_cast<int>(BalancePolicy::roundRobin),
         "One after the other, each as often as its Weight says."},
        {"least-connections", static_cast<int>(BalancePolicy::leastConnections),
         "The one with the fewest requests under way, measured by its Weight."},
        {"client-address", static_cast<int>(BalancePolicy::clientAddress),
         "The same one for the same address of a client, as long as it answers."},
        {"cookie", static_cast<int>(BalancePolicy::cookie),
         "The one that answered the client before, which a cookie says; new clients as by round-robin."},
    };
    return kChoices;
}

std::span<const schema::Choice> schemaChoices(RouteHost) {
    static constexpr schema::Choice kChoices[] = {
        {"upstream", static_cast<int>(RouteHost::upstream),
         "The server's own name; the client's is in X-Forwarded-Host."},
        {"client", static_cast<int>(RouteHost::client), "What the client asked for."},
    };
    return kChoices;
}

const schema::Description& RouteServer::fields() {
    static const schema::Description kFields = [] {
        auto description = schema::describe<RouteServer>(
            "Server of a route",
            {field("Url", "Address", &RouteServer::url)
                 .withHelp("Where the server is: \"http://127.0.0.1:3000\", \"https://host/base\" or "
                           "\"unix:/run/app.sock\". {domain} stands for the name of the site."),
             field("Weight", "Weight", &RouteServer::weight)
                 .withHelp("How many requests it gets in relation to the others.")
                 .within(1, 1000)});
        description.setShorthand("Url");
        return description;
    }();
    return kFields;
}

const schema::Description& RouteOptions::fields() {
    static const schema::Description kFields = schema::describe<RouteOptions>(
        "Route",
        {field("Path", "Path", &RouteOptions::path)
             .withHelp("The path that the route is for, and everything below it: \"/api/\". Of several "
                       "routes the longest that fits counts. Files are not looked for there."),
         field("Proxy", "Servers", &RouteOptions::proxy)
             .withHelp("The servers that requests are passed on to. When one cannot be reached, the next is "
                       "asked."),
         field("Balance", "Choice of the server", &RouteOptions::balance)
             .withHelp("How one of several servers is chosen."),
         field("StickyCookie", "Cookie", &RouteOptions::stickyCookie)
             .withHelp("The name of the cookie that tells which server answered, with Balance \"cookie\".")
             .forExperts(),
         field("StripPrefix", "Without the path's beginning", &RouteOptions::stripPrefix)
             .withHelp("Whether the server is asked without Path: \"/api/user\" becomes \"/user\"."),
         field("Rewrite", "Other beginning", &RouteOptions::rewrite)
             .withHelp("What the server is asked for instead of Path: with \"/v2/\", \"/api/user\" becomes "
                       "\"/v2/user\". Empty leaves the path as it is."),
         field("Host", "Host", &RouteOptions::host).withHelp("What the server gets as Host."),
         field("RequestHeaders", "Headers of requests", &RouteOptions::requestHeaders)
             .withHelp("Headers that the server gets, instead of what the client sent. An empty text takes "
                       "the header away.")
             .keyedBy("header"),
         field("ResponseHeaders", "Headers of answers", &RouteOptions::responseHeaders)
             .withHelp("Headers that the client gets, instead of what the server sent. An empty text takes "
                       "the header away.")
             .keyedBy("header"),
         field("ProxyVerify", "Verify certificates", &RouteOptions::proxyVerify)
             .withHelp("Instead of the global ProxyVerify.")
             .forExperts(),
         field("ProxyCaFile", "Issuers of certificates", &RouteOptions::proxyCaFile)
             .withHelp("Instead of the global ProxyCaFile.")
             .asFile()
             .forExperts(),
         field("ProxyCertificate", "Own certificate", &RouteOptions::proxyCertificate)
             .withHelp("Instead of the global ProxyCertificate.")
             .asFile()
             .forExperts(),
         field("ProxyCertificateKey", "Its key", &RouteOptions::proxyCertificateKey)
             .withHelp("Instead of the global ProxyCertificateKey.")
             .asFile()
             .forExperts(),
         field("Timeout", "Time-out", &RouteOptions::timeout)
             .withHelp("How long a server may be silent while an answer is awaited. Instead of "
                       "HttpProxyTimeout.")
             .atLeast(0),
         field("ConnectTimeout", "Connect time-out", &RouteOptions::connectTimeout)
             .withHelp("How long connecting to a server may take.")
             .atLeast(0.001)
             .forExperts(),
         field("Buffering", "Buffer answers", &RouteOptions::buffering)
             .withHelp("Whether an answer is collected, up to 256 KiB of it, before the client gets its "
                       "beginning. Events sent one by one (SSE) need it off."),
         field("MaxFails", "Failures", &RouteOptions::maxFails)
             .withHelp("After how many failures in a row a server is passed over for FailTimeout; then one "
                       "request tries it again. 0 means never.")
             .forExperts(),
         field("FailTimeout", "Passed over for", &RouteOptions::failTimeout)
             .withHelp("For how long a server that failed is passed over, while there are others.")
             .atLeast(0)
             .forExperts()});
    return kFields;
}

void RouteOptions::check(schema::Checker& checker) const {
    checkPath(checker, "Path", path);
    if (!rewrite.empty()) {
        checkPath(checker, "Rewrite", rewrite);
        if (stripPrefix) {
            checker.error({"Rewrite"}, "expected either Rewrite or StripPrefix, found both");
        }
    }
    if (proxy.empty() || proxy.size() > kMostServers) {
        checker.error({"Proxy"}, fmt::format("expected from one to {} servers such as "
                                             "\"http://127.0.0.1:3000\", found {}",
                                             kMostServers, proxy.size()));
    }
    for (std::size_t i = 0; i < proxy.size(); ++i) {
        if (const std::string problem = serverProblem(proxy[i].url); !problem.empty()) {
            checker.error({"Proxy", std::to_string(i)}, problem);
        }
    }
    if (stickyCookie.empty() || !http::fieldProblem(stickyCookie, "").empty()) {
        checker.error({"StickyCookie"}, fmt::format("expected the name of a cookie, found \"{}\"",
                                                    escapeControl(stickyCookie)));
    }
    checkHeaders(checker, "RequestHeaders", requestHeaders);
    checkHeaders(checker, "ResponseHeaders", responseHeaders);
}

ExchangeOptions RouteOptions::exchangeOptions(schema::Duration usualTimeout) const {
    ExchangeOptions options;
    options.sendTimeout = options.receiveTimeout = millis(timeout.value_or(usualTimeout));
    options.bufferReply = buffering ? kBuffered : 0;
    return options;
}

PoolOptions RouteOptions::poolOptions(const SecureOptions& usual) const {
    PoolOptions options;
    options.secure.verify = proxyVerify.value_or(usual.verify);
    options.secure.caFile = proxyCaFile.value_or(usual.caFile);
    options.secure.certificate = proxyCertificate.value_or(usual.certificate);
    options.secure.key = proxyCertificateKey.value_or(proxyCertificate ? std::string() : usual.key);
    options.connectTimeout = millis(connectTimeout);
    return options;
}

} // namespace saker::upstream
