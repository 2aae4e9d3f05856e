// Which files are passed on to other servers, and how these are treated. Decoded by the host.
#pragma once

#include "schema/types.h"
#include "upstream/upstream_exchange.h"
#include "upstream/upstream_pool.h"
#include "upstream/upstream_target.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace saker::upstream {

struct ForwardOptions {
    /// Extension -> what UpstreamTarget::parse() reads, with {domain} for the site's host; or "auto".
    schema::OrderedMap<std::string> forwardExt{
        {"njs", "http://{domain}:7001"}, {"bun", "http://{domain}:3000"}, {"php", "auto"}};
    bool forceTLS = false;
    bool proxyVerify = true;
    std::string proxyCaFile;         ///< "": the system's
    std::string proxyCertificate;    ///< "": none
    std::string proxyCertificateKey; ///< "": in proxyCertificate
    schema::Duration httpProxyTimeout = std::chrono::seconds(300);
    bool bufferFastCGIResponse = false;
    schema::Duration fcgiReceiveTimeout = std::chrono::milliseconds(300000);
    schema::Duration fcgiSendTimeout = std::chrono::milliseconds(300000);
    std::uint32_t fcgiMaxPoolSize = 20;

    /// Time-outs and limits for a target's protocol.
    SecureOptions secureOptions() const {
        return {proxyVerify, proxyCaFile, proxyCertificate, proxyCertificateKey};
    }
    ExchangeOptions exchangeOptions(UpstreamTarget::Protocol protocol) const;
    PoolOptions poolOptions(UpstreamTarget::Protocol protocol) const;

    void check(schema::Checker& checker) const;
    bool operator==(const ForwardOptions&) const = default;
    static const schema::Description& fields();
};

/// Plain HTTP to another machine, as far as an address (with {domain}, perhaps) says: what ForceTLS forbids.
bool isPlainElsewhere(std::string_view value);

/// A value of ForwardExt for a site's host: {domain} replaced. Nothing for "auto", for what is no target, and
/// for a host that is none where there is a {domain}.
std::optional<UpstreamTarget> forwardTarget(std::string_view value, std::string_view host);

} // namespace saker::upstream
