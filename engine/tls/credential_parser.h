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
    std::string certificates;            ///< PEM: the leaf, and what of its chain is with it
    std::string chain;                   ///< PEM: more of the chain; may be empty
    std::string key;                     ///< PEM; empty: it is with the certificates
    std::string pkcs12;                  ///< instead of the three above
    std::optional<std::string> password; ///< of the key or the PKCS#12 file
    std::string ocspResponse;            ///< DER; may be empty
};

/// Why bytes are no credential: which part of them, so that the file can be named.
struct ParseFailure {
    enum class Part : std::uint8_t { certificates, chain, key, pkcs12, password, ocspResponse };
    Part part = Part::certificates;
    std::string reason;
    /// It looks like a file that somebody is writing just now: empty, cut off, or a key of another
    /// certificate.
    bool mayBeUnfinished = false;
};

struct ParsedCredential {
    std::shared_ptr<Credential> credential; ///< without an id
    /// What is odd but can be lived with.
    struct Remark {
        ParseFailure::Part part;
        std::string text;
    };
    std::vector<Remark> remarks;
};

struct ParseOutcome {
    std::optional<ParsedCredential> parsed;
    ParseFailure failure; ///< where there is none
};

struct ParseLimits {
    /// Rounds of key derivation that passwords may cost, in all.
    std::uint64_t maxRounds = 5'000'000;
};

ParseOutcome parseCredential(const CredentialBytes& bytes, const ParseLimits& limits = {});

} // namespace saker::tls
