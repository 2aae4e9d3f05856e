#include "host/certificates.h"

#include "base/domain_name.h"
#include "base/text.h"
#include "observe/log.h"
#include "os/paths.h"
#include "os/process.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace saker::host {

namespace {

using tls::Severity;

constexpr std::string_view kAuthorityFolder = "ca";
constexpr std::int64_t kDay = 86400;

void report(Severity severity, const std::string& text) {
    switch (severity) {
    case Severity::error:
        log::error("certificates", "{}", text);
        break;
    case Severity::warning:
        log::warning("certificates", "{}", text);
        break;
    case Severity::information:
        log::info("certificates", "{}", text);
        break;
    }
}

std::int64_t nowNanos() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}
std::int64_t nowSeconds() {
    return nowNanos() / 1'000'000'000;
}

std::int64_t daysUntil(std::int64_t moment) {
    const std::int64_t seconds = moment - nowSeconds();
    return seconds >= 0 ? seconds / kDay : -((kDay - 1 - seconds) / kDay);
}

std::string keyText(const tls::CertificateInfo& info) {
    switch (info.keyKind) {
    case tls::CertificateInfo::KeyKind::rsa:
        return fmt::format("RSA {}", info.keyBits);
    case tls::CertificateInfo::KeyKind::ecdsa:
        return fmt::format("ECDSA {}", info.keyBits);
    case tls::CertificateInfo::KeyKind::ed25519:
        return "Ed25519";
    case tls::CertificateInfo::KeyKind::other:
        break;
    }
    return "other";
}

std::string stateText(const tls::CertificateStore::Listed& one) {
    return one.isExpired       ? "expired"
           : one.isNotYetValid ? "not valid yet"
           : one.isOutdated    ? "new file is bad"
                               : "";
}

} // namespace

Certificates::Certificates(std::string dataFolder)
    : dataFolder_(std::move(dataFolder)), hostName_(os::hostName()),
      store_({{}, {}, hostName_, nullptr}, report, nowNanos) {}

Certificates::~Certificates() = default;

void Certificates::configure(const tls::CertificateOptions& options, bool isUsed) {
    tls::CertificateStore::Options wanted;
    wanted.hostName = hostName_;
    if (isUsed) {
        wanted.folder = options.certDir;
        wanted.fallbackName = options.fallbackCertificate;
    }
    wanted.development = developmentFor(isUsed && options.developmentMode);
    {
        std::lock_guard lock(mutex_);
        isUsed_ = isUsed;
        isDevelopment_ = options.developmentMode;
    }
    store_.configure(std::move(wanted));
    if (watch_) {
        watch_->wake();
    }
}

std::shared_ptr<tls::LeafCache> Certificates::developmentFor(bool isOn) {
    std::lock_guard lock(mutex_);
    if (!isOn) {
        development_.reset();
    } else if (!development_) {
        if (dataFolder_.empty()) {
            report(Severity::warning,
                   "Development mode is on, but there is no folder for the local authority: this "
                   "user has no home. Name one in DataDir.");
            return nullptr;
        }
        auto authority = tls::LocalCa::open(
            {os::joinPath(dataFolder_, kAuthorityFolder), hostName_, nowSeconds()}, report);
        if (!authority) {
            report(Severity::warning,
                   fmt::format("Development mode is on, but the local authority cannot be used: {}",
                               authority.error().text()));
            return nullptr;
        }
        development_ =
            std::make_shared<tls::LeafCache>(std::shared_ptr<const tls::LocalCa>(std::move(*authority)),
                                             tls::LeafCache::Options{}, nowSeconds);
    }
    return development_;
}

void Certificates::watch() {
    watch_ = std::make_unique<tls::CertificateWatch>(
        tls::CertificateWatch::Options{}, [this] { return store_.refresh(); }, report);
}

std::shared_ptr<tls::LeafCache> Certificates::development() const {
    std::lock_guard lock(mutex_);
    return development_;
}

control::CertificateList Certificates::list() const {
    return listOf(store_.list());
}

control::CertificateList Certificates::load() {
    control::CertificateList list = listOf(store_.load());
    if (watch_) {
        watch_->wake();
    }
    return list;
}

void Certificates::clear() {
    store_.clear();
}

