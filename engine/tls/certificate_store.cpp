#include "tls/certificate_store.h"

#include "base/domain_name.h"
#include "base/text.h"
#include "tls/certificate_builder.h"
#include "tls/credential_id.h"
#include "tls/openssl_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace saker::tls {

namespace {

constexpr std::int64_t kNanosPerSecond = 1'000'000'000;
constexpr std::int64_t kDay = 86400;
/// What the server signs itself is nobody's proof of anything; it is made anew when half of this is over.
constexpr std::int64_t kSelfSignedDays = 397;

/// Disks that tell nothing of changes (network file systems) are seen so often.
constexpr std::chrono::milliseconds kLookAnyway{std::chrono::minutes(1)};
constexpr std::chrono::milliseconds kLookSoon{100};

bool isEmpty(const CredentialChoice& choice) {
    return !choice.ecdsa && !choice.rsa;
}

/// People are told in time to act: two weeks ahead, and less for certificates that live for days only.
std::int64_t warnAhead(const CertificateInfo& info) {
    return std::min<std::int64_t>(14 * kDay, (info.notAfter - info.notBefore) / 5);
}

std::string inDays(std::int64_t seconds) {
    const std::int64_t days = seconds / kDay;
    return days >= 2 ? counted(static_cast<std::uint64_t>(days), "day")
                     : counted(static_cast<std::uint64_t>(std::max<std::int64_t>(seconds, 0) / 3600), "hour");
}

} // namespace

CertificateStore::CertificateStore(Options options, Report report, Clock clock)
    : report_(std::move(report)), clock_(std::move(clock)), options_(std::move(options)), loader_(clock_) {
    std::lock_guard lock(mutex_);
    publishLocked();
}

std::int64_t CertificateStore::nowSeconds() const {
    return clock_() / kNanosPerSecond;
}

CredentialChoice CertificateStore::find(std::string_view serverName, const loop::SocketAddress& local) {
    const auto state = state_.get();
    std::optional<CredentialTable::Match> match;
    std::shared_ptr<const Credential> issued;
    // A literal address is no server name (RFC 6066, section 3), but there are clients that send one.
    auto address =
        serverName.empty() ? Result<loop::SocketAddress>(local) : loop::SocketAddress::parse(serverName, 0);
    if (address) {
        match = state->table.findAddress(address->host());
        if (state->development && (!match || !match->isValid)) {
            issued = state->development->find(*address);
        }
    } else if (auto name = domainToAscii(serverName); name && !name->starts_with('*')) {
        match = state->table.find(*name);
        if (state->development && (!match || !match->isValid)) {
            issued = state->development->find(*name);
        }
    }
    if (issued) {
        return {std::move(issued), nullptr};
    }
    return match ? match->choice : state->fallback;
}

CertificateStore::Listing CertificateStore::list() const {
    std::lock_guard lock(mutex_);
    return listLocked();
}

CertificateStore::Listing CertificateStore::listLocked() const {
    const std::int64_t now = nowSeconds();
    Listing listing;
    for (const CredentialLoader::Loaded& loaded : outcome_.loaded) {
        const CertificateInfo& info = loaded.credential->info;
        listing.certificates.push_back(
            {info, loaded.file, loaded.isOutdated, now >= info.notAfter, now < info.notBefore});
    }
    listing.problems = problems_;
    const auto& fallback = fallback_.ecdsa ? fallback_.ecdsa : fallback_.rsa;
    listing.fallback = fallback->info;
    listing.isFallbackSelfSigned = fallback == selfSigned_;
    listing.isCleared = cleared_;
    return listing;
}

CertificateStore::Listing CertificateStore::load() {
    std::lock_guard lock(mutex_);
    cleared_ = false;
    loadLocked();
    return listLocked();
}

void CertificateStore::clear() {
    std::lock_guard lock(mutex_);
    cleared_ = true;
    loader_.forget();
    outcome_ = {};
    publishLocked();
}

void CertificateStore::configure(Options options) {
    std::lock_guard lock(mutex_);
    options_ = std::move(options);
    loadLocked();
}

CertificateWatch::Next CertificateStore::refresh() {
    std::lock_guard lock(mutex_);
    return loadLocked();
}

CertificateWatch::Next CertificateStore::loadLocked() {
    CertificateWatch::Next next;
    next.lookAgain = kLookAnyway;
    if (!cleared_) {
        outcome_ = loader_.load(options_.folder);
        next.folders = outcome_.watch;
    }
    publishLocked();
    reportLocked();
    if (outcome_.lookAgainSoon) {
        next.lookAgain = kLookSoon;
    }
    // Where validity begins or ends, the table is to be made anew: within the second.
    const std::int64_t until = state_.get()->table.nextChange() - nowSeconds();
    if (until < kLookAnyway / std::chrono::seconds(1)) {
        next.lookAgain = std::min(next.lookAgain, std::chrono::milliseconds(until * 1000));
    }
    return next;
}

