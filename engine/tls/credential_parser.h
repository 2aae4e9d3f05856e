// From the bytes of certificate and key files to a credential. The bytes are anybody's: sizes, counts and the
// work that an encrypted file asks for are limited. No files here. Any thread; leaves OpenSSL's error queue
// empty.
#pragma once

#include "base/result.h"
#include "tls/credential.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace saker::tls {

/// Files and certificates beyond these are refused.
inline constexpr std::uint64_t kMaxCertificateFile = 1024 * 1024;
inline constexpr std::size_t kMaxCertificatesInFile = 64;

struct CredentialBytes {
    std::string certificates = {};            ///< PEM: the leaf, and what of its chain is with it
    std::string chain = {};                   ///< PEM: more of the chain; may be empty
    std::string key = {};                     ///< PEM; empty: it is with the certificates
    std::string pkcs12 = {};                  ///< instead of the three above
    std::optional<std::string> password = {}; ///< of the key or the PKCS#12 file
    std::string ocspResponse = {};            ///< DER; may be empty
};

/// Which of the bytes something is about, so that the file can be named.
enum class CredentialPart : std::uint8_t { certificates, chain, key, pkcs12, password, ocspResponse };

struct ParseFailure {
    CredentialPart part = CredentialPart::certificates;
    std::string reason;
    /// It looks like a file that somebody is writing just now: empty, cut off, or a key of another
    /// certificate.
    bool mayBeUnfinished = false;
};

struct ParsedCredential {
    std::shared_ptr<Credential> credential; ///< without an id
    /// What is odd but can be lived with.
    struct Remark {
        CredentialPart part;
        std::string text;
    };
    std::vector<Remark> remarks;
    std::int64_t ocspUntil = INT64_MAX; ///< seconds since 1970: then its OCSP response is out of date
};

struct ParseOutcome {
    std::optional<ParsedCredential> parsed;
    ParseFailure failure; ///< where there is none
};

struct ParseLimits {
    /// Rounds of key derivation that passwords may cost, in all.
    std::uint64_t maxRounds = 5'000'000;
    /// Seconds since 1970: OCSP responses from before are left out.
    std::int64_t now = 0;
};

ParseOutcome parseCredential(const CredentialBytes& bytes, const ParseLimits& limits = {});

} // namespace saker::tls
