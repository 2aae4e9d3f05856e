#include "tls/certificate_info.h"

#include "base/domain_name.h"
#include "loop/socket_address.h"
#include "tls/openssl_error.h"
#include "tls/openssl_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string_view>

#include <openssl/bn.h>
#include <openssl/x509v3.h>

namespace saker::tls {

namespace {

using NamesPtr = std::unique_ptr<GENERAL_NAMES, OpensslFree<GENERAL_NAMES_free>>;
using BioPtr = std::unique_ptr<BIO, OpensslFree<BIO_free>>;

/// More names than any certificate in use has (public ones end at 100).
constexpr int kMostNames = 1000;

std::string hex(std::span<const unsigned char> bytes) {
    std::string text;
    for (unsigned char byte : bytes) {
        fmt::format_to(std::back_inserter(text), "{:02x}", byte);
    }
    return text;
}

std::string_view bytesOf(const ASN1_STRING* text) {
    return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
            static_cast<std::size_t>(ASN1_STRING_length(text))};
}

/// The last common name, in UTF-8: "" when there is none, or when it is no text.
std::string commonNameOf(const X509_NAME* name) {
    int at = -1;
    for (int next = X509_NAME_get_index_by_NID(name, NID_commonName, -1); next >= 0;
         next = X509_NAME_get_index_by_NID(name, NID_commonName, next)) {
        at = next;
    }
    if (at < 0) {
        return {};
    }
    unsigned char* utf8 = nullptr;
    const int size = ASN1_STRING_to_UTF8(&utf8, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, at)));
    if (size < 0) {
        return {};
    }
    std::string text(reinterpret_cast<const char*>(utf8), static_cast<std::size_t>(size));
    OPENSSL_free(utf8);
    return text;
}

std::string titleOf(const X509_NAME* name) {
    if (std::string common = commonNameOf(name); !common.empty()) {
        return common;
    }
    const BioPtr bio(BIO_new(BIO_s_mem()));
    X509_NAME_print_ex(bio.get(), name, 0, XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB);
    const char* data = nullptr;
    const long size = BIO_get_mem_data(bio.get(), &data);
    return size > 0 ? std::string(data, static_cast<std::size_t>(size)) : std::string("(no name)");
}

std::int64_t secondsOf(const ASN1_TIME* time) {
    int days = 0;
    int seconds = 0;
    const std::unique_ptr<ASN1_TIME, OpensslFree<ASN1_TIME_free>> epoch(ASN1_TIME_set(nullptr, 0));
    if (!time || ASN1_TIME_diff(&days, &seconds, epoch.get(), time) != 1) {
        return 0; // no time at all: never valid
    }
    return std::int64_t{days} * 86400 + seconds;
}

void addName(std::vector<std::string>& names, std::string_view text) {
    auto name = domainToAscii(text);
    if (name && std::find(names.begin(), names.end(), *name) == names.end()) {
        names.push_back(std::move(*name));
    }
}

void addAddress(std::vector<std::string>& addresses, std::string_view bytes) {
    if (bytes.size() != 4 && bytes.size() != 16) {
        return;
    }
    loop::SocketAddress address;
    address.family =
        bytes.size() == 4 ? loop::SocketAddress::Family::ipv4 : loop::SocketAddress::Family::ipv6;
    std::memcpy(address.ip.data(), bytes.data(), bytes.size());
    addresses.push_back(address.host());
}

void readNames(const X509& certificate, CertificateInfo& info) {
    const NamesPtr names(
        static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(&certificate, NID_subject_alt_name, nullptr, nullptr)));
    if (names) {
        const int count = std::min(sk_GENERAL_NAME_num(names.get()), kMostNames);
        for (int i = 0; i < count; ++i) {
            const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
            if (name->type == GEN_DNS) {
                addName(info.names, bytesOf(name->d.dNSName));
            } else if (name->type == GEN_IPADD) {
                addAddress(info.addresses, bytesOf(name->d.iPAddress));
            }
        }
        return;
    }
    // RFC 6125, 6.4.4: the common name only where there is no other name.
    const std::string common = commonNameOf(X509_get_subject_name(&certificate));
    if (auto address = loop::SocketAddress::parse(common, 0)) {
        info.addresses.push_back(address->host());
    } else {
        addName(info.names, common);
    }
}

} // namespace

CertificateInfo CertificateInfo::of(const X509& certificate) {
    const ClearsOpensslErrors clears;
    CertificateInfo info;
    info.subject = titleOf(X509_get_subject_name(&certificate));
    info.issuer = titleOf(X509_get_issuer_name(&certificate));
    readNames(certificate, info);
    info.serial =
        hex(std::span(ASN1_STRING_get0_data(X509_get0_serialNumber(&certificate)),
                      static_cast<std::size_t>(ASN1_STRING_length(X509_get0_serialNumber(&certificate)))));
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
    unsigned size = 0;
    if (X509_digest(&certificate, EVP_sha256(), digest.data(), &size) == 1) {
        info.fingerprint = hex(std::span(digest.data(), size));
    }
    info.notBefore = secondsOf(X509_get0_notBefore(&certificate));
    info.notAfter = secondsOf(X509_get0_notAfter(&certificate));
    if (const EVP_PKEY* key = X509_get0_pubkey(&certificate)) {
        switch (EVP_PKEY_get_base_id(key)) {
        case EVP_PKEY_RSA:
        case EVP_PKEY_RSA_PSS:
            info.keyKind = KeyKind::rsa;
            break;
        case EVP_PKEY_EC:
            info.keyKind = KeyKind::ecdsa;
            break;
        case EVP_PKEY_ED25519:
            info.keyKind = KeyKind::ed25519;
            break;
        default:
            break;
        }
        info.keyBits = static_cast<unsigned>(std::max(EVP_PKEY_get_bits(key), 0));
    }
    info.isSelfSigned =
        X509_NAME_cmp(X509_get_subject_name(&certificate), X509_get_issuer_name(&certificate)) == 0;
    const std::unique_ptr<BASIC_CONSTRAINTS, OpensslFree<BASIC_CONSTRAINTS_free>> constraints(
        static_cast<BASIC_CONSTRAINTS*>(
            X509_get_ext_d2i(&certificate, NID_basic_constraints, nullptr, nullptr)));
    info.isAuthority = constraints && constraints->ca != 0;
    return info;
}

} // namespace saker::tls
