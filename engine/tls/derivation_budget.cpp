#include "tls/derivation_budget.h"

#include "tls/openssl_types.h"

#include <algorithm>
#include <memory>

#include <openssl/pkcs12.h>

namespace saker::tls {

namespace {

template <class T>
std::unique_ptr<T, void (*)(T*)> unpack(const X509_ALGOR* algorithm, const ASN1_ITEM* item,
                                        void (*release)(T*)) {
    return {algorithm && algorithm->parameter
                ? static_cast<T*>(ASN1_TYPE_unpack_sequence(item, algorithm->parameter))
                : nullptr,
            release};
}

/// Negative: no number, or none that means anything.
std::int64_t numberOf(const ASN1_INTEGER* number) {
    std::int64_t value = -1;
    return number && ASN1_INTEGER_get_int64(&value, number) == 1 ? value : -1;
}

std::int64_t product(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    return a < 0 || b < 0 || __builtin_mul_overflow(a, b, &result) ? -1 : result;
}

/// The rounds of PBES2 (RFC 8018): of its key derivation function.
std::int64_t roundsOfPbes2(const X509_ALGOR* algorithm) {
    auto outer = unpack<PBE2PARAM>(algorithm, ASN1_ITEM_rptr(PBE2PARAM), PBE2PARAM_free);
    if (!outer) {
        return -1;
    }
    switch (OBJ_obj2nid(outer->keyfunc->algorithm)) {
    case NID_id_pbkdf2: {
        auto inner = unpack<PBKDF2PARAM>(outer->keyfunc, ASN1_ITEM_rptr(PBKDF2PARAM), PBKDF2PARAM_free);
        return inner ? numberOf(inner->iter) : -1;
    }
    case NID_id_scrypt: {
        auto inner = unpack<SCRYPT_PARAMS>(outer->keyfunc, ASN1_ITEM_rptr(SCRYPT_PARAMS), SCRYPT_PARAMS_free);
        return inner ? product(product(numberOf(inner->costParameter), numberOf(inner->blockSize)),
                               numberOf(inner->parallelizationParameter))
                     : -1;
    }
    default:
        return -1;
    }
}

std::int64_t roundsOf(const X509_ALGOR* algorithm) {
    if (!algorithm) {
        return -1;
    }
    if (OBJ_obj2nid(algorithm->algorithm) == NID_pbes2) {
        return roundsOfPbes2(algorithm);
    }
    auto old = unpack<PBEPARAM>(algorithm, ASN1_ITEM_rptr(PBEPARAM), PBEPARAM_free);
    return old ? (old->iter ? numberOf(old->iter) : 1) : -1;
}

} // namespace

bool DerivationBudget::pays(const X509_ALGOR* algorithm) {
    return pays(roundsOf(algorithm));
}

bool DerivationBudget::pays(std::int64_t rounds) {
    if (rounds < 0 || static_cast<std::uint64_t>(rounds) > left_) {
        exhausted_ = true;
        return false;
    }
    left_ -= static_cast<std::uint64_t>(rounds);
    return true;
}

} // namespace saker::tls