control::CertificateList Certificates::listOf(const tls::CertificateStore::Listing& listing) const {
    control::CertificateList list;
    for (const tls::CertificateStore::Listed& one : listing.certificates) {
        control::CertificateList::Entry entry;
        for (const std::string& name : one.info.names) {
            entry.names.push_back(domainToUnicode(name));
        }
        entry.names.insert(entry.names.end(), one.info.addresses.begin(), one.info.addresses.end());
        entry.key = keyText(one.info);
        entry.issuer = one.info.isSelfSigned ? "(itself)" : one.info.issuer;
        entry.daysLeft = daysUntil(one.info.notAfter);
        entry.state = stateText(one);
        entry.file = one.file;
        list.certificates.push_back(std::move(entry));
    }
    for (const tls::CertificateProblem& problem : listing.problems) {
        list.problems.push_back(problem.text());
    }
    list.fallback =
        listing.isFallbackSelfSigned
            ? fmt::format("a certificate that the server signs itself, for {}", listing.fallback.subject)
            : fmt::format("the certificate of {}", listing.fallback.subject);
    if (listing.isCleared) {
        list.fallback += " (for all names until loadcerts)";
    }
    const auto issuer = development();
    std::lock_guard lock(mutex_);
    if (!isUsed_) {
        list.problems.emplace_back("No port for HTTPS is open, so no certificate is loaded: see HttpsPorts.");
    }
    if (isDevelopment_ && isUsed_) {
        list.development = issuer ? fmt::format("{} issued {} for local names; {} in use",
                                                issuer->authority().info().subject,
                                                counted(issuer->issued(), "certificate"), issuer->size())
                                  : "on, but the local authority cannot be used; the log says why";
    }
    return list;
}

Result<tls::X509Ptr> Certificates::authorityCertificate() const {
    if (auto issuer = development()) {
        return tls::copyOf(issuer->authority().certificate());
    }
    auto certificate = dataFolder_.empty() ? Result<tls::X509Ptr>(Error{ErrorKind::notFound, "", ""})
                                           : tls::LocalCa::read(os::joinPath(dataFolder_, kAuthorityFolder));
    if (!certificate && certificate.error().kind == ErrorKind::notFound) {
        return Error{
            ErrorKind::notFound,
            "There is no local certificate authority yet. It is made when DevelopmentMode is on and a port "
            "for HTTPS is open.",
            ""};
    }
    return certificate;
}

Result<control::AuthorityReport> Certificates::authority() const {
    auto certificate = authorityCertificate();
    if (!certificate) {
        return certificate.error();
    }
    const tls::CertificateInfo info = tls::CertificateInfo::of(**certificate);
    control::AuthorityReport out;
    out.subject = info.subject;
    out.fingerprint = info.fingerprint;
    out.file = tls::LocalCa::certificateFileIn(os::joinPath(dataFolder_, kAuthorityFolder));
    out.daysLeft = daysUntil(info.notAfter);
    out.names = tls::LocalCa::namesPermittedBy(**certificate);
    tls::TrustStores found = tls::findTrustStores(tls::TrustEnvironment::ofThisMachine());
    for (const auto& store : found.stores) {
        out.stores.push_back({store->name(), tls::trustStateName(store->state(**certificate))});
    }
    out.notes = std::move(found.notes);
    return out;
}

Result<std::vector<std::string>> Certificates::changeTrust(bool install, bool onlySay) const {
    auto certificate = authorityCertificate();
    if (!certificate) {
        return certificate.error();
    }
    const auto change = install ? tls::TrustChange::install : tls::TrustChange::remove;
    const auto wanted = install ? tls::TrustState::trusted : tls::TrustState::absent;
    tls::TrustStores found = tls::findTrustStores(tls::TrustEnvironment::ofThisMachine());
    std::vector<std::string> lines;
    for (const auto& store : found.stores) {
        const bool isDone = store->state(**certificate) == wanted;
        if (isDone) {
            lines.push_back(fmt::format("{}: nothing to do, {}", store->name(), tls::trustStateName(wanted)));
        } else if (onlySay) {
            for (const std::string& step : store->plan(**certificate, change)) {
                lines.push_back(fmt::format("{}: would do: {}", store->name(), step));
            }
        } else if (auto done = store->apply(**certificate, change); !done) {
            lines.push_back(fmt::format("{}: not done: {}", store->name(), done.error().text()));
        } else {
            lines.push_back(
                fmt::format("{}: {} now", store->name(), tls::trustStateName(store->state(**certificate))));
        }
    }
    for (const std::string& note : found.notes) {
        lines.push_back(fmt::format("Note: {}", note));
    }
    if (lines.empty()) {
        lines.emplace_back("No trust store was found.");
    }
    return lines;
}

} // namespace saker::host
