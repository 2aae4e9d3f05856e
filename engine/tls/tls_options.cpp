#include "tls/tls_options.h"

#include "schema/type_of.h"
#include "tls/openssl_error.h"
#include "tls/openssl_types.h"

namespace saker::tls {

using schema::Apply;
using schema::field;

std::span<const schema::Choice> schemaChoices(TlsProfile) {
    static constexpr schema::Choice kChoices[] = {
        {"modern", static_cast<int>(TlsProfile::modern), "TLS 1.3 only; clients since about 2019."},
        {"intermediate", static_cast<int>(TlsProfile::intermediate),
         "TLS 1.2 with forward secrecy and TLS 1.3; nearly all clients."},
        {"old", static_cast<int>(TlsProfile::old),
         "TLS 1.0 and later, for clients that are past mending; no longer secure."},
    };
    return kChoices;
}

const schema::Description& TlsOptions::fields() {
    static const schema::Description kFields = schema::describe<TlsOptions>(
        "HTTPS",
        {field("TlsProfile", "Clients served", &TlsOptions::profile)
             .withHelp("Which versions and ciphers of TLS are spoken on the HTTPS ports.")
             .applied(Apply::newConnections),
         field("TlsCiphers", "Ciphers of TLS 1.2", &TlsOptions::ciphers)
             .withHelp("Instead of the profile's ciphers up to TLS 1.2, the best first, as OpenSSL spells "
                       "them: \"ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256\". Empty means "
                       "those of the profile.")
             .applied(Apply::newConnections)
             .forExperts(),
         field("TlsHandshakeTimeout", "Time for a handshake", &TlsOptions::handshakeTimeout)
             .withHelp("How long a client may take from connecting to the end of the TLS handshake.")
             .withNote("Seconds for the TLS handshake")
             .atLeast(1)
             .applied(Apply::newConnections)
             .forExperts(),
         field("TlsSessionLifetime", "Sessions", &TlsOptions::sessionLifetime)
             .withHelp("For how long a client may come back without a full handshake. The keys that this "
                       "takes are renewed after half of it, and are in memory only. 0 means that every "
                       "connection takes a full handshake.")
             .within(0, 7 * 24 * 3600)
             .applied(Apply::newConnections)
             .forExperts(),
         field("TlsHandshakesPerAddress", "Handshakes of an address", &TlsOptions::handshakesPerAddress)
             .withHelp("How many TLS handshakes a second one address gets from each event loop while that "
                       "is busy with handshakes; more are turned away. 0 means no limit.")
             .applied(Apply::live)
             .forExperts(),
         field("TlsKeyLogFile", "File of secrets", &TlsOptions::keyLogFile)
             .withHelp("A file that the secrets of all TLS connections are appended to, for looking into "
                       "recorded traffic. Whoever has it can read that traffic. Empty means none.")
             .asFile()
             .applied(Apply::newConnections)
             .forExperts()});
    return kFields;
}

void TlsOptions::check(schema::Checker& checker) const {
    if (ciphers.empty()) {
        return;
    }
    const ClearsOpensslErrors clears;
    const SslContextPtr context(SSL_CTX_new(TLS_server_method()));
    if (!context || SSL_CTX_set_cipher_list(context.get(), ciphers.c_str()) != 1) {
        checker.error({"TlsCiphers"}, "OpenSSL knows none of these ciphers; see `openssl ciphers`");
    }
}

} // namespace saker::tls
