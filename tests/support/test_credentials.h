// Certificates for tests, made on the spot, and a source that gives them out by name.
#pragma once

#include "tls/credential.h"

#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <openssl/pem.h>
#include <openssl/x509v3.h>

namespace saker::test {

/// A certificate with its key, signed by an authority or by itself.
struct MadeCertificate {
    tls::X509Ptr certificate;
    tls::KeyPtr key;

    std::string pem() const {
        BIO* bio = BIO_new(BIO_s_mem());
        PEM_write_bio_X509(bio, certificate.get());
        char* data = nullptr;
        const long size = BIO_get_mem_data(bio, &data);
        std::string text(data, static_cast<std::size_t>(size));
        BIO_free(bio);
        return text;
    }
    std::string keyPem() const {
        BIO* bio = BIO_new(BIO_s_mem());
        PEM_write_bio_PrivateKey(bio, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
        char* data = nullptr;
        const long size = BIO_get_mem_data(bio, &data);
        std::string text(data, static_cast<std::size_t>(size));
        BIO_free(bio);
        return text;
    }
};

inline MadeCertificate makeCertificate(std::string_view name, bool isRsa = false,
                                       const MadeCertificate* authority = nullptr, bool isAuthority = false) {
    static long serial = 1000;
    MadeCertificate made;
    made.key.reset(isRsa ? EVP_RSA_gen(2048) : EVP_EC_gen("P-256"));
    made.certificate.reset(X509_new());
    X509* certificate = made.certificate.get();
    X509_set_version(certificate, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), ++serial);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 24L * 3600);
    X509_set_pubkey(certificate, made.key.get());
    X509_NAME* subject = X509_get_subject_name(certificate);
    const std::string text(name);
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8,
                               reinterpret_cast<const unsigned char*>(text.c_str()), -1, -1, 0);
    X509* issuer = authority != nullptr ? authority->certificate.get() : certificate;
    X509_set_issuer_name(certificate, X509_get_subject_name(issuer));
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
    auto add = [&](int nid, const std::string& value) {
        X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str());
        if (extension == nullptr) {
            std::abort(); // a test's own mistake
        }
        X509_add_ext(certificate, extension, -1);
        X509_EXTENSION_free(extension);
    };
    add(NID_basic_constraints, isAuthority ? "critical,CA:TRUE" : "critical,CA:FALSE");
    add(NID_subject_alt_name, "DNS:" + text);
    X509_sign(certificate, authority != nullptr ? authority->key.get() : made.key.get(), EVP_sha256());
    return made;
}

inline std::shared_ptr<tls::Credential> makeCredential(std::string_view name, bool isRsa = false) {
    static std::uint64_t id = 0;
    MadeCertificate made = makeCertificate(name, isRsa);
    auto credential = std::make_shared<tls::Credential>();
    credential->leaf = std::move(made.certificate);
    credential->key = std::move(made.key);
    credential->info.names = {std::string(name)};
    credential->id = ++id;
    return credential;
}

/// Gives out what it was told to; the fallback for all other names.
class FixedSource final : public tls::CredentialSource {
public:
    tls::CredentialChoice fallback;
    std::map<std::string, tls::CredentialChoice, std::less<>> byName;
    std::vector<std::string> asked;

    tls::CredentialChoice find(std::string_view serverName, const loop::SocketAddress&) override {
        asked.emplace_back(serverName);
        auto found = byName.find(serverName);
        return found == byName.end() ? fallback : found->second;
    }
};

} // namespace saker::test
