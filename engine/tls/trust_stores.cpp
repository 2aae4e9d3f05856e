#include "tls/trust_store.h"

#include "os/paths.h"
#include "os/privileges.h"
#include "tls/certificate_info.h"
#include "tls/nss_trust_store.h"
#include "tls/system_trust_store.h"

#include <fmt/format.h>

namespace saker::tls {

namespace {

/// update-ca-certificates takes seconds, on slow machines some more.
constexpr std::chrono::milliseconds kPatience{std::chrono::minutes(2)};

} // namespace

const char* trustStateName(TrustState state) {
    switch (state) {
    case TrustState::trusted:
        return "trusted";
    case TrustState::absent:
        return "absent";
    case TrustState::outdated:
        return "outdated";
    case TrustState::unknown:
        break;
    }
    return "unknown";
}

TrustEnvironment TrustEnvironment::ofThisMachine() {
    TrustEnvironment environment;
    environment.home = os::homeDirectory();
    environment.run = [](const std::vector<std::string>& argv) { return os::runProgram(argv, kPatience); };
    environment.which = [](std::string_view program) { return os::findProgram(program); };
    environment.isAdministrator = os::isAdministrator();
    return environment;
}

std::string trustName(const X509& authority) {
    return "Saker local CA " + CertificateInfo::of(authority).fingerprint.substr(0, 8);
}

TrustStores findTrustStores(const TrustEnvironment& environment) {
    TrustStores found;
    findSystemTrustStores(environment, found);
    findNssTrustStores(environment, found);
    return found;
}

} // namespace saker::tls
