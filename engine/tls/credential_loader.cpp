#include "tls/credential_loader.h"

#include "base/text.h"
#include "os/file.h"
#include "tls/credential_id.h"
#include "tls/credential_parser.h"
#include "tls/openssl_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <openssl/evp.h>

namespace saker::tls {

namespace {

constexpr std::int64_t kNanosPerSecond = 1'000'000'000;
/// What has been written so lately may be written again without looking different: times of files are coarse.
constexpr std::int64_t kSettled = 2 * kNanosPerSecond;
/// So long a pair that cannot be used is taken for one that somebody is writing, and one that is gone for one
/// that is being replaced.
constexpr std::int64_t kPatience = kNanosPerSecond;

constexpr std::uint64_t kMaxPasswordFile = 4096;
constexpr std::uint64_t kMaxOcspFile = 64 * 1024;

/// One file of a source as it was when it was read.
struct FileState {
    bool isThere = false;
    os::FileStatus status;
    std::optional<Error> error; ///< why it cannot be read

    bool looksLike(const FileState& other) const {
        return isThere == other.isThere && error.has_value() == other.error.has_value() &&
               status.size == other.status.size && status.modified == other.status.modified &&
               status.inode == other.status.inode && status.device == other.status.device &&
               status.othersMayRead == other.status.othersMayRead;
    }
};

FileState stateOf(const os::File& file) {
    FileState state;
    auto status = file.status();
    if (!status) {
        state.error = status.error();
        return state;
    }
    state.isThere = true;
    state.status = *status;
    return state;
}

/// Reads a file, and says how it looked before it was read: a change meanwhile makes it look different next
/// time.
FileState readFile(const std::string& path, std::uint64_t limit, std::string* content) {
    FileState state;
    if (path.empty()) {
        return state;
    }
    auto file = os::openForRead(path);
    if (!file) {
        if (file.error().kind != ErrorKind::notFound) {
            state.error = file.error();
        }
        return state;
    }
    state = stateOf(*file);
    if (state.isThere && content) {
        if (auto bytes = file->readAll(limit)) {
            *content = std::move(*bytes);
        } else {
            state.error = bytes.error();
        }
    }
    return state;
}

std::string digestOf(const CredentialBytes& bytes) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
    unsigned size = 0;
    const std::unique_ptr<EVP_MD_CTX, OpensslFree<EVP_MD_CTX_free>> context(EVP_MD_CTX_new());
    EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr);
    const std::string password = bytes.password.value_or(std::string());
    for (const std::string* part :
         {&bytes.certificates, &bytes.chain, &bytes.key, &bytes.pkcs12, &password, &bytes.ocspResponse}) {
        const std::uint64_t length = part->size(); // so that nothing moves from one part to the next unseen
        EVP_DigestUpdate(context.get(), &length, sizeof length);
        EVP_DigestUpdate(context.get(), part->data(), part->size());
    }
    EVP_DigestFinal_ex(context.get(), digest.data(), &size);
    return std::string(reinterpret_cast<const char*>(digest.data()), size);
}

std::string unreadable(const Error& error) {
    return error.kind == ErrorKind::permission
               ? fmt::format(
                     "{}. The server must be able to read it: give its user or group the right, or start it "
                     "as root with User set",
                     error.message)
               : error.message;
}

} // namespace

/// A pair, and what came of it.
struct CredentialLoader::Source {
    CredentialFiles files;
    std::array<FileState, 6> states;
    std::int64_t readAt = 0;
    std::string digest; ///< of the bytes that `credential` or the failure came from
    std::shared_ptr<const Credential> credential;
    std::int64_t ocspUntil = INT64_MAX;
    std::vector<CertificateProblem> problems;
    std::vector<CertificateProblem> tooOpen; ///< secrets that everybody may read
    bool isOutdated = false;
    bool isPending = false;
    std::int64_t badSince = 0;  ///< 0: it is not
    std::int64_t goneSince = 0; ///< 0: it is there

    std::array<const std::string*, 6> paths() const {
        return {&files.certificate, &files.chain,    &files.key,
                &files.pkcs12,      &files.password, &files.ocspResponse};
    }
    const std::string& pathOf(CredentialPart part) const;

    void refresh(std::int64_t now);
    void read(std::int64_t now);
    void parse(CredentialBytes bytes, std::int64_t now);
    void fail(CertificateProblem problem, bool mayBeUnfinished, std::int64_t now);
    bool isUnchanged(std::int64_t now) const;
    bool isUnfit(std::array<std::string, 6>& contents, std::int64_t now);
    void judgeRights();
};