/// The certificate of last resort.
CredentialChoice CertificateStore::selfSignedLocked() {
    const std::int64_t now = nowSeconds();
    if (selfSigned_ && now < selfSigned_->info.notAfter - kSelfSignedDays * kDay / 2 &&
        now >= selfSigned_->info.notBefore) {
        return {selfSigned_, nullptr};
    }
    const ClearsOpensslErrors clears;
    CertificateRequest request;
    request.organization = "Saker";
    request.commonName = "localhost";
    if (auto name = domainToAscii(options_.hostName); name && *name != "localhost") {
        request.names.push_back(*name);
        request.commonName = std::move(*name);
    }
    request.names.emplace_back("localhost");
    request.addresses = {"127.0.0.1", "::1"};
    request.notBefore = now - 3600;
    request.notAfter = now + kSelfSignedDays * kDay;
    auto key = makeEcdsaKey();
    auto certificate =
        key ? makeCertificate(request, **key, {nullptr, key->get()}) : Result<X509Ptr>(key.error());
    if (!certificate) {
        // Only without memory or random numbers; the old one, expired perhaps, is better than none.
        report_(Severity::error, certificate.error().text());
        return {selfSigned_ ? selfSigned_ : std::make_shared<const Credential>(), nullptr};
    }
    auto credential = std::make_shared<Credential>();
    credential->info = CertificateInfo::of(**certificate);
    credential->leaf = std::move(*certificate);
    credential->key = std::move(*key);
    credential->id = nextCredentialId();
    selfSigned_ = std::move(credential);
    return {selfSigned_, nullptr};
}

void CertificateStore::publishLocked() {
    const std::int64_t now = nowSeconds();
    std::vector<std::shared_ptr<const Credential>> credentials;
    for (const CredentialLoader::Loaded& loaded : outcome_.loaded) {
        credentials.push_back(loaded.credential);
    }
    auto state = std::make_shared<State>();
    state->table = CredentialTable(credentials, now);
    problems_ = outcome_.problems;
    CredentialChoice fallback;
    if (!cleared_ && !options_.fallbackName.empty()) {
        auto name = domainToAscii(options_.fallbackName);
        if (auto match = name ? state->table.find(*name) : std::nullopt) {
            fallback = match->choice;
        } else if (!outcome_.lookAgainSoon) {
            problems_.push_back(
                {Severity::warning, "",
                 fmt::format("FallbackCertificate is \"{}\", for which no certificate is loaded; "
                             "another one stands in",
                             options_.fallbackName)});
        }
    }
    auto isValid = [now](const auto& one) { return now >= one->info.notBefore && now < one->info.notAfter; };
    if (isEmpty(fallback) && !credentials.empty()) {
        auto first = std::find_if(credentials.begin(), credentials.end(), isValid);
        const auto& chosen = first == credentials.end() ? credentials.front() : *first;
        // With the other kind of key for the same name beside it, where there is one.
        auto match =
            chosen->info.names.empty() ? std::nullopt : state->table.find(chosen->info.names.front());
        fallback = match ? match->choice : CredentialChoice{};
        const bool isRsa = chosen->info.keyKind == CertificateInfo::KeyKind::rsa;
        (isRsa ? fallback.rsa : fallback.ecdsa) = chosen;
    }
    if (isEmpty(fallback)) {
        fallback = selfSignedLocked();
    }
    fallback_ = fallback;
    state->fallback = std::move(fallback);
    state->development = cleared_ ? nullptr : options_.development;
    state_.set(std::move(state));

    for (const CredentialLoader::Loaded& loaded : outcome_.loaded) {
        const CertificateInfo& info = loaded.credential->info;
        if (now >= info.notAfter) {
            problems_.push_back(
                {Severity::error, loaded.file,
                 fmt::format("the certificate of {} has expired {} ago; it is used only where there is "
                             "no other one. Renew it",
                             info.subject, inDays(now - info.notAfter))});
        } else if (now < info.notBefore) {
            problems_.push_back(
                {Severity::warning, loaded.file,
                 fmt::format("the certificate of {} is not valid yet, but in {}; until then it is used "
                             "only where there is no other one",
                             info.subject, inDays(info.notBefore - now))});
        } else if (info.notAfter - now < warnAhead(info)) {
            problems_.push_back({Severity::warning, loaded.file,
                                 fmt::format("the certificate of {} expires in {}; renew it", info.subject,
                                             inDays(info.notAfter - now))});
        }
    }
}

/// What was not said at the last load. The reason's first words tell problems apart: numbers of days change.
void CertificateStore::reportLocked() {
    auto same = [](const CertificateProblem& a, const CertificateProblem& b) {
        const std::size_t digits = a.reason.find_first_of("0123456789");
        return a.file == b.file && a.severity == b.severity &&
               a.reason.substr(0, digits) == b.reason.substr(0, digits);
    };
    for (const CertificateProblem& problem : problems_) {
        const bool isKnown = std::any_of(reported_.begin(), reported_.end(),
                                         [&](const CertificateProblem& one) { return same(one, problem); });
        if (!isKnown) {
            report_(problem.severity, problem.text());
        }
    }
    reported_ = problems_;
}

} // namespace saker::tls
