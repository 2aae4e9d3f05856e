// A private key with its certificate chain, ready for handshakes, and who chooses among them.
#pragma once

#include "loop/socket_address.h"
#include "tls/certificate_info.h"
#include "tls/openssl_types.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace saker::tls {

/// Immutable; shared by all loops. OpenSSL counts the references to its parts atomically.
struct Credential {
    X509Ptr leaf;
    std::vector<X509Ptr> chain; ///< the intermediates, nearest to the leaf first; the root may be missing
    KeyPtr key;                 ///< matches the leaf
    CertificateInfo info;       ///< of the leaf
    std::string ocspResponse;   ///< DER (RFC 6960); empty: nothing to staple
    /// Counts up with each credential of this process: a key for caches that outlives none of them.
    std::uint64_t id = 0;
};

/// What a server name is answered with: RSA and ECDSA side by side, the client's algorithms choose. At least
/// one is there.
struct CredentialChoice {
    std::shared_ptr<const Credential> ecdsa; ///< or Ed25519
    std::shared_ptr<const Credential> rsa;
};

class CredentialSource {
public:
    virtual ~CredentialSource() = default;
    /// Called within handshakes, by all loops at once; must not block for long. `serverName`: from SNI (RFC
    /// 6066), as sent, empty without; `local`: the address that the client reached.
    virtual CredentialChoice find(std::string_view serverName, const loop::SocketAddress& local) = 0;
};

} // namespace saker::tls
