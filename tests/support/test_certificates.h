// Certificates for tests, made on the spot: an authority, leaves of any kind, the files that servers are
// given.
#pragma once

#include "tls/certificate_builder.h"
#include "tls/certificate_info.h"
#include "tls/credential.h"

#include <cstdint>
#include <ctime>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/rsa.h>

namespace saker::test {

enum class KeyKind { ecdsa, rsa, ed25519 };

inline tls::KeyPtr makeKey(KeyKind kind, int rsaBits = 2048) {
    EVP_PKEY* key = kind == KeyKind::rsa       ? EVP_RSA_gen(static_cast<unsigned>(rsaBits))
                    : kind == KeyKind::ed25519 ? EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519")
                                               : EVP_EC_gen("P-256");
    if (!key) {
        throw std::runtime_error("no key could be made");
    }
    return tls::KeyPtr(key);
}

/// A certificate and its private key.
struct Issued {
    tls::X509Ptr certificate;
    tls::KeyPtr key;

    std::string pem() const { return tls::pemOf(*certificate); }
    std::string keyPem() const { return tls::pemOf(*key); }
    tls::CertificateInfo info() const { return tls::CertificateInfo::of(*certificate); }
};

struct Wanted {
    std::vector<std::string> names = {};
    std::vector<std::string> addresses = {};
    KeyKind kind = KeyKind::ecdsa;
    std::string commonName = {};   ///< "": the first name
    std::int64_t startsIn = -3600; ///< seconds from now
    std::int64_t endsIn = 90 * 86400;
    bool isAuthority = false;
};

inline tls::CertificateRequest requestOf(const Wanted& wanted) {
    tls::CertificateRequest request;
    request.commonName = !wanted.commonName.empty() ? wanted.commonName
                         : wanted.names.empty()     ? std::string("test")
                                                    : wanted.names.front();
    request.names = wanted.names;
    request.addresses = wanted.addresses;
    const auto now = static_cast<std::int64_t>(std::time(nullptr));
    request.notBefore = now + wanted.startsIn;
    request.notAfter = now + wanted.endsIn;
    request.isAuthority = wanted.isAuthority;
    request.isServer = !wanted.isAuthority;
    return request;
}

inline Issued sign(const Wanted& wanted, tls::Signer signer = {}) {
    Issued issued;
    issued.key = makeKey(wanted.kind);
    if (!signer.key) {
        signer.key = issued.key.get();
    }
    auto certificate = tls::makeCertificate(requestOf(wanted), *issued.key, signer);
    if (!certificate) {
        throw std::runtime_error(certificate.error().text());
    }
    issued.certificate = std::move(*certificate);
    return issued;
}

inline Issued selfSigned(const Wanted& wanted) {
    return sign(wanted);
}

/// An authority, perhaps below another one.
class Authority {
public:
    explicit Authority(const std::string& name = "Test root") : self_(sign(wanted(name))) {}
    Authority(const std::string& name, const Authority& above) : self_(above.issue(wanted(name))) {}

    Issued issue(const Wanted& wanted) const {
        return sign(wanted, {self_.certificate.get(), self_.key.get()});
    }
    std::string pem() const { return self_.pem(); }
    const X509& certificate() const { return *self_.certificate; }
    EVP_PKEY& key() const { return *self_.key; }

private:
    static Wanted wanted(const std::string& name) {
        Wanted wanted;
        wanted.commonName = name;
        wanted.endsIn = 3650LL * 86400;
        wanted.isAuthority = true;
        return wanted;
    }
    Issued self_;
};

/// As a certificate store would give it to a handshake.
inline std::shared_ptr<const tls::Credential> credentialOf(Issued issued,
                                                           std::vector<tls::X509Ptr> chain = {}) {
    static std::uint64_t next = 1'000'000;
    auto credential = std::make_shared<tls::Credential>();
    credential->info = issued.info();
    credential->leaf = std::move(issued.certificate);
    credential->key = std::move(issued.key);
    credential->chain = std::move(chain);
    credential->id = next++;
    return credential;
}

/// A PKCS#12 file; `password` null: none.
inline std::string pkcs12Of(const Issued& issued, const std::vector<const X509*>& chain, const char* password,
                            int rounds = 2048) {
    STACK_OF(X509)* others = sk_X509_new_null();
    for (const X509* one : chain) {
        sk_X509_push(others, const_cast<X509*>(one));
    }
    PKCS12* file = PKCS12_create(password, "test", issued.key.get(), issued.certificate.get(), others, 0, 0,
                                 rounds, rounds, 0);
    sk_X509_free(others);
    unsigned char* data = nullptr;
    const int size = i2d_PKCS12(file, &data);
    PKCS12_free(file);
    std::string bytes(reinterpret_cast<const char*>(data), size > 0 ? static_cast<std::size_t>(size) : 0);
    OPENSSL_free(data);
    return bytes;
}

/// An encrypted key in PEM.
inline std::string encryptedPem(const EVP_PKEY& key, const std::string& password) {
    BIO* bio = BIO_new(BIO_s_mem());
    PEM_write_bio_PKCS8PrivateKey(bio, const_cast<EVP_PKEY*>(&key), EVP_aes_256_cbc(), password.data(),
                                  static_cast<int>(password.size()), nullptr, nullptr);
    const char* data = nullptr;
    const long size = BIO_get_mem_data(bio, &data);
    std::string text(data, static_cast<std::size_t>(size));
    BIO_free(bio);
    return text;
}

} // namespace saker::test
