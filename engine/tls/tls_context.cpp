#include "tls/tls_context.h"

#include "tls/client_hello.h"
#include "tls/openssl_error.h"

#include <fmt/format.h>

#include <cstring>

#include <openssl/err.h>

namespace saker::tls {

namespace {

/// Choices with a context of their own; on-demand certificates could make any number.
constexpr std::size_t kMaxChosen = 512;

constexpr const char* kGroups = "X25519:P-256:P-384";
constexpr const char* kTls13Ciphers =
    "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256";

/// Mozilla's, without finite-field Diffie-Hellman: slow, and whoever speaks TLS 1.2 knows elliptic curves.
constexpr const char* kIntermediateCiphers =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
    "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305";
constexpr const char* kOldCiphers =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
    "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305:"
    "ECDHE-ECDSA-AES128-SHA256:ECDHE-RSA-AES128-SHA256:ECDHE-ECDSA-AES128-SHA:ECDHE-RSA-AES128-SHA:"
    "ECDHE-ECDSA-AES256-SHA384:ECDHE-RSA-AES256-SHA384:ECDHE-ECDSA-AES256-SHA:ECDHE-RSA-AES256-SHA:"
    "AES128-GCM-SHA256:AES256-GCM-SHA384:AES128-SHA256:AES256-SHA256:AES128-SHA:AES256-SHA";

struct Profile {
    int minVersion;
    int securityLevel; // OpenSSL's: 2 asks for keys of 112 bits and more
    const char* ciphers;
};

Profile profileOf(TlsProfile profile) {
    switch (profile) {
    case TlsProfile::modern:
        return {TLS1_3_VERSION, 2, kIntermediateCiphers};
    case TlsProfile::old:
        return {TLS1_VERSION, 0, kOldCiphers};
    case TlsProfile::intermediate:
        break;
    }
    return {TLS1_2_VERSION, 2, kIntermediateCiphers};
}

bool useCredential(SSL_CTX& context, const Credential* credential) {
    if (credential == nullptr) {
        return true;
    }
    STACK_OF(X509)* chain = sk_X509_new_null();
    for (const X509Ptr& one : credential->chain) {
        sk_X509_push(chain, one.get()); // borrowed: SSL_CTX_use_cert_and_key counts references of its own
    }
    const bool used =
        SSL_CTX_use_cert_and_key(&context, credential->leaf.get(), credential->key.get(), chain, 1) == 1;
    sk_X509_free(chain);
    return used;
}

} // namespace

Result<std::shared_ptr<const TlsContext>> TlsContext::make(const TlsOptions& options, Parts parts) {
    const ClearsOpensslErrors clears;
    std::shared_ptr<TlsContext> self(new TlsContext(options, std::move(parts)));
    auto base = self->makeContext();
    if (!base) {
        return base.error();
    }
    self->base_ = std::move(*base);
    return std::shared_ptr<const TlsContext>(std::move(self));
}

TlsContext::TlsContext(TlsOptions options, Parts parts)
    : options_(std::move(options)), parts_(std::move(parts)) {}

TlsContext::~TlsContext() = default;

/// What all contexts have in common.
Result<SslContextPtr> TlsContext::makeContext() const {
    SslContextPtr owner(SSL_CTX_new(TLS_server_method()));
    SSL_CTX* context = owner.get();
    if (context == nullptr) {
        return Error{ErrorKind::failure, "OpenSSL cannot be used: " + takeOpensslError() + ".", {}};
    }
    const Profile profile = profileOf(options_.profile);
    SSL_CTX_set_security_level(context, profile.securityLevel);
    SSL_CTX_set_min_proto_version(context, profile.minVersion);
    SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION);
    SSL_CTX_set_ciphersuites(context, kTls13Ciphers);
    const std::string ciphers = options_.ciphers.empty() ? profile.ciphers : options_.ciphers;
    if (SSL_CTX_set_cipher_list(context, ciphers.c_str()) != 1) {
        return Error{
            ErrorKind::configuration,
            fmt::format("OpenSSL knows none of these ciphers: \"{}\". See `openssl ciphers`; leave the "
                        "key out for those of the profile.",
                        ciphers),
            "TlsCiphers"};
    }
    SSL_CTX_set1_groups_list(context, kGroups);

    // ChaCha first for clients that list it first: they have no AES in hardware.
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                     SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_NO_AUTO_CHAIN);
    SSL_CTX_set_verify_depth(context, 8);

    auto* self = const_cast<TlsContext*>(this); // the callbacks change nothing but what is mutable
    SSL_CTX_set_app_data(context, self);
    SSL_CTX_set_client_hello_cb(context, onClientHello, self);
    SSL_CTX_set_tlsext_servername_callback(context, onServerName);
    SSL_CTX_set_alpn_select_cb(context, onProtocols, self);
    if (parts_.keyLog) {
        SSL_CTX_set_keylog_callback(context, onKeyLine);
    }

    const auto lifetime = std::chrono::duration_cast<std::chrono::seconds>(options_.sessionLifetime).count();
    if (lifetime > 0 && parts_.tickets) {
        SSL_CTX_set_timeout(context, static_cast<long>(lifetime));
        SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_SERVER);
        SSL_CTX_sess_set_cache_size(context, kMaxSessions);
        parts_.tickets->attach(*context);
    } else {
        SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
        SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
        SSL_CTX_set_num_tickets(context, 0);
    }
    return Result<SslContextPtr>(std::move(owner));
}

SslPtr TlsContext::newConnection(Hello& hello) const {
    SslPtr ssl(SSL_new(base_.get()));
    if (ssl) {
        SSL_set_accept_state(ssl.get());
        SSL_set_app_data(ssl.get(), &hello);
    }
    return ssl;
}

