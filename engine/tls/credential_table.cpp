#include "tls/credential_table.h"

#include <algorithm>

namespace saker::tls {

namespace {

bool isEmpty(const CredentialChoice& choice) {
    return !choice.ecdsa && !choice.rsa;
}

} // namespace

CredentialTable::CredentialTable(std::span<const std::shared_ptr<const Credential>> credentials,
                                 std::int64_t now) {
    for (const auto& credential : credentials) {
        const CertificateInfo& info = credential->info;
        for (const std::int64_t moment : {info.notBefore, info.notAfter}) {
            if (moment > now) {
                nextChange_ = std::min(nextChange_, moment);
            }
        }
        const bool isValid = now >= info.notBefore && now < info.notAfter;
        for (const std::string& name : info.names) {
            put(byName_, name, credential, isValid);
        }
        for (const std::string& address : info.addresses) {
            put(byAddress_, address, credential, isValid);
        }
    }
}

void CredentialTable::put(Map& map, const std::string& name,
                          const std::shared_ptr<const Credential>& credential, bool isValid) {
    Slots& slots = map[name];
    CredentialChoice& choice = isValid ? slots.valid : slots.stale;
    auto& place = credential->info.keyKind == CertificateInfo::KeyKind::rsa ? choice.rsa : choice.ecdsa;
    if (!place || place->info.notAfter < credential->info.notAfter) {
        place = credential;
    }
}

std::optional<CredentialTable::Match> CredentialTable::find(std::string_view name) const {
    auto exact = byName_.find(name);
    auto wildcard = byName_.end();
    if (const std::size_t dot = name.find('.'); dot != std::string_view::npos && dot > 0) {
        std::string pattern("*");
        pattern += name.substr(dot);
        wildcard = byName_.find(std::string_view(pattern));
    }
    for (const bool isValid : {true, false}) {
        for (const auto& found : {exact, wildcard}) {
            if (found == byName_.end()) {
                continue;
            }
            const CredentialChoice& choice = isValid ? found->second.valid : found->second.stale;
            if (!isEmpty(choice)) {
                return Match{choice, isValid};
            }
        }
    }
    return std::nullopt;
}

std::optional<CredentialTable::Match> CredentialTable::findAddress(std::string_view address) const {
    auto found = byAddress_.find(address);
    if (found == byAddress_.end()) {
        return std::nullopt;
    }
    const bool isValid = !isEmpty(found->second.valid);
    return Match{isValid ? found->second.valid : found->second.stale, isValid};
}

} // namespace saker::tls
