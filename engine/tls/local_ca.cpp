#include "tls/local_ca.h"

#include "base/domain_name.h"
#include "base/text.h"
#include "os/file.h"
#include "os/local_time.h"
#include "os/paths.h"
#include "tls/certificate_builder.h"
#include "tls/credential_id.h"
#include "tls/credential_parser.h"
#include "tls/development_names.h"
#include "tls/openssl_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <openssl/pem.h>
#include <openssl/x509v3.h>

namespace saker::tls {

namespace {

constexpr std::int64_t kDay = 86400;
constexpr std::int64_t kAuthorityDays = 3650;
/// Public authorities may give 200 days by now, and less every year; what is issued on demand needs none of
/// it.
constexpr std::int64_t kLeafDays = 90;
/// Clocks of phones and virtual machines are behind now and then.
constexpr std::int64_t kBackdatedBy = 3600;
constexpr std::int64_t kWarnDays = 60;

constexpr std::string_view kCertificateName = "saker-local-ca.pem";
constexpr std::string_view kKeyName = "saker-local-ca-key.pem";

using ConstraintsPtr = std::unique_ptr<NAME_CONSTRAINTS, OpensslFree<NAME_CONSTRAINTS_free>>;

std::vector<std::string> dnsNames(const STACK_OF(GENERAL_SUBTREE) * trees) {
    std::vector<std::string> names;
    for (int i = 0; trees && i < sk_GENERAL_SUBTREE_num(trees); ++i) {
        const GENERAL_NAME* base = sk_GENERAL_SUBTREE_value(trees, i)->base;
        if (base->type == GEN_DNS) {
            names.emplace_back(reinterpret_cast<const char*>(ASN1_STRING_get0_data(base->d.dNSName)),
                               static_cast<std::size_t>(ASN1_STRING_length(base->d.dNSName)));
        }
    }
    return names;
}

X509Ptr certificateFrom(const std::string& pem) {
    const std::unique_ptr<BIO, OpensslFree<BIO_free>> bio(
        BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
    return X509Ptr(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
}

bool exists(const std::string& path) {
    std::error_code ignored;
    return std::filesystem::exists(path, ignored);
}

/// Out of the way, but not lost: "saker-local-ca.pem.bad-20260102-030405".
Result<void> setAside(const std::string& path, std::int64_t now) {
    if (!exists(path)) {
        return {};
    }
    const os::CalendarTime at = os::utcTime(now);
    const std::string target = fmt::format("{}.bad-{:04}{:02}{:02}-{:02}{:02}{:02}", path, at.year, at.month,
                                           at.day, at.hour, at.minute, at.second);
    std::error_code failed;
    std::filesystem::rename(path, target, failed);
    return failed ? systemError(failed.value(), "cannot rename the file", path) : Result<void>();
}

std::shared_ptr<const Credential> credentialFrom(X509Ptr certificate, KeyPtr key) {
    auto credential = std::make_shared<Credential>();
    credential->info = CertificateInfo::of(*certificate);
    credential->leaf = std::move(certificate);
    credential->key = std::move(key);
    credential->id = nextCredentialId();
    return credential;
}

CertificateRequest leafRequest(std::int64_t now, std::int64_t authorityEnds) {
    CertificateRequest request;
    // With blanks, so that nobody takes it for a name of a host and holds it against the constraints.
    request.commonName = "Saker development certificate";
    request.organization = "Saker";
    request.notBefore = now - kBackdatedBy;
    request.notAfter = std::min(now + kLeafDays * kDay, authorityEnds);
    return request;
}

/// Why the pair on the disk is of no use any more; "" when it is.
std::string damage(const CredentialBytes& bytes, std::int64_t now) {
    ParseOutcome outcome = parseCredential(bytes);
    if (!outcome.parsed) {
        return outcome.failure.reason;
    }
    const CertificateInfo& info = outcome.parsed->credential->info;
    if (!info.isAuthority) {
        return "the certificate is not one of an authority";
    }
    if (info.notAfter <= now) {
        return "the authority has expired";
    }
    return {};
}

} // namespace

LocalCa::LocalCa(X509Ptr certificate, KeyPtr key, std::string certificateFile)
    : certificate_(std::move(certificate)), key_(std::move(key)), info_(CertificateInfo::of(*certificate_)),
      certificateFile_(std::move(certificateFile)) {
    const ConstraintsPtr constraints(static_cast<NAME_CONSTRAINTS*>(
        X509_get_ext_d2i(certificate_.get(), NID_name_constraints, nullptr, nullptr)));
    if (constraints) {
        permittedNames_ = dnsNames(constraints->permittedSubtrees);
        excludedNames_ = dnsNames(constraints->excludedSubtrees);
    }
}

Result<std::unique_ptr<LocalCa>> LocalCa::make(const Options& options, const std::string& certificateFile,
                                               const std::string& keyFile) {
    auto key = makeEcdsaKey();
    if (!key) {
        return key.error();
    }
    CertificateRequest request;
    request.commonName =
        options.hostName.empty() ? "Saker local CA" : fmt::format("Saker local CA ({})", options.hostName);
    request.organization = "Saker";
    request.notBefore = options.now - kBackdatedBy;
    request.notAfter = options.now + kAuthorityDays * kDay;
    request.isAuthority = true;
    const auto domains = developmentDomains();
    request.permittedNames.assign(domains.begin(), domains.end());
    if (std::string machine = machineDomain(options.hostName); !machine.empty()) {
        request.excludedNames.push_back("." + machine);
        request.permittedNames.push_back(std::move(machine));
    }
    const auto networks = developmentNetworks();
    request.permittedNetworks.assign(networks.begin(), networks.end());
    auto certificate = makeCertificate(request, **key, {nullptr, key->get()});
    if (!certificate) {
        return certificate.error();
    }
    // The key first: a certificate without a key would be a damaged pair, a key without a certificate is
    // none.
    if (auto written = os::writeAtomically(keyFile, pemOf(**key), 0600); !written) {
        return written.error();
    }
    if (auto written = os::writeAtomically(certificateFile, pemOf(**certificate), 0644); !written) {
        return written.error();
    }
    return std::unique_ptr<LocalCa>(new LocalCa(std::move(*certificate), std::move(*key), certificateFile));
}

Result<std::unique_ptr<LocalCa>> LocalCa::open(const Options& options, const Report& report) {
    const ClearsOpensslErrors clears;
    const std::string certificateFile = certificateFileIn(options.folder);
    const std::string keyFile = os::joinPath(options.folder, kKeyName);
    if (auto made = os::createDirectories(options.folder, 0700); !made) {
        return made.error();
    }
    if (!exists(certificateFile)) {
        if (auto aside = setAside(keyFile, options.now); !aside) {
            return aside.error();
        }
        auto authority = make(options, certificateFile, keyFile);
        if (authority) {
            report(Severity::information,
                   fmt::format(
                       "A local certificate authority was made: {}. Browsers believe it after the command "
                       "\"catrust\".",
                       certificateFile));
        }
        return authority;
    }
    CredentialBytes bytes;
    std::string trouble;
    if (auto read = os::readFile(certificateFile, kMaxCertificateFile)) {
        bytes.certificates = std::move(*read);
    } else {
        return read.error();
    }
    if (auto read = os::readFile(keyFile, kMaxCertificateFile)) {
        bytes.key = std::move(*read);
        trouble = damage(bytes, options.now);
    } else if (read.error().kind == ErrorKind::notFound) {
        trouble = fmt::format("its key {} is missing", keyFile);
    } else {
        return read.error(); // somebody else's, perhaps, and good for them
    }
    if (!trouble.empty()) {
        for (const std::string& path : {certificateFile, keyFile}) {
            if (auto aside = setAside(path, options.now); !aside) {
                return aside.error();
            }
        }
        auto authority = make(options, certificateFile, keyFile);
        if (authority) {
            report(Severity::warning,
                   fmt::format(
                       "{}: {}. It was renamed (ending in \".bad-…\") and a new local authority was made; "
                       "browsers believe it after the command \"catrust\".",
                       certificateFile, trouble));
        }
        return authority;
    }
    std::error_code ignored;
    const auto mode = std::filesystem::status(keyFile, ignored).permissions();
    if ((mode & (std::filesystem::perms::group_all | std::filesystem::perms::others_all)) !=
        std::filesystem::perms::none) {
        std::filesystem::permissions(
            keyFile, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write, ignored);
        report(Severity::warning,
               fmt::format("{}: others than its owner had rights to the key of the local "
                           "authority; {}.",
                           keyFile, ignored ? "take them away with chmod 600" : "they were taken away"));
    }
    auto parsed = parseCredential(bytes).parsed;
    std::unique_ptr<LocalCa> authority(new LocalCa(std::move(parsed->credential->leaf),
                                                   std::move(parsed->credential->key), certificateFile));
    if (const std::int64_t days = (authority->info_.notAfter - options.now) / kDay; days < kWarnDays) {
        report(Severity::warning,
               fmt::format("{}: the local authority expires in {}; then a new one is made, which has to be "
                           "trusted anew.",
                           certificateFile,
                           counted(static_cast<std::uint64_t>(std::max<std::int64_t>(days, 0)), "day")));
    }
    return authority;
}

std::vector<std::string> LocalCa::namesPermittedBy(const X509& certificate) {
    const ConstraintsPtr constraints(static_cast<NAME_CONSTRAINTS*>(
        X509_get_ext_d2i(&certificate, NID_name_constraints, nullptr, nullptr)));
    std::vector<std::string> names;
    if (!constraints) {
        return names;
    }
    const std::vector<std::string> excluded = dnsNames(constraints->excludedSubtrees);
    for (const std::string& name : dnsNames(constraints->permittedSubtrees)) {
        const bool isAlone = std::find(excluded.begin(), excluded.end(), "." + name) != excluded.end();
        if (isAlone || name == "localhost") {
            names.push_back(name);
        }
        if (!isAlone) {
            names.push_back("*." + name);
        }
    }
    return names;
}

std::string LocalCa::certificateFileIn(const std::string& folder) {
    return os::joinPath(folder, kCertificateName);
}

Result<X509Ptr> LocalCa::read(const std::string& folder) {
    const ClearsOpensslErrors clears;
    const std::string file = certificateFileIn(folder);
    auto pem = os::readFile(file, kMaxCertificateFile);
    if (!pem) {
        return pem.error();
    }
    X509Ptr certificate = certificateFrom(*pem);
    if (!certificate) {
        return Error{ErrorKind::failure, "there is no certificate in this file", file};
    }
    return certificate;
}

bool LocalCa::permits(std::string_view name) const {
    return isBelow(name, permittedNames_) &&
           std::none_of(excludedNames_.begin(), excludedNames_.end(),
                        [name](const std::string& excluded) { return name.ends_with(excluded); });
}

bool LocalCa::permits(const loop::SocketAddress& address) const {
    return isDevelopmentAddress(address);
}

Result<std::shared_ptr<const Credential>> LocalCa::issue(std::string_view name, std::int64_t now) const {
    CertificateRequest request = leafRequest(now, info_.notAfter);
    request.names.emplace_back(name);
    return sign(request);
}

Result<std::shared_ptr<const Credential>> LocalCa::issue(const loop::SocketAddress& address,
                                                         std::int64_t now) const {
    CertificateRequest request = leafRequest(now, info_.notAfter);
    request.addresses.push_back(address.host());
    if (address.isLoopback()) {
        request.names.emplace_back("localhost");
    }
    return sign(request);
}

Result<std::shared_ptr<const Credential>> LocalCa::sign(const CertificateRequest& request) const {
    const ClearsOpensslErrors clears;
    auto key = makeEcdsaKey();
    if (!key) {
        return key.error();
    }
    auto certificate = makeCertificate(request, **key, {certificate_.get(), key_.get()});
    if (!certificate) {
        return certificate.error();
    }
    return credentialFrom(std::move(*certificate), std::move(*key));
}

} // namespace saker::tls
