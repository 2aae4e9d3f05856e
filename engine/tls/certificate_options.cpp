#include "tls/certificate_options.h"

#include "base/domain_name.h"
#include "base/text.h"
#include "schema/type_of.h"

#include <fmt/format.h>

namespace saker::tls {

using schema::field;

const schema::Description& CertificateOptions::fields() {
    static const schema::Description kFields = schema::describe<CertificateOptions>(
        "Certificates",
        {field("CertDir", "Folder of certificates", &CertificateOptions::certDir)
             .withHelp(
                 "The folder with one folder for each domain that holds fullchain.pem and privkey.pem "
                 "(or cert.pem, chain.pem and privkey.pem, or a PKCS#12 file with its password in "
                 "FILE.password). Let's Encrypt's live folder is fine as it is. Changes are seen at once. "
                 "The command line's --certPath=DIR comes first.")
             .withNote("certs -> domain1, domain2 -> privkey.pem, fullchain.pem // "
                       "--certPath=/etc/letsencrypt/live/")
             .asFolder(),
         field("FallbackCertificate", "Certificate for other names", &CertificateOptions::fallbackCertificate)
             .withHelp(
                 "A domain in CertDir whose certificate is shown to clients that ask for a name without one, "
                 "or for no name. Empty means the first certificate that was loaded, else one that the "
                 "server "
                 "signs itself.")
             .forExperts(),
         field("DevelopmentMode", "Development mode", &CertificateOptions::developmentMode)
             .withHelp(
                 "Makes a developer's machine comfortable: certificates for localhost, names ending in .test "
                 "and the like, and private addresses are issued by a local authority. Not for servers that "
                 "strangers reach. On in the quick mode (sakerd -d).")});
    return kFields;
}

void CertificateOptions::check(schema::Checker& checker) const {
    if (!fallbackCertificate.empty() && !domainToAscii(fallbackCertificate)) {
        checker.error({"FallbackCertificate"},
                      fmt::format("expected the name of a domain such as \"example.com\", found \"{}\"",
                                  escapeControl(fallbackCertificate)));
    }
}

} // namespace saker::tls
