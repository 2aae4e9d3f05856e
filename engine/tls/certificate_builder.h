// Makes certificates: the local authority, what it issues, the self-signed one of last resort. Any thread;
// leaves OpenSSL's error queue of the thread empty.
#pragma once

#include "base/result.h"
#include "tls/openssl_types.h"

#include <cstdint>
#include <string>
#include <vector>

namespace saker::tls {

struct CertificateRequest {
    std::string commonName;
    std::string organization;           ///< "": none
    std::vector<std::string> names;     ///< DNS names of the SAN, A-labels
    std::vector<std::string> addresses; ///< IP addresses of the SAN, as text
    std::int64_t notBefore = 0;         ///< seconds since 1970
    std::int64_t notAfter = 0;
    bool isServer = true; ///< may identify servers (extended key usage), and nothing else
    bool isAuthority = false;
    /// Of an authority: what it may vouch for (RFC 5280, 4.2.1.10; critical). "test" is test itself and all
    /// below it; networks are written "10.0.0.0/255.0.0.0". Both empty: anything.
    std::vector<std::string> permittedNames;
    std::vector<std::string> permittedNetworks;
    std::vector<std::string> excludedNames; ///< ".a": all below a, not a itself
};

/// A new private key on the curve P-256.
Result<KeyPtr> makeEcdsaKey();

/// Who signs; null `certificate`: the subject itself.
struct Signer {
    const X509* certificate = nullptr;
    EVP_PKEY* key = nullptr;
};

/// A certificate for the key, signed with SHA-256 (no digest of its own for Ed25519).
Result<X509Ptr> makeCertificate(const CertificateRequest& request, EVP_PKEY& key, Signer signer);

/// The same certificate, counted once more.
X509Ptr copyOf(const X509& certificate);

std::string pemOf(const X509& certificate);
/// PKCS#8, not encrypted.
std::string pemOf(const EVP_PKEY& key);

} // namespace saker::tls
