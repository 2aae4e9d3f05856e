// Where certificates come from. Decoded by the host, used by what builds the certificate store.
#pragma once

#include "schema/types.h"

#include <string>

namespace saker::tls {

struct CertificateOptions {
    std::string certDir = "certs/";
    std::string fallbackCertificate; ///< a name that CertDir has a certificate for; "": the first one
    bool developmentMode = false;

    void check(schema::Checker& checker) const;
    bool operator==(const CertificateOptions&) const = default;
    static const schema::Description& fields();
};

} // namespace saker::tls
