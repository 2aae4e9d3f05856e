#include "tls/certificate_chain.h"

#include "base/text.h"
#include "tls/certificate_info.h"
#include "tls/openssl_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

namespace saker::tls {

namespace {

/// Public chains have one or two intermediates.
constexpr std::size_t kLongestChain = 10;
constexpr int kLeastSecurityBits = 112;

// The calls below do not change what they are given, but were declared before const was.
X509* loose(const X509& certificate) {
    return const_cast<X509*>(&certificate);
}

bool hasIssued(const X509& issuer, const X509& subject) {
    EVP_PKEY* key = X509_get0_pubkey(&issuer);
    return key && X509_check_issued(loose(issuer), loose(subject)) == X509_V_OK &&
           X509_verify(loose(subject), key) == 1;
}

/// Whether this machine trusts an authority of the issuer's name.
bool isIssuerKnown(const X509& certificate) {
    static const std::unique_ptr<X509_STORE, OpensslFree<X509_STORE_free>> store = [] {
        std::unique_ptr<X509_STORE, OpensslFree<X509_STORE_free>> made(X509_STORE_new());
        X509_STORE_set_default_paths(made.get());
        return made;
    }();
    const std::unique_ptr<X509_STORE_CTX, OpensslFree<X509_STORE_CTX_free>> context(X509_STORE_CTX_new());
    if (!context || X509_STORE_CTX_init(context.get(), store.get(), loose(certificate), nullptr) != 1) {
        return false;
    }
    X509* issuer = nullptr;
    const bool known = X509_STORE_CTX_get1_issuer(&issuer, context.get(), loose(certificate)) == 1;
    X509_free(issuer);
    return known;
}

} // namespace

CertificateChain arrangeChain(const X509& leaf, std::vector<X509Ptr> others) {
    const ClearsOpensslErrors clears;
    CertificateChain chain;
    std::size_t expected = 0; // where the next one of the chain was in the file
    bool wasInOrder = true;
    bool isComplete = false;
    const X509* last = &leaf;
    std::vector<X509Ptr> used;
    while (used.size() < kLongestChain) {
        if (X509_check_issued(loose(*last), loose(*last)) == X509_V_OK) {
            isComplete = true;
            break;
        }
        auto issuer = std::find_if(others.begin(), others.end(),
                                   [last](const X509Ptr& one) { return one && hasIssued(*one, *last); });
        if (issuer == others.end()) {
            break;
        }
        const auto at = static_cast<std::size_t>(issuer - others.begin());
        wasInOrder = wasInOrder && at == expected;
        expected = at + 1;
        used.push_back(std::move(*issuer));
        last = used.back().get();
    }
    const auto strangers = std::count_if(others.begin(), others.end(), [&](const X509Ptr& one) {
        return one && X509_cmp(one.get(), &leaf) != 0 &&
               std::none_of(used.begin(), used.end(),
                            [&](const X509Ptr& link) { return X509_cmp(link.get(), one.get()) == 0; });
    });
    if (strangers > 0) {
        chain.remarks.push_back(fmt::format(
            "{} not belong to the chain and {} left out",
            counted(static_cast<std::uint64_t>(strangers), "certificate in it does", "certificates in it do"),
            strangers == 1 ? "is" : "are"));
    } else if (!wasInOrder) {
        chain.remarks.emplace_back(
            "the certificates are not in the order of the chain; they are sent in the right one");
    }
    if (!isComplete && !isIssuerKnown(*last)) {
        chain.remarks.push_back(fmt::format(
            "the chain is incomplete: the certificate of \"{}\" is missing, and this machine does not know "
            "it. Clients "
            "that do not know it either refuse the connection; put it into the file, behind the others",
            CertificateInfo::of(*last).issuer));
    }
    for (const X509Ptr& link : used) {
        if (isWeaklySigned(*link)) {
            chain.remarks.push_back(fmt::format("\"{}\" in the chain is signed with a digest that is not "
                                                "safe any more; clients may refuse it",
                                                CertificateInfo::of(*link).subject));
        }
    }
    if (isComplete && !used.empty()) {
        used.pop_back(); // clients have the root, or do not believe it
    }
    chain.certificates = std::move(used);
    return chain;
}

bool isWeaklySigned(const X509& certificate) {
    int bits = 0;
    if (X509_check_issued(loose(certificate), loose(certificate)) == X509_V_OK) {
        return false;
    }
    return X509_get_signature_info(loose(certificate), nullptr, nullptr, &bits, nullptr) == 1 &&
           bits < kLeastSecurityBits;
}

} // namespace saker::tls
