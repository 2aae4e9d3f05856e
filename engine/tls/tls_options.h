// How TLS is spoken on the HTTPS ports. Decoded by the host, used by TlsContext and TlsLoop.
#pragma once

#include "schema/types.h"

#include <cstdint>
#include <span>
#include <string>

namespace saker::tls {

/// Which clients are served (Mozilla's server side TLS guidelines).
enum class TlsProfile : std::uint8_t {
    modern,       ///< TLS 1.3 only
    intermediate, ///< TLS 1.2 with forward secrecy, and 1.3
    old,          ///< TLS 1.0 and later
};
std::span<const schema::Choice> schemaChoices(TlsProfile);

struct TlsOptions {
    TlsProfile profile = TlsProfile::intermediate;
    std::string ciphers; ///< up to TLS 1.2, as OpenSSL spells them; "": those of the profile
    schema::Duration handshakeTimeout = std::chrono::seconds(10);
    schema::Duration sessionLifetime = std::chrono::hours(24); ///< 0: no session is resumed
    std::uint32_t handshakesPerAddress = 50;                   ///< a second, under attack; 0: no limit
    std::string keyLogFile;                                    ///< "": none

    void check(schema::Checker& checker) const;
    bool operator==(const TlsOptions&) const = default;
    static const schema::Description& fields();
};

} // namespace saker::tls
