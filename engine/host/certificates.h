// Everything about certificates that the engine owns: the store with its watch, the local authority in
// development mode, the trust stores of this machine. What speaks TLS takes source() and needs to know
// nothing else. Functions are called from any thread but a loop's.
#pragma once

#include "control/server/engine_services.h"
#include "tls/certificate_options.h"
#include "tls/certificate_store.h"
#include "tls/certificate_watch.h"
#include "tls/trust_store.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace saker::host {

class Certificates {
public:
    /// `dataFolder`: where the local authority is kept, made when it is needed; "": there is no such place.
    explicit Certificates(std::string dataFolder);
    /// Stops the watch.
    ~Certificates();

    /// Loads what there is by these options, from now on; live connections keep what they have. `isUsed`: TLS
    /// is listened for. Else nothing is loaded, and no local authority is made.
    void configure(const tls::CertificateOptions& options, bool isUsed);
    /// Watches the disk from now on. Once; not before rights are given up, as it starts a thread.
    void watch();

    /// For handshakes. Lives as long as this object.
    tls::CredentialSource& source() { return store_; }

    // ---- for the console ----

    control::CertificateList list() const;
    control::CertificateList load();
    void clear();
    Result<control::AuthorityReport> authority() const;
    Result<std::vector<std::string>> changeTrust(bool install, bool onlySay) const;

private:
    std::shared_ptr<tls::LeafCache> developmentFor(bool isOn);
    Result<tls::X509Ptr> authorityCertificate() const;
    control::CertificateList listOf(const tls::CertificateStore::Listing& listing) const;
    std::shared_ptr<tls::LeafCache> development() const;

    const std::string dataFolder_;
    const std::string hostName_;
    tls::CertificateStore store_;
    std::unique_ptr<tls::CertificateWatch> watch_;

    mutable std::mutex mutex_;                    // all below
    std::shared_ptr<tls::LeafCache> development_; // null: off, or there is no authority
    bool isUsed_ = false;
    bool isDevelopment_ = false;
};

} // namespace saker::host