// ---- choosing ----

std::shared_ptr<const TlsContext::Chosen> TlsContext::choose(const CredentialChoice& credentials,
                                                             const ClientPolicy* policy) const {
    const ChoiceKey key{credentials.ecdsa ? credentials.ecdsa->id : 0,
                        credentials.rsa ? credentials.rsa->id : 0, policy != nullptr ? policy->id() : 0};
    {
        std::lock_guard lock(mutex_);
        if (auto known = chosen_.find(key); known != chosen_.end()) {
            return known->second;
        }
    }
    auto made = makeChosen(credentials, policy); // takes a tenth of a millisecond: not under the lock
    if (made) {
        std::lock_guard lock(mutex_);
        if (chosen_.size() >= kMaxChosen) {
            chosen_.clear(); // connections keep what they use
        }
        chosen_[key] = made;
    }
    return made;
}

std::shared_ptr<const TlsContext::Chosen> TlsContext::makeChosen(const CredentialChoice& credentials,
                                                                 const ClientPolicy* policy) const {
    auto context = makeContext();
    if (!context || !useCredential(**context, credentials.ecdsa.get()) ||
        !useCredential(**context, credentials.rsa.get())) {
        return nullptr;
    }
    if (policy != nullptr) {
        policy->apply(**context);
    }
    auto chosen = std::make_shared<Chosen>();
    chosen->credentials = credentials;
    chosen->context = std::move(*context);
    auto staples = [](const std::shared_ptr<const Credential>& one) {
        return one && !one->ocspResponse.empty();
    };
    if (staples(credentials.ecdsa) || staples(credentials.rsa)) {
        SSL_CTX_set_tlsext_status_cb(chosen->context.get(), onStatusRequest);
        SSL_CTX_set_tlsext_status_arg(chosen->context.get(), chosen.get());
    }
    return chosen;
}

// ---- OpenSSL's callbacks, within handshakes ----

int TlsContext::onClientHello(SSL* ssl, int* alert, void* argument) {
    const auto& self = *static_cast<const TlsContext*>(argument);
    auto* hello = static_cast<Hello*>(SSL_get_app_data(ssl));
    if (hello == nullptr) { // only a handshake has one, and there is one handshake a connection
        *alert = SSL_AD_NO_RENEGOTIATION;
        return SSL_CLIENT_HELLO_ERROR;
    }
    std::string_view serverName;
    const unsigned char* body = nullptr;
    std::size_t size = 0;
    if (SSL_client_hello_get0_ext(ssl, TLSEXT_TYPE_server_name, &body, &size) == 1) {
        serverName = serverNameOf({body, size});
    }
    std::shared_ptr<const ClientPolicy> policy;
    if (self.parts_.clientPolicy) {
        policy = self.parts_.clientPolicy(serverName);
    }
    const CredentialChoice credentials = self.parts_.credentials->find(serverName, hello->local);
    const auto chosen = self.choose(credentials, policy.get());
    ERR_clear_error(); // of certificates that could not be used; the handshake's outcome is what counts
    if (!chosen || SSL_set_SSL_CTX(ssl, chosen->context.get()) == nullptr) {
        *alert = SSL_AD_INTERNAL_ERROR;
        return SSL_CLIENT_HELLO_ERROR;
    }
    if (policy) {
        policy->apply(*ssl);
        hello->clientPolicy = policy->id();
    }
    // A session is resumed only where the same rules for clients hold that it was made under.
    SSL_set_session_id_context(ssl, reinterpret_cast<const unsigned char*>(&hello->clientPolicy),
                               sizeof hello->clientPolicy);
    return SSL_CLIENT_HELLO_SUCCESS;
}

/// The choice was made above; this acknowledges the name and has the session remember it.
int TlsContext::onServerName(SSL*, int*, void*) {
    return SSL_TLSEXT_ERR_OK;
}

int TlsContext::onProtocols(SSL*, const unsigned char** out, unsigned char* outSize,
                            const unsigned char* offered, unsigned offeredSize, void* argument) {
    const auto& self = *static_cast<const TlsContext*>(argument);
    for (const std::string& ours : self.parts_.protocols) {
        for (unsigned at = 0; at < offeredSize; at += 1U + offered[at]) { // OpenSSL has checked the sizes
            if (ours.size() == offered[at] && std::memcmp(ours.data(), offered + at + 1, ours.size()) == 0) {
                *out = offered + at + 1;
                *outSize = offered[at];
                return SSL_TLSEXT_ERR_OK;
            }
        }
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL; // RFC 7301, 3.2: somebody else's protocol ended up here
}

int TlsContext::onStatusRequest(SSL* ssl, void* argument) {
    const auto& chosen = *static_cast<const Chosen*>(argument);
    const X509* used = SSL_get_certificate(ssl);
    for (const auto& credential : {chosen.credentials.ecdsa, chosen.credentials.rsa}) {
        if (!credential || credential->leaf.get() != used || credential->ocspResponse.empty()) {
            continue;
        }
        const std::string& response = credential->ocspResponse;
        void* copy = OPENSSL_memdup(response.data(), response.size());
        if (copy == nullptr) {
            break;
        }
        SSL_set_tlsext_status_ocsp_resp(ssl, copy, static_cast<long>(response.size()));
        return SSL_TLSEXT_ERR_OK;
    }
    return SSL_TLSEXT_ERR_NOACK;
}

void TlsContext::onKeyLine(const SSL* ssl, const char* line) {
    static_cast<const TlsContext*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)))->parts_.keyLog->write(line);
}

} // namespace saker::tls
