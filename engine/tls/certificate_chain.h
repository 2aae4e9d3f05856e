// Puts certificates into the order in which they are sent: each one vouches for the one before. For
// credential_parser.cpp.
#pragma once

#include "tls/openssl_types.h"

#include <string>
#include <vector>

namespace saker::tls {

struct CertificateChain {
    std::vector<X509Ptr> certificates; ///< from the leaf's issuer on, without the self-signed root
    std::vector<std::string> remarks;  ///< what was odd: the order, strangers, an end in the void
};

CertificateChain arrangeChain(const X509& leaf, std::vector<X509Ptr> others);

/// Whether the signature on it rests on a digest for which collisions can be made. A self-signed
/// certificate's signature says nothing, and is never weak.
bool isWeaklySigned(const X509& certificate);

} // namespace saker::tls
