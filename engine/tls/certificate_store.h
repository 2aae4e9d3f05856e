// The certificates in use: those of the certificate folder, what the local authority issues in development
// mode, and a self-signed one for when there is nothing else. Chooses for each handshake; loads, clears and
// lists for the console; told by the certificate watch when to look at the disk again.
//
// A name is answered with, in this order: a certificate for it that is within its time; in development mode
// one that the local authority issues, where it may; a certificate for it that is not within its time; the
// fallback. Without a name the same is done with the address that the client reached. The fallback is the
// certificate of the configured name, else the first one loaded (one within its time first), else the
// self-signed one. After clear() it is the self-signed one for every name until load().
#pragma once

#include "base/published.h"
#include "tls/certificate_problem.h"
#include "tls/certificate_watch.h"
#include "tls/credential.h"
#include "tls/credential_loader.h"
#include "tls/credential_table.h"
#include "tls/leaf_cache.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace saker::tls {

class CertificateStore final : public CredentialSource {
public:
    struct Options {
        std::string folder;                     ///< CertDir; "": none
        std::string fallbackName;               ///< "": the first one loaded
        std::string hostName;                   ///< that the self-signed certificate is for
        std::shared_ptr<LeafCache> development; ///< null: no development mode
    };
    using Clock = CredentialLoader::Clock;

    CertificateStore(Options options, Report report, Clock clock);

    // ---- for handshakes: any thread, never waits for a load ----
    CredentialChoice find(std::string_view serverName, const loop::SocketAddress& local) override;

    // ---- any thread but a loop's; one after the other ----

    struct Listed {
        CertificateInfo info;
        std::string file;
        bool isOutdated = false; ///< the file has changed and cannot be used
        bool isExpired = false;
        bool isNotYetValid = false;
    };
    struct Listing {
        std::vector<Listed> certificates;
        std::vector<CertificateProblem> problems;
        CertificateInfo fallback;
        bool isFallbackSelfSigned = false; ///< made by the server itself
        bool isCleared = false;
    };
    Listing list() const;
    /// Reads the folder; also ends clear(). What has not changed since the last load keeps its identity.
    Listing load();
    void clear();
    /// Other options from now on, and a load().
    void configure(Options options);
    /// As load(), but leaves a cleared store cleared. Says what to watch and when to come again.
    CertificateWatch::Next refresh();

private:
    struct State {
        CredentialTable table;
        CredentialChoice fallback;
        std::shared_ptr<LeafCache> development; ///< null: off, or cleared
    };

    CertificateWatch::Next loadLocked();
    void publishLocked();
    void reportLocked();
    CredentialChoice selfSignedLocked();
    Listing listLocked() const;
    std::int64_t nowSeconds() const;

    const Report report_;
    const Clock clock_;
    Published<State> state_;

    mutable std::mutex mutex_; // all below
    Options options_;
    CredentialLoader loader_;
    CredentialLoader::Outcome outcome_;
    std::vector<CertificateProblem> problems_; // of the outcome, and what time has added
    std::vector<CertificateProblem> reported_;
    std::shared_ptr<const Credential> selfSigned_;
    CredentialChoice fallback_;
    bool cleared_ = false;
};

} // namespace saker::tls
