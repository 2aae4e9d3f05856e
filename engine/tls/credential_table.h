// Which credential answers for which name: an immutable table, read by all loops within handshakes. Made of
// all that is loaded, as of one moment: where validity begins or ends a new one is due.
//
// A look-up is two probes of a hash table: the name, and "*." with the rest of it (a wildcard stands for one
// label, the left-most; RFC 9525, section 6.3). Those within their time come before those outside it, then
// the exact name before the wildcard, then the one that lives longest.
#pragma once

#include "base/hash.h"
#include "tls/credential.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

namespace saker::tls {

class CredentialTable {
public:
    CredentialTable() = default;
    /// `now`: seconds since 1970.
    CredentialTable(std::span<const std::shared_ptr<const Credential>> credentials, std::int64_t now);

    struct Match {
        CredentialChoice choice;
        bool isValid = true; ///< within its time
    };
    /// `name`: lower case, A-labels (domainToAscii). Nothing when no certificate is for it.
    std::optional<Match> find(std::string_view name) const;
    /// `address`: as SocketAddress::host() writes it.
    std::optional<Match> findAddress(std::string_view address) const;

    /// The first moment after `now` at which something begins or ends to be valid; the largest number if
    /// none.
    std::int64_t nextChange() const { return nextChange_; }
    std::size_t names() const { return byName_.size(); }

private:
    struct Slots {
        CredentialChoice valid;
        CredentialChoice stale; ///< expired, or not valid yet
    };
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return hashBytes(text, processHashKey()); }
    };
    using Map = std::unordered_map<std::string, Slots, Hash, std::equal_to<>>;

    static void put(Map& map, const std::string& name, const std::shared_ptr<const Credential>& credential,
                    bool isValid);

    Map byName_; ///< wildcards by their whole text, "*.example.com"
    Map byAddress_;
    std::int64_t nextChange_ = INT64_MAX;
};

} // namespace saker::tls
