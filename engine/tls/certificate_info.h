// What a certificate says, as data: for choosing one by name, for lists and for warnings.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <openssl/x509.h>

namespace saker::tls {

struct CertificateInfo {
    enum class KeyKind : std::uint8_t { rsa, ecdsa, ed25519, other };

    std::string subject;                ///< the common name, or the whole subject where there is none
    std::string issuer;                 ///< as subject
    std::vector<std::string> names;     ///< DNS names of the SAN (RFC 5280, 4.2.1.6), lower case A-labels,
                                        ///< wildcards as they are; the common name where there is no SAN
    std::vector<std::string> addresses; ///< IP addresses of the SAN as text
    std::string serial;                 ///< hexadecimal
    std::string fingerprint;            ///< SHA-256, hexadecimal
    std::int64_t notBefore = 0;         ///< seconds since 1970
    std::int64_t notAfter = 0;
    KeyKind keyKind = KeyKind::other;
    unsigned keyBits = 0;
    bool isSelfSigned = false;
    bool isAuthority = false;

    static CertificateInfo of(const X509& certificate);
};

} // namespace saker::tls
