// How handshakes are answered under one configuration: protocols, ciphers, certificates, sessions. Immutable
// and shared by all loops; a reload makes another one beside it. A connection needs it until its handshake is
// done, so one that is open does not notice.
//
// Session tickets outlive contexts (SessionTickets). Sessions of TLS 1.2 clients without tickets are
// remembered in a cache of the context that all loops share; at most kMaxSessions, by OpenSSL.
#pragma once

#include "base/result.h"
#include "loop/socket_address.h"
#include "tls/client_policy.h"
#include "tls/credential.h"
#include "tls/key_log.h"
#include "tls/openssl_types.h"
#include "tls/session_tickets.h"
#include "tls/tls_options.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace saker::tls {

class TlsContext {
public:
    static constexpr long kMaxSessions = 20'000;

    struct Parts {
        std::shared_ptr<CredentialSource> credentials;
        std::shared_ptr<SessionTickets> tickets;
        std::shared_ptr<KeyLog> keyLog; ///< null: none
        /// What the site of a server name asks of clients; null: nothing. Called within handshakes, on their
        /// loops. May be empty.
        std::function<std::shared_ptr<const ClientPolicy>(std::string_view serverName)> clientPolicy;
        /// For ALPN (RFC 7301), the one that is liked best first.
        std::vector<std::string> protocols;
    };
    static Result<std::shared_ptr<const TlsContext>> make(const TlsOptions& options, Parts parts);

    /// What a handshake tells its context, and learns from it.
    struct Hello {
        loop::SocketAddress local;      ///< the address that the client reached
        std::uint64_t clientPolicy = 0; ///< ClientPolicy::id(), set by the handshake
    };
    /// A server's side of a connection, without BIOs; null when memory runs out. REQUIRES: this and `hello`
    /// live until its handshake is done.
    SslPtr newConnection(Hello& hello) const;

    const TlsOptions& options() const { return options_; }

    TlsContext(const TlsContext&) = delete;
    TlsContext& operator=(const TlsContext&) = delete;
    ~TlsContext();

private:
    /// A context with the certificates of one choice. A handshake takes it as it is.
    struct Chosen {
        CredentialChoice credentials;
        SslContextPtr context;
    };
    using ChoiceKey = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>; // ecdsa, rsa, client policy

    TlsContext(TlsOptions options, Parts parts);
    Result<SslContextPtr> makeContext() const;
    std::shared_ptr<const Chosen> choose(const CredentialChoice& credentials,
                                         const ClientPolicy* policy) const;
    std::shared_ptr<const Chosen> makeChosen(const CredentialChoice& credentials,
                                             const ClientPolicy* policy) const;

    static int onClientHello(SSL* ssl, int* alert, void* self);
    static int onServerName(SSL* ssl, int* alert, void* self);
    static int onProtocols(SSL* ssl, const unsigned char** out, unsigned char* outSize,
                           const unsigned char* offered, unsigned offeredSize, void* self);
    static int onStatusRequest(SSL* ssl, void* chosen);
    static void onKeyLine(const SSL* ssl, const char* line);

    const TlsOptions options_;
    const Parts parts_;
    SslContextPtr base_;       // has no certificate; holds what sessions need
    mutable std::mutex mutex_; // chosen_
    mutable std::map<ChoiceKey, std::shared_ptr<const Chosen>> chosen_;
};

} // namespace saker::tls
