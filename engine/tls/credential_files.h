// Which files of a certificate folder belong together. Looks at names only, never into files.
//
// In the folder itself and in each folder directly below it:
//   fullchain*.pem + privkey*.pem              the same text in place of the star: "", "-rsa", ".ecdsa", …
//   cert*.pem (+ chain*.pem) + privkey*.pem    where there is no fullchain of that text
//   NAME.crt|cer|cert|pem + NAME.key|NAME-key.pem|NAME.key.pem (+ NAME.chain.pem|NAME.ca-bundle)
//   NAME.pem without a key file                the key is in it
//   NAME.p12|pfx                               PKCS#12
// The password of an encrypted key or PKCS#12 file is in FILE.password beside it. An OCSP response (DER) may
// lie in CERTIFICATEFILE.ocsp. A folder "live" with folders in it (Let's Encrypt's own) is taken for the
// certificate folder itself.
#pragma once

#include "tls/certificate_problem.h"

#include <span>
#include <string>
#include <vector>

namespace saker::tls {

/// Full paths; "" for what is not there.
struct CredentialFiles {
    std::string certificate;
    std::string chain;
    std::string key;
    std::string pkcs12;
    std::string password;
    std::string ocspResponse;

    /// What it is called by in messages: the certificate or PKCS#12 file, else the key.
    const std::string& main() const {
        return !pkcs12.empty() ? pkcs12 : certificate.empty() ? key : certificate;
    }
};

/// The pairs among the names of one folder, in the order of their names. What is half a pair is there too.
std::vector<CredentialFiles> pairFiles(const std::string& folder, std::vector<std::string> names);

struct CredentialTree {
    std::vector<CredentialFiles> files;       ///< in the order of their folders' names
    std::vector<std::string> folders;         ///< that were looked into
    std::vector<CertificateProblem> problems; ///< folders that cannot be read, too many entries
};

/// All pairs of a certificate folder. A missing folder is a problem, not an error.
CredentialTree listCredentialFiles(const std::string& folder);

} // namespace saker::tls
