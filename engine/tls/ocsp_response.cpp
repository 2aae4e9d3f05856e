#include "tls/ocsp_response.h"

#include "tls/openssl_error.h"

#include <openssl/ocsp.h>

namespace saker::tls {

namespace {

using ResponsePtr = std::unique_ptr<OCSP_RESPONSE, OpensslFree<OCSP_RESPONSE_free>>;
using BasicPtr = std::unique_ptr<OCSP_BASICRESP, OpensslFree<OCSP_BASICRESP_free>>;
using TimePtr = std::unique_ptr<ASN1_TIME, OpensslFree<ASN1_TIME_free>>;

/// The one about the serial number, which is random enough to say which certificate is meant.
OCSP_SINGLERESP* answerFor(OCSP_BASICRESP* basic, const X509& certificate) {
    const ASN1_INTEGER* serial = X509_get0_serialNumber(&certificate);
    for (int i = 0; i < OCSP_resp_count(basic); ++i) {
        OCSP_SINGLERESP* one = OCSP_resp_get0(basic, i);
        ASN1_INTEGER* number = nullptr;
        OCSP_id_get0_info(nullptr, nullptr, nullptr, &number,
                          const_cast<OCSP_CERTID*>(OCSP_SINGLERESP_get0_id(one))); // an old signature
        if (ASN1_INTEGER_cmp(number, serial) == 0) {
            return one;
        }
    }
    return nullptr;
}

} // namespace

OcspVerdict judgeOcspResponse(const std::string& der, const X509& certificate) {
    const ClearsOpensslErrors clears;
    const auto* at = reinterpret_cast<const unsigned char*>(der.data());
    const ResponsePtr response(d2i_OCSP_RESPONSE(nullptr, &at, static_cast<long>(der.size())));
    if (!response || OCSP_response_status(response.get()) != OCSP_RESPONSE_STATUS_SUCCESSFUL) {
        return {"this is no OCSP response in DER that could be stapled", 0};
    }
    const BasicPtr basic(OCSP_response_get1_basic(response.get()));
    OCSP_SINGLERESP* answer = basic ? answerFor(basic.get(), certificate) : nullptr;
    if (!answer) {
        return {"the OCSP response is about another certificate", 0};
    }
    ASN1_GENERALIZEDTIME* next = nullptr;
    const int status = OCSP_single_get0_status(answer, nullptr, nullptr, nullptr, &next);
    if (status != V_OCSP_CERTSTATUS_GOOD) {
        return {status == V_OCSP_CERTSTATUS_REVOKED ? "the OCSP response says that the certificate is revoked"
                                                    : "the OCSP response does not know the certificate",
                0};
    }
    const TimePtr epoch(ASN1_TIME_set(nullptr, 0));
    int days = 0;
    int seconds = 0;
    if (!next || ASN1_TIME_diff(&days, &seconds, epoch.get(), next) != 1) {
        return {"the OCSP response does not say until when it holds", 0};
    }
    return {"", std::int64_t{days} * 86400 + seconds};
}

} // namespace saker::tls
