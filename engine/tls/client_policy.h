// What a site asks of its clients' certificates: whether one must be shown, and who must have issued it.
// Immutable; shared by all loops.
#pragma once

#include "base/result.h"
#include "tls/openssl_types.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace saker::tls {

class ClientPolicy {
public:
    enum class Mode : std::uint8_t {
        optional, ///< asked for; a client without one is served, a wrong one is not
        required,
    };

    /// `caFile`: certificates in PEM, of those who issue the clients'. Reads it.
    static Result<std::shared_ptr<const ClientPolicy>> load(Mode mode, const std::string& caFile);
    static Result<std::shared_ptr<const ClientPolicy>> parse(Mode mode, std::string_view pem,
                                                             const std::string& caFile);

    Mode mode() const { return mode_; }
    /// Equal for equal policies of this process, never 0: a connection whose handshake followed one policy
    /// must not reach a site with another one.
    std::uint64_t id() const { return id_; }

    /// Has the context's handshakes verify against the authorities.
    void apply(SSL_CTX& context) const;
    /// Has this handshake ask for a certificate.
    void apply(SSL& ssl) const;

private:
    ClientPolicy(Mode mode, std::uint64_t id) : mode_(mode), id_(id) {}

    using StorePtr = std::unique_ptr<X509_STORE, OpensslFree<X509_STORE_free>>;

    Mode mode_;
    std::uint64_t id_;
    StorePtr store_;
};

} // namespace saker::tls
