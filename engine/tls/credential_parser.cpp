#include "tls/credential_parser.h"

#include "tls/certificate_chain.h"
#include "tls/key_material.h"
#include "tls/ocsp_response.h"
#include "tls/openssl_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include <openssl/ec.h>

namespace saker::tls {

namespace {

using ContextPtr = std::unique_ptr<EVP_MD_CTX, OpensslFree<EVP_MD_CTX_free>>;
using Part = CredentialPart;

/// What OpenSSL's security level 2 wants, the usual one of today's systems: RSA 2048 and SHA-224 have it.
constexpr int kLeastSecurityBits = 112;
/// Above, every handshake takes long enough to be a weapon.
constexpr int kMostRsaBits = 8192;

/// "" when the key may be used; browsers know these kinds.
std::string objectionTo(EVP_PKEY& key) {
    switch (EVP_PKEY_get_base_id(&key)) {
    case EVP_PKEY_RSA:
    case EVP_PKEY_RSA_PSS:
        if (EVP_PKEY_get_security_bits(&key) < kLeastSecurityBits) {
            return fmt::format(
                "the key is too weak: RSA with {} bits, expected at least 2048. Have a new one issued",
                EVP_PKEY_get_bits(&key));
        }
        if (EVP_PKEY_get_bits(&key) > kMostRsaBits) {
            return fmt::format("the key is too long: RSA with {} bits, expected at most {}",
                               EVP_PKEY_get_bits(&key), kMostRsaBits);
        }
        return {};
    case EVP_PKEY_EC: {
        std::array<char, 64> curve{};
        std::size_t size = 0;
        if (EVP_PKEY_get_group_name(&key, curve.data(), curve.size(), &size) != 1) {
            return "the key is on a curve without a name, which TLS has no place for";
        }
        const std::string_view name(curve.data(), size);
        if (name != "prime256v1" && name != "secp384r1" && name != "secp521r1") {
            return fmt::format(
                "the key is on the curve {}, which clients do not know; expected P-256, P-384 or P-521",
                name);
        }
        return {};
    }
    case EVP_PKEY_ED25519:
        return {};
    default:
        return fmt::format("the key is of a kind that is not for TLS ({}); expected RSA, ECDSA or Ed25519",
                           OBJ_nid2sn(EVP_PKEY_get_base_id(&key)));
    }
}

/// Signs something and has the certificate's key verify it: halves of a key that do not fit show here, and
/// not in the first handshake.
bool signsFor(EVP_PKEY& key, EVP_PKEY& publicKey) {
    constexpr std::string_view kText = "Does this key belong to this certificate?";
    const auto* text = reinterpret_cast<const unsigned char*>(kText.data());
    const EVP_MD* digest = EVP_PKEY_get_base_id(&key) == EVP_PKEY_ED25519 ? nullptr : EVP_sha256();
    std::array<unsigned char, kMostRsaBits / 8> signature;
    std::size_t size = signature.size();
    const ContextPtr signing(EVP_MD_CTX_new());
    const ContextPtr verifying(EVP_MD_CTX_new());
    return EVP_DigestSignInit(signing.get(), nullptr, digest, nullptr, &key) == 1 &&
           EVP_DigestSign(signing.get(), signature.data(), &size, text, kText.size()) == 1 &&
           EVP_DigestVerifyInit(verifying.get(), nullptr, digest, nullptr, &publicKey) == 1 &&
           EVP_DigestVerify(verifying.get(), signature.data(), size, text, kText.size()) == 1;
}

class Parser {
public:
    Parser(const CredentialBytes& bytes, const ParseLimits& limits)
        : bytes_(bytes), limits_(limits), budget_(limits.maxRounds) {}

    ParseOutcome parse() {
        if (gather() && check()) {
            arrange();
            outcome_.parsed = std::move(parsed_);
        }
        return std::move(outcome_);
    }

private:
    bool fail(Part part, std::string reason, bool mayBeUnfinished = false) {
        outcome_.failure = {part, std::move(reason), mayBeUnfinished};
        return false;
    }

    void remark(Part part, std::string text) { parsed_.remarks.push_back({part, std::move(text)}); }

    /// What the bytes of one part hold; false where that is not usable.
    bool take(Part part, const std::string& bytes, KeyMaterial material) {
        const std::string_view where = part == Part::pkcs12 ? "the file" : "the private key";
        if (bytes.empty()) {
            return fail(part, "the file is empty", true);
        }
        if (!material.trouble.empty()) {
            return fail(part, std::move(material.trouble), material.isCutOff);
        }
        if (material.needsPassword) {
            return bytes_.password
                       ? fail(Part::password, fmt::format("it is not the password of {}", where), true)
                       : fail(part, fmt::format("{} is encrypted; put its password into a file of the "
                                                "same name with \".password\" behind it",
                                                where));
        }
        for (X509Ptr& certificate : material.certificates) {
            others_.push_back(std::move(certificate));
        }
        if (!key_) {
            key_ = std::move(material.key);
        }
        return true;
    }

