// Everything about certificates that the engine owns: the store with its watch, the local authority in
// development mode, the trust stores of this machine. The TLS transport takes source() and needs to know
// nothing else. Functions are called from any thread but a loop's, one at a time.
#pragma once

#include "control/server/engine_services.h"
#include "tls/certificate_options.h"
#include "tls/certificate_store.h"
#include "tls/certificate_watch.h"
#include "tls/trust_store.h"

#include <memory>
#include <string>
#include <vector>

namespace saker::host {

class Certificates {
public:
    /// `dataFolder`: where the local authority is kept.
    Certificates(const tls::CertificateOptions& options, std::string dataFolder);
    /// Stops the watch.
    ~Certificates();

    /// Loads what there is, so that handshakes find it; changes on the disk are not seen yet. Before rights
    /// are given up: keys are often for root only.
    void load();
    /// Starts to watch the disk.
    void start();
    /// Other options from now on; live connections keep what they have.
    void configure(const tls::CertificateOptions& options);

    /// For handshakes. Lives as long as this object.
    tls::CredentialSource& source() { return store_; }

    // ---- for the console ----
    control::CertificateList list() const;
    control::CertificateList reload();
    void clear();
    Result<control::AuthorityReport> authority() const;
    Result<std::vector<std::string>> changeTrust(bool install, bool onlySay);

private:
    tls::CertificateStore::Options storeOptions(const tls::CertificateOptions& options);

    const std::string authorityFolder_;
    std::shared_ptr<tls::LeafCache> development_; // null: off, or no authority could be had
    bool developmentMode_ = false;
    tls::CertificateStore store_;
    std::unique_ptr<tls::CertificateWatch> watch_;
};

} // namespace saker::host
