// An OCSP response (RFC 6960) that is to be stapled. For credential_parser.cpp.
#pragma once

#include "tls/openssl_types.h"

#include <cstdint>
#include <string>

namespace saker::tls {

struct OcspVerdict {
    std::string trouble;    ///< why it must not be stapled; "" when it may
    std::int64_t until = 0; ///< seconds since 1970: then a newer one is due
};

/// Whether it says that the certificate is good. Its signature is not verified: clients do that, and whoever
/// can write here can write the certificate as well.
OcspVerdict judgeOcspResponse(const std::string& der, const X509& certificate);

} // namespace saker::tls