    bool takePem(Part part, const std::string& text) {
        return take(part, text, readPem(text, bytes_.password, budget_));
    }

    bool gather() {
        if (!bytes_.pkcs12.empty()) {
            return take(Part::pkcs12, bytes_.pkcs12, readPkcs12(bytes_.pkcs12, bytes_.password, budget_));
        }
        return takePem(Part::certificates, bytes_.certificates) &&
               (bytes_.chain.empty() || takePem(Part::chain, bytes_.chain)) &&
               (bytes_.key.empty() || takePem(Part::key, bytes_.key));
    }

    bool check() {
        const Part main = bytes_.pkcs12.empty() ? Part::certificates : Part::pkcs12;
        const Part keyPart =
            bytes_.pkcs12.empty() ? bytes_.key.empty() ? Part::certificates : Part::key : main;
        if (others_.empty()) {
            return fail(main, "there is no certificate in it", true);
        }
        if (!key_) {
            return fail(keyPart, "there is no private key in it", true);
        }
        auto leaf = std::find_if(others_.begin(), others_.end(), [this](const X509Ptr& one) {
            EVP_PKEY* key = X509_get0_pubkey(one.get());
            return key && EVP_PKEY_eq(key, key_.get()) == 1;
        });
        if (leaf == others_.end()) {
            return fail(keyPart,
                        fmt::format("the private key does not match the certificate of {}",
                                    CertificateInfo::of(*others_.front()).subject),
                        true);
        }
        if (leaf != others_.begin()) {
            remark(main, "the certificate of the server is not the first one; it is sent first all the same");
        }
        leaf_ = std::move(*leaf);
        others_.erase(leaf);
        if (std::string objection = objectionTo(*key_); !objection.empty()) {
            return fail(keyPart, std::move(objection));
        }
        if (!signsFor(*key_, *X509_get0_pubkey(leaf_.get()))) {
            return fail(keyPart, "the private key is damaged: what it signs does not fit the certificate");
        }
        if (isWeaklySigned(*leaf_)) {
            return fail(
                main,
                "the certificate is signed with a digest that is not safe any more (SHA-1 or older), and "
                "clients refuse it. Have a new one issued");
        }
        return true;
    }

    void arrange() {
        const Part main = bytes_.pkcs12.empty() ? Part::certificates : Part::pkcs12;
        const Part chainPart = bytes_.chain.empty() ? main : Part::chain;
        auto credential = std::make_shared<Credential>();
        credential->info = CertificateInfo::of(*leaf_);
        CertificateChain chain = arrangeChain(*leaf_, std::move(others_));
        for (std::string& note : chain.remarks) {
            remark(chainPart, std::move(note));
        }
        credential->chain = std::move(chain.certificates);
        if (credential->info.names.empty() && credential->info.addresses.empty()) {
            remark(
                main,
                "the certificate is for no name: it has neither a subject alternative name nor a common name "
                "that is one. It is used as fallback at most");
        }
        if (!bytes_.ocspResponse.empty()) {
            const OcspVerdict verdict = judgeOcspResponse(bytes_.ocspResponse, *leaf_);
            if (!verdict.trouble.empty()) {
                remark(Part::ocspResponse, verdict.trouble);
            } else if (verdict.until <= limits_.now) {
                remark(Part::ocspResponse,
                       "the OCSP response is out of date and not stapled; fetch a new one");
            } else {
                credential->ocspResponse = bytes_.ocspResponse;
                parsed_.ocspUntil = verdict.until;
            }
        }
        credential->leaf = std::move(leaf_);
        credential->key = std::move(key_);
        parsed_.credential = std::move(credential);
    }

    const CredentialBytes& bytes_;
    const ParseLimits& limits_;
    DerivationBudget budget_;
    X509Ptr leaf_;
    std::vector<X509Ptr> others_;
    KeyPtr key_;
    ParsedCredential parsed_;
    ParseOutcome outcome_;
};

} // namespace

ParseOutcome parseCredential(const CredentialBytes& bytes, const ParseLimits& limits) {
    const ClearsOpensslErrors clears;
    return Parser(bytes, limits).parse();
}

} // namespace saker::tls
