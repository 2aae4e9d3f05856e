#include "tls/certificate_builder.h"

#include "loop/socket_address.h"
#include "tls/openssl_error.h"

#include <fmt/format.h>

#include <array>

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

namespace saker::tls {

namespace {

using BioPtr = std::unique_ptr<BIO, OpensslFree<BIO_free>>;
using NamesPtr = std::unique_ptr<GENERAL_NAMES, OpensslFree<GENERAL_NAMES_free>>;

Error failed(std::string_view what) {
    return Error{
        ErrorKind::failure, fmt::format("OpenSSL could not make {}: {}", what, takeOpensslError()), {}};
}

std::string textOf(BIO* bio) {
    const char* data = nullptr;
    const long size = BIO_get_mem_data(bio, &data);
    return size > 0 ? std::string(data, static_cast<std::size_t>(size)) : std::string();
}

bool addNameEntry(X509_NAME* name, int kind, const std::string& text) {
    return text.empty() || X509_NAME_add_entry_by_NID(name, kind, MBSTRING_UTF8,
                                                      reinterpret_cast<const unsigned char*>(text.data()),
                                                      static_cast<int>(text.size()), -1, 0) == 1;
}

/// 126 random bits: positive, and never the same twice (RFC 5280, 4.1.2.2).
bool setSerial(X509* certificate) {
    std::array<unsigned char, 16> bytes;
    if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) {
        return false;
    }
    bytes[0] = (bytes[0] & 0x7f) | 0x40;
    const std::unique_ptr<BIGNUM, OpensslFree<BN_free>> number(
        BN_bin2bn(bytes.data(), static_cast<int>(bytes.size()), nullptr));
    return number && BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate));
}

bool setTimes(X509* certificate, const CertificateRequest& request) {
    return ASN1_TIME_set(X509_getm_notBefore(certificate), static_cast<time_t>(request.notBefore)) &&
           ASN1_TIME_set(X509_getm_notAfter(certificate), static_cast<time_t>(request.notAfter));
}

bool addSubjectNames(X509* certificate, const CertificateRequest& request) {
    if (request.names.empty() && request.addresses.empty()) {
        return true;
    }
    const NamesPtr names(GENERAL_NAMES_new());
    auto add = [&](int type, int stringType, std::string_view bytes) {
        std::unique_ptr<ASN1_STRING, OpensslFree<ASN1_STRING_free>> text(ASN1_STRING_type_new(stringType));
        std::unique_ptr<GENERAL_NAME, OpensslFree<GENERAL_NAME_free>> name(GENERAL_NAME_new());
        if (!text || !name ||
            ASN1_STRING_set(text.get(), bytes.data(), static_cast<int>(bytes.size())) != 1) {
            return false;
        }
        GENERAL_NAME_set0_value(name.get(), type, text.release());
        if (sk_GENERAL_NAME_push(names.get(), name.get()) <= 0) {
            return false;
        }
        (void)name.release(); // the stack's
        return true;
    };
    for (const std::string& name : request.names) {
        if (!add(GEN_DNS, V_ASN1_IA5STRING, name)) {
            return false;
        }
    }
    for (const std::string& text : request.addresses) {
        auto address = loop::SocketAddress::parse(text, 0);
        if (!address) {
            return false;
        }
        const std::size_t size = address->family == loop::SocketAddress::Family::ipv4 ? 4 : 16;
        if (!add(GEN_IPADD, V_ASN1_OCTET_STRING, {reinterpret_cast<const char*>(address->ip.data()), size})) {
            return false;
        }
    }
    return X509_add1_ext_i2d(certificate, NID_subject_alt_name, names.get(), 0, X509V3_ADD_DEFAULT) == 1;
}

bool addExtension(X509* certificate, const X509* issuer, int kind, const std::string& value) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, const_cast<X509*>(issuer), certificate, nullptr, nullptr, 0); // an old signature
    const std::unique_ptr<X509_EXTENSION, OpensslFree<X509_EXTENSION_free>> extension(
        X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
    return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

std::string constraintsOf(const CertificateRequest& request) {
    std::string text = "critical";
    for (const std::string& name : request.permittedNames) {
        text += ",permitted;DNS:" + name;
    }
    for (const std::string& network : request.permittedNetworks) {
        text += ",permitted;IP:" + network;
    }
    for (const std::string& name : request.excludedNames) {
        text += ",excluded;DNS:" + name;
    }
    return text;
}

bool addExtensions(X509* certificate, const X509* issuer, const CertificateRequest& request) {
    const bool isSelf = issuer == certificate;
    return addExtension(certificate, issuer, NID_basic_constraints,
                        request.isAuthority ? "critical,CA:TRUE" : "critical,CA:FALSE") &&
           addExtension(certificate, issuer, NID_key_usage,
                        request.isAuthority ? "critical,keyCertSign,cRLSign" : "critical,digitalSignature") &&
           (!request.isServer || addExtension(certificate, issuer, NID_ext_key_usage, "serverAuth")) &&
           addExtension(certificate, issuer, NID_subject_key_identifier, "hash") &&
           (isSelf || addExtension(certificate, issuer, NID_authority_key_identifier, "keyid")) &&
           ((request.permittedNames.empty() && request.permittedNetworks.empty()) ||
            addExtension(certificate, issuer, NID_name_constraints, constraintsOf(request))) &&
           addSubjectNames(certificate, request);
}

} // namespace

Result<KeyPtr> makeEcdsaKey() {
    KeyPtr key(EVP_EC_gen("P-256"));
    if (!key) {
        return failed("a key");
    }
    return key;
}

Result<X509Ptr> makeCertificate(const CertificateRequest& request, EVP_PKEY& key, Signer signer) {
    X509Ptr certificate(X509_new());
    X509* made = certificate.get();
    const X509* issuer = signer.certificate ? signer.certificate : made;
    X509_NAME* subject = made ? X509_get_subject_name(made) : nullptr;
    if (!made || X509_set_version(made, X509_VERSION_3) != 1 || !setSerial(made) ||
        !setTimes(made, request) || !addNameEntry(subject, NID_organizationName, request.organization) ||
        !addNameEntry(subject, NID_commonName, request.commonName) ||
        X509_set_issuer_name(made, X509_get_subject_name(issuer)) != 1 || X509_set_pubkey(made, &key) != 1 ||
        !addExtensions(made, issuer, request)) {
        return failed("a certificate");
    }
    const bool hasOwnDigest = EVP_PKEY_get_base_id(signer.key) == EVP_PKEY_ED25519;
    if (X509_sign(made, signer.key, hasOwnDigest ? nullptr : EVP_sha256()) == 0) {
        return failed("a signature");
    }
    return certificate;
}

X509Ptr copyOf(const X509& certificate) {
    auto* same = const_cast<X509*>(&certificate); // only its count changes, atomically
    X509_up_ref(same);
    return X509Ptr(same);
}

std::string pemOf(const X509& certificate) {
    const BioPtr bio(BIO_new(BIO_s_mem()));
    PEM_write_bio_X509(bio.get(), const_cast<X509*>(&certificate)); // an old signature
    return textOf(bio.get());
}

std::string pemOf(const EVP_PKEY& key) {
    const BioPtr bio(BIO_new(BIO_s_secmem()));
    PEM_write_bio_PKCS8PrivateKey(bio.get(), const_cast<EVP_PKEY*>(&key), nullptr, nullptr, 0, nullptr,
                                  nullptr);
    return textOf(bio.get());
}

} // namespace saker::tls