const std::string& CredentialLoader::Source::pathOf(CredentialPart part) const {
    switch (part) {
    case CredentialPart::chain:
        return files.chain;
    case CredentialPart::key:
        return files.key;
    case CredentialPart::password:
        return files.password;
    case CredentialPart::ocspResponse:
        return files.ocspResponse;
    default:
        return files.main();
    }
}

bool CredentialLoader::Source::isUnchanged(std::int64_t now) const {
    if (readAt == 0 || isPending || now / kNanosPerSecond >= ocspUntil) {
        return false;
    }
    for (std::size_t i = 0; i < states.size(); ++i) {
        // What was written within the clock's grain of being read could have been written once more since.
        if (states[i].isThere && readAt - states[i].status.modified < kSettled) {
            return false;
        }
        if (!states[i].looksLike(readFile(*paths()[i], 0, nullptr))) {
            return false;
        }
    }
    return true;
}

void CredentialLoader::Source::refresh(std::int64_t now) {
    if (!isUnchanged(now)) {
        read(now);
    }
}

/// Files that are missing or cannot be read; says so.
bool CredentialLoader::Source::isUnfit(std::array<std::string, 6>& contents, std::int64_t now) {
    constexpr std::array<std::uint64_t, 6> kLimits{kMaxCertificateFile, kMaxCertificateFile,
                                                   kMaxCertificateFile, kMaxCertificateFile,
                                                   kMaxPasswordFile,    kMaxOcspFile};
    std::optional<CertificateProblem> unfit;
    bool mayBeUnfinished = false;
    for (std::size_t i = 0; i < states.size(); ++i) {
        const std::string& path = *paths()[i];
        states[i] = readFile(path, kLimits[i], &contents[i]);
        if (states[i].error) {
            unfit = {Severity::error, path, unreadable(*states[i].error)};
        } else if (!path.empty() && !states[i].isThere && !unfit) {
            unfit = {Severity::error, path, "the file is missing, or a link that leads nowhere"};
            mayBeUnfinished = true;
        }
    }
    if (!unfit && files.pkcs12.empty() && files.certificate.empty()) {
        unfit = {Severity::error, files.key, "there is a private key, but no certificate beside it"};
        mayBeUnfinished = true;
    }
    if (unfit) {
        digest.clear();
        fail(std::move(*unfit), mayBeUnfinished, now);
    }
    return unfit.has_value();
}

void CredentialLoader::Source::judgeRights() {
    const std::string& keyFile = !files.pkcs12.empty() ? files.pkcs12
                                 : files.key.empty()   ? files.certificate
                                                       : files.key;
    tooOpen.clear();
    for (std::size_t i = 0; i < states.size(); ++i) {
        const std::string& path = *paths()[i];
        if (states[i].status.othersMayRead && !path.empty() && (path == keyFile || path == files.password)) {
            tooOpen.push_back(
                {Severity::warning, path,
                 "everybody on this machine can read it; take that away with chmod o= (or chmod 600)"});
        }
    }
}

void CredentialLoader::Source::read(std::int64_t now) {
    std::array<std::string, 6> contents;
    readAt = now;
    const bool unfit = isUnfit(contents, now);
    judgeRights();
    if (unfit) {
        return;
    }
    CredentialBytes bytes;
    bytes.certificates = std::move(contents[0]);
    bytes.chain = std::move(contents[1]);
    bytes.key = std::move(contents[2]);
    bytes.pkcs12 = std::move(contents[3]);
    if (!files.password.empty()) {
        bytes.password = std::string(trimLines(contents[4]));
    }
    bytes.ocspResponse = std::move(contents[5]);
    std::string now256 = digestOf(bytes);
    if (now256 == digest && !isPending && now / kNanosPerSecond < ocspUntil) {
        return; // written anew with the same bytes
    }
    const bool wasPending = isPending && now256 == digest;
    digest = std::move(now256);
    if (!wasPending) {
        badSince = 0; // other bytes get time of their own
    }
    parse(std::move(bytes), now);
}

