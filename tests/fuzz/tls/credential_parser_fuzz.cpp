// Certificate and key files may hold anything: parsing ends, within its limits, with a credential that fits
// together or with a reason. The first byte chooses what the rest is: PEM in one file, PEM in two, PKCS#12,
// an OCSP response.
#include "tls/credential_parser.h"

#include <cstdlib>
#include <string_view>

#include <openssl/err.h>

namespace {

void check(bool condition) {
    if (!condition) {
        std::abort();
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) {
        return 0;
    }
    const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
    saker::tls::CredentialBytes bytes;
    if (data[0] & 4) {
        bytes.password = "secret";
    }
    switch (data[0] & 3) {
    case 0:
        bytes.certificates = rest;
        break;
    case 1:
        bytes.certificates = rest.substr(0, rest.size() / 2);
        bytes.key = rest.substr(rest.size() / 2);
        break;
    case 2:
        bytes.pkcs12 = rest;
        break;
    default:
        bytes.certificates = rest;
        bytes.ocspResponse = rest.substr(0, rest.find('-'));
        break;
    }
    const auto outcome = saker::tls::parseCredential(bytes, {.maxRounds = 10'000});
    check(ERR_peek_error() == 0);
    if (outcome.parsed) {
        const saker::tls::Credential& credential = *outcome.parsed->credential;
        check(X509_check_private_key(credential.leaf.get(), credential.key.get()) == 1);
        check(credential.chain.size() <= 10);
    } else {
        check(!outcome.failure.reason.empty());
    }
    return 0;
}
