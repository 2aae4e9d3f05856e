// Certificates and a private key as they come out of PEM or PKCS#12 bytes, before anything is known about how
// they fit together. For credential_parser.cpp.
#pragma once

#include "tls/derivation_budget.h"
#include "tls/openssl_types.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace saker::tls {

struct KeyMaterial {
    std::vector<X509Ptr> certificates; ///< in the order of the file
    KeyPtr key;                        ///< the first one; null: none
    std::string trouble;               ///< why it could not all be read; "" when it could
    bool isCutOff = false;             ///< a block has a beginning and no end: somebody may be writing it
    bool needsPassword = false;        ///< the trouble is that there is none, or another one
};

/// All CERTIFICATE and PRIVATE KEY blocks; others are passed over, as is the text around them.
KeyMaterial readPem(const std::string& text, const std::optional<std::string>& password,
                    DerivationBudget& budget);

KeyMaterial readPkcs12(const std::string& bytes, const std::optional<std::string>& password,
                       DerivationBudget& budget);

} // namespace saker::tls