void CredentialLoader::Source::parse(CredentialBytes bytes, std::int64_t now) {
    // A file that was named for its key and holds nothing is empty, and not one that the key is elsewhere
    // for.
    if (!files.key.empty() && bytes.key.empty()) {
        return fail({Severity::error, files.key, "the file is empty"}, true, now);
    }
    if (!files.pkcs12.empty() && bytes.pkcs12.empty()) {
        return fail({Severity::error, files.pkcs12, "the file is empty"}, true, now);
    }
    ParseLimits limits;
    limits.now = now / kNanosPerSecond;
    ParseOutcome outcome = parseCredential(bytes, limits);
    if (!outcome.parsed) {
        return fail({Severity::error, pathOf(outcome.failure.part), std::move(outcome.failure.reason)},
                    outcome.failure.mayBeUnfinished, now);
    }
    badSince = 0;
    isPending = false;
    isOutdated = false;
    problems.clear();
    for (ParsedCredential::Remark& remark : outcome.parsed->remarks) {
        problems.push_back({Severity::warning, pathOf(remark.part), std::move(remark.text)});
    }
    outcome.parsed->credential->id = nextCredentialId();
    credential = std::move(outcome.parsed->credential);
    ocspUntil = outcome.parsed->ocspUntil;
}

void CredentialLoader::Source::fail(CertificateProblem problem, bool mayBeUnfinished, std::int64_t now) {
    if (badSince == 0) {
        badSince = now;
    }
    isOutdated = credential != nullptr;
    problems.clear();
    isPending = mayBeUnfinished && now - badSince < kPatience;
    if (isPending) {
        return;
    }
    if (isOutdated) {
        problem.reason += ". The one loaded before stays in use";
    }
    problems.push_back(std::move(problem));
}

CredentialLoader::CredentialLoader(Clock clock) : clock_(std::move(clock)) {}
CredentialLoader::~CredentialLoader() = default;

CredentialLoader::Outcome CredentialLoader::load(const std::string& folder) {
    const ClearsOpensslErrors clears;
    const std::int64_t now = clock_();
    Outcome outcome;
    if (folder.empty()) {
        sources_.clear();
        return outcome;
    }
    CredentialTree tree = listCredentialFiles(folder);
    outcome.problems = std::move(tree.problems);
    for (const std::string& inside : tree.folders) {
        outcome.watch.push_back({inside, {}});
    }
    for (WatchedFolder& way : foldersOfPath(folder)) {
        outcome.watch.push_back(std::move(way));
    }

    std::vector<std::string> order;
    for (CredentialFiles& files : tree.files) {
        std::unique_ptr<Source>& source = sources_[files.main()];
        if (!source) {
            source = std::make_unique<Source>();
        }
        order.push_back(files.main());
        if (source->files.certificate != files.certificate || source->files.key != files.key ||
            source->files.chain != files.chain || source->files.password != files.password ||
            source->files.ocspResponse != files.ocspResponse) {
            source->readAt = 0;
        }
        source->files = std::move(files);
        source->goneSince = 0;
        source->refresh(now);
        for (const std::string* path : source->paths()) {
            if (!path->empty()) {
                for (WatchedFolder& way : foldersOfPath(*path)) {
                    outcome.watch.push_back(std::move(way));
                }
            }
        }
    }
    // What is gone may come back in a moment, when a file is replaced by deleting and writing it.
    const std::set<std::string> present(order.begin(), order.end());
    for (auto at = sources_.begin(); at != sources_.end();) {
        Source& source = *at->second;
        if (present.contains(at->first)) {
            ++at;
            continue;
        }
        if (source.goneSince == 0) {
            source.goneSince = now;
        }
        if (!source.credential || now - source.goneSince >= kPatience) {
            at = sources_.erase(at);
            continue;
        }
        outcome.lookAgainSoon = true;
        order.push_back(at->first);
        ++at;
    }
    std::stable_sort(order.begin(), order.end());
    for (const std::string& name : order) {
        const Source& source = *sources_[name];
        if (source.credential) {
            outcome.loaded.push_back({source.credential, name, source.isOutdated && !source.isPending});
        }
        if (source.goneSince == 0) {
            outcome.problems.insert(outcome.problems.end(), source.problems.begin(), source.problems.end());
            if (source.badSince == 0) { // else there may be no secret in it
                outcome.problems.insert(outcome.problems.end(), source.tooOpen.begin(), source.tooOpen.end());
            }
        }
        outcome.lookAgainSoon |= source.isPending;
    }
    outcome.watch = joined(std::move(outcome.watch));
    return outcome;
}

void CredentialLoader::forget() {
    sources_.clear();
}

} // namespace saker::tls
