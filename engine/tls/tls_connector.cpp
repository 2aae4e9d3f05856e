#include "tls/tls_connector.h"

#include "loop/socket_address.h"
#include "tls/openssl_error.h"
#include "tls/tls_transport.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace saker::tls {

namespace {

Error failed(std::string_view what, const std::string& file) {
    return {ErrorKind::configuration, fmt::format("{}: {}", what, takeOpensslError()), file};
}

} // namespace

TlsConnector::TlsConnector(Key, TlsLoop& shared, ConnectorOptions options)
    : shared_(shared), options_(std::move(options)) {}

TlsConnector::~TlsConnector() = default;

Result<std::shared_ptr<TlsConnector>> TlsConnector::make(TlsLoop& shared, const ConnectorOptions& options) {
    auto connector = std::make_shared<TlsConnector>(Key{}, shared, options);
    if (auto prepared = connector->prepare(); !prepared) {
        return prepared.error();
    }
    return connector;
}

Result<void> TlsConnector::prepare() {
    const ClearsOpensslErrors clears;
    context_.reset(SSL_CTX_new(TLS_client_method()));
    SSL_CTX* const context = context_.get();
    if (context == nullptr) {
        return failed("TLS cannot be set up", {});
    }
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_NO_AUTO_CHAIN);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    if (options_.verify) {
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
        const int loaded = options_.caFile.empty()
                               ? SSL_CTX_set_default_verify_paths(context)
                               : SSL_CTX_load_verify_file(context, options_.caFile.c_str());
        if (loaded != 1) {
            return failed("the certificates of issuers cannot be read", options_.caFile);
        }
    }
    if (!options_.certificate.empty()) {
        if (SSL_CTX_use_certificate_chain_file(context, options_.certificate.c_str()) != 1) {
            return failed("the certificate cannot be read", options_.certificate);
        }
        const std::string& key = options_.key.empty() ? options_.certificate : options_.key;
        if (SSL_CTX_use_PrivateKey_file(context, key.c_str(), SSL_FILETYPE_PEM) != 1 ||
            SSL_CTX_check_private_key(context) != 1) {
            return failed("the certificate's key cannot be used", key);
        }
    }
    if (!options_.protocol.empty()) {
        std::string wire(1, static_cast<char>(options_.protocol.size()));
        wire += options_.protocol;
        SSL_CTX_set_alpn_protos(context, reinterpret_cast<const unsigned char*>(wire.data()),
                                static_cast<unsigned>(wire.size()));
    }
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(context, onNewSession);
    return {};
}

int TlsConnector::onNewSession(SSL* ssl, SSL_SESSION* session) {
    auto* const self = static_cast<TlsConnector*>(SSL_get_app_data(ssl));
    if (self == nullptr) {
        return 0;
    }
    self->session_.reset(session);
    return 1; // it is ours
}

SslPtr TlsConnector::newConnection() {
    const ClearsOpensslErrors clears;
    SslPtr ssl(SSL_new(context_.get()));
    if (!ssl) {
        return ssl;
    }
    SSL_set_connect_state(ssl.get());
    SSL_set_app_data(ssl.get(), this);
    if (loop::SocketAddress::parse(options_.host, 0)) {
        X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl.get()), options_.host.c_str());
    } else {
        SSL_set_tlsext_host_name(ssl.get(), options_.host.c_str());
        SSL_set1_host(ssl.get(), options_.host.c_str());
    }
    if (session_) {
        SSL_set_session(ssl.get(), session_.get());
    }
    return ssl;
}

void TlsConnector::secure(net::Transport& lower, std::uint64_t timeoutMs, net::SecureUser& user) {
    TlsTransport& transport = TlsTransport::connect(shared_, lower, newConnection(), *this, timeoutMs);
    pending_.push_back({&transport, &user, shared_from_this()});
}

void TlsConnector::cancel(net::SecureUser& user) {
    for (Pending& one : pending_) {
        if (one.user == &user) {
            one.user = nullptr;
            one.transport->close(true);
        }
    }
}

TlsConnector::Pending TlsConnector::take(TlsTransport& transport) {
    const auto place = std::find_if(pending_.begin(), pending_.end(),
                                    [&](const Pending& one) { return one.transport == &transport; });
    Pending taken = std::move(*place);
    pending_.erase(place);
    return taken;
}

void TlsConnector::onSecured(TlsTransport& transport) {
    const Pending taken = take(transport);
    if (taken.user != nullptr) {
        taken.user->onSecured(transport);
    } else {
        transport.close(true);
    }
}

void TlsConnector::onUnsecured(TlsTransport& transport) {
    const Pending taken = take(transport);
    if (taken.user != nullptr) {
        taken.user->onNotSecured(transport.problem(), transport.isTimedOut());
    }
}

} // namespace saker::tls
