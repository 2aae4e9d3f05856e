#include "upstream/forward_options.h"

#include "base/text.h"
#include "http/authority.h"
#include "schema/type_of.h"

#include <fmt/format.h>

namespace saker::upstream {

namespace {

constexpr std::string_view kDomain = "{domain}";
// What BufferFastCGIResponse collects before the client gets the first byte.
constexpr std::uint64_t kBackloggedAfter = 20; // ms
constexpr std::uint32_t kBuffered = 256 * 1024;

std::uint64_t millis(schema::Duration duration) {
    return static_cast<std::uint64_t>(duration.count());
}

std::string withDomain(std::string_view value, std::string_view host) {
    std::string text(value);
    for (std::size_t at = text.find(kDomain); at != std::string::npos;
         at = text.find(kDomain, at + host.size())) {
        text.replace(at, kDomain.size(), host);
    }
    return text;
}

} // namespace

using schema::field;
using schema::Unit;

const schema::Description& ForwardOptions::fields() {
    static const schema::Description kFields = schema::describe<ForwardOptions>(
        "Pages that run on other servers",
        {field("ForceTLS", "Proxy over TLS only", &ForwardOptions::forceTLS)
             .withHelp("Whether requests are passed on to other servers over TLS only: a plain http:// "
                       "target outside this machine is then an error. Certificates are verified in any case, "
                       "see ProxyVerify.")
             .withNote("Force TLS when proxying?")
             .inGroup("Proxying"),
         field("ProxyVerify", "Verify upstream certificates", &ForwardOptions::proxyVerify)
             .withHelp("Whether the certificates of servers that requests are passed on to are verified, "
                       "except on loopback addresses: those are verified with a ProxyCaFile only.")
             .inGroup("Proxying")
             .forExperts(),
         field("ProxyCaFile", "Issuers of upstream certificates", &ForwardOptions::proxyCaFile)
             .withHelp("A file with the certificates, in PEM, of the authorities that issue the certificates "
                       "of servers that requests are passed on to. Empty means those that the system "
                       "trusts.")
             .asFile()
             .inGroup("Proxying")
             .forExperts(),
         field("ProxyCertificate", "Own certificate", &ForwardOptions::proxyCertificate)
             .withHelp("A file with the certificate, in PEM, that is shown to servers that requests are "
                       "passed on to. Empty means none.")
             .asFile()
             .inGroup("Proxying")
             .forExperts(),
         field("ProxyCertificateKey", "Its key", &ForwardOptions::proxyCertificateKey)
             .withHelp("The file with the private key of ProxyCertificate, in PEM. Empty means that it is in "
                       "the same file.")
             .asFile()
             .inGroup("Proxying")
             .forExperts(),
         field("BufferFastCGIResponse", "Buffer FastCGI", &ForwardOptions::bufferFastCGIResponse)
             .withHelp("Whether an answer from FastCGI is collected, up to 256 KiB of it, before the client "
                       "gets its beginning; it may suit high or low load. Events sent by PHP one by one "
                       "(SSE) need it off.")
             .withNote("Tweak PHP performance depending on high/low scale")
             .inGroup("FastCGI")
             .forExperts(),
         field("HttpProxyTimeout", "Proxy time-out", &ForwardOptions::httpProxyTimeout)
             .withHelp("How long a server that a request was passed on to may take to answer.")
             .withNote("Seconds")
             .atLeast(0)
             .inGroup("Proxying"),
         field("FCGI_ReceiveTimeout", "Receive time-out", &ForwardOptions::fcgiReceiveTimeout)
             .withHelp("How long a FastCGI server may be silent while an answer is awaited.")
             .withNote("Milliseconds")
             .countedIn(Unit::milliseconds)
             .atLeast(0)
             .inGroup("FastCGI"),
         field("FCGI_SendTimeout", "Send time-out", &ForwardOptions::fcgiSendTimeout)
             .withHelp("How long a FastCGI server may take nothing while a request is sent to it.")
             .withNote("Milliseconds")
             .countedIn(Unit::milliseconds)
             .atLeast(0)
             .inGroup("FastCGI"),
         field("FCGI_MaxPoolSize", "Idle connections", &ForwardOptions::fcgiMaxPoolSize)
             .withHelp("How many idle connections to a FastCGI server are kept for the next request.")
             .inGroup("FastCGI"),
         field("ForwardExt", "Pass on by extension", &ForwardOptions::forwardExt)
             .withHelp("Passes requests for files of an extension on to another server: \"http://…\", "
                       "\"https://…\", \"unix:/path/of.sock\", \"fcgi://host:port\" or "
                       "\"fcgi:///path/of.sock\". {domain} stands for the site's host. \"auto\" finds and "
                       "runs PHP. Files of these extensions are never sent as they are.")
             .withNote("Reverse-proxy and FastCGI support")
             .keyedBy("extension")
             .inGroup("Proxying")});
    return kFields;
}

void ForwardOptions::check(schema::Checker& checker) const {
    for (const auto& [extension, value] : forwardExt) {
        if (equalsIgnoreCase(value, "auto")) {
            continue;
        }
        const auto target = UpstreamTarget::parse(withDomain(value, "localhost"));
        if (!target) {
            checker.error({"ForwardExt", extension}, target.error().message + ", or \"auto\"");
            continue;
        }
        if (forceTLS && isPlainElsewhere(value)) {
            checker.error(
                {"ForwardExt", extension},
                fmt::format("ForceTLS is on, so \"{}\" has to be an https:// address, or one of this "
                            "machine such as http://127.0.0.1:3000",
                            escapeControl(value)));
        }
    }
}

bool isPlainElsewhere(std::string_view value) {
    const auto target = UpstreamTarget::parse(withDomain(value, "localhost"));
    if (!target || target->protocol != UpstreamTarget::Protocol::http || target->isTls || target->isLocal()) {
        return false;
    }
    const auto endpoint = target->endpoint();
    const bool isHere = endpoint ? endpoint->address.isLoopback() : target->host == "localhost";
    return !isHere || value.find(kDomain) != std::string_view::npos;
}

ExchangeOptions ForwardOptions::exchangeOptions(UpstreamTarget::Protocol protocol) const {
    ExchangeOptions options;
    if (protocol == UpstreamTarget::Protocol::fastCgi) {
        options.sendTimeout = millis(fcgiSendTimeout);
        options.receiveTimeout = millis(fcgiReceiveTimeout);
        options.bufferReply = bufferFastCGIResponse ? kBuffered : 0;
    } else {
        options.sendTimeout = options.receiveTimeout = millis(httpProxyTimeout);
    }
    return options;
}

PoolOptions ForwardOptions::poolOptions(UpstreamTarget::Protocol protocol) const {
    PoolOptions options;
    options.secure = secureOptions();
    if (protocol == UpstreamTarget::Protocol::fastCgi) {
        options.maxIdle = fcgiMaxPoolSize;
        options.backloggedAfter = kBackloggedAfter;
    }
    return options;
}

std::optional<UpstreamTarget> forwardTarget(std::string_view value, std::string_view host) {
    if (equalsIgnoreCase(value, "auto")) {
        return std::nullopt;
    }
    const auto authority = http::splitAuthority(host);
    if (value.find(kDomain) != std::string_view::npos && (!authority || authority->port)) {
        return std::nullopt;
    }
    auto target = UpstreamTarget::parse(withDomain(value, host));
    return target ? std::optional(std::move(*target)) : std::nullopt;
}

} // namespace saker::upstream
