// TLS as the client, on connections to one server: its certificate and name are verified, our own is shown if
// there is one, and a session is taken up again where the server lets us. One per loop and server.
#pragma once

#include "base/result.h"
#include "net/securer.h"
#include "tls/tls_loop.h"

#include <memory>
#include <string>
#include <vector>

namespace saker::tls {

struct ConnectorOptions {
    std::string host;        ///< a name, or a literal address: what the certificate has to be for
    bool verify = true;      ///< else any certificate will do
    std::string caFile;      ///< of those who issue certificates; "": the system's
    std::string certificate; ///< our own with its chain, PEM; "": none
    std::string key;         ///< "": in the certificate's file
    std::string protocol;    ///< for ALPN (RFC 7301)
};

class TlsConnector final : public net::Securer,
                           private TlsAcceptor,
                           public std::enable_shared_from_this<TlsConnector> {
    struct Key {};

public:
    static Result<std::shared_ptr<TlsConnector>> make(TlsLoop& shared, const ConnectorOptions& options);

    void secure(net::Transport& lower, std::uint64_t timeoutMs, net::SecureUser& user) override;
    void cancel(net::SecureUser& user) override;

    TlsConnector(Key, TlsLoop& shared, ConnectorOptions options);
    ~TlsConnector() override;

private:
    using SessionPtr = std::unique_ptr<SSL_SESSION, OpensslFree<SSL_SESSION_free>>;
    struct Pending {
        TlsTransport* transport;
        net::SecureUser* user;              // null: cancelled
        std::shared_ptr<TlsConnector> self; // it is called until the handshake is over
    };

    Result<void> prepare();
    SslPtr newConnection();
    Pending take(TlsTransport& transport);
    void onSecured(TlsTransport& transport) override;
    void onUnsecured(TlsTransport& transport) override;
    static int onNewSession(SSL* ssl, SSL_SESSION* session);

    TlsLoop& shared_;
    const ConnectorOptions options_;
    SslContextPtr context_;
    SessionPtr session_; // the last one that the server gave us
    std::vector<Pending> pending_;
};

} // namespace saker::tls
