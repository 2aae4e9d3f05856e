// The local certificate authority: vouches for names of development, on this machine or its local network,
// for whoever trusts it (trust_store.h). Made once and kept in the data folder; name-constrained, so that
// trusting it opens no door to the rest of the web.
//
// Two files: saker-local-ca.pem, for everybody to read and to hand on, and saker-local-ca-key.pem, for nobody
// else (mode 0600).
#pragma once

#include "base/result.h"
#include "tls/certificate_builder.h"
#include "tls/certificate_problem.h"
#include "tls/credential.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace saker::tls {

class LocalCa {
public:
    struct Options {
        std::string folder;   ///< made when missing
        std::string hostName; ///< of this machine: permitted as well when it has one label
        std::int64_t now = 0; ///< seconds since 1970
    };

    /// Opens the authority in the folder, or makes one. Files that are damaged, do not belong together or
    /// have expired are renamed aside and reported, and a new authority is made: it has to be trusted anew.
    /// An error where files cannot be read or written. Blocks; not on a loop.
    static Result<std::unique_ptr<LocalCa>> open(const Options& options, const Report& report);
    /// The authority's public part as it is in the folder; notFound where there is none. Makes nothing.
    static Result<X509Ptr> read(const std::string& folder);

    /// What a certificate of an authority permits, for people: "localhost", "*.localhost", "*.test", …
    static std::vector<std::string> namesPermittedBy(const X509& certificate);
    /// Where the public part lies.
    static std::string certificateFileIn(const std::string& folder);

    const X509& certificate() const { return *certificate_; }
    const CertificateInfo& info() const { return info_; }
    /// Full path of the public part.
    const std::string& certificateFile() const { return certificateFile_; }
    /// What it may vouch for: "localhost", "test", …
    const std::vector<std::string>& permittedNames() const { return permittedNames_; }

    /// Whether it may vouch for the name (lower case, A-labels) or address.
    bool permits(std::string_view name) const;
    bool permits(const loop::SocketAddress& address) const;

    /// A new certificate with a key of its own, for one name or address. REQUIRES: permitted. Any thread;
    /// takes a fraction of a millisecond.
    Result<std::shared_ptr<const Credential>> issue(std::string_view name, std::int64_t now) const;
    Result<std::shared_ptr<const Credential>> issue(const loop::SocketAddress& address,
                                                    std::int64_t now) const;

private:
    LocalCa(X509Ptr certificate, KeyPtr key, std::string certificateFile);
    static Result<std::unique_ptr<LocalCa>> make(const Options& options, const std::string& certificateFile,
                                                 const std::string& keyFile);

    Result<std::shared_ptr<const Credential>> sign(const CertificateRequest& request) const;

    X509Ptr certificate_;
    KeyPtr key_;
    CertificateInfo info_;
    std::string certificateFile_;
    std::vector<std::string> permittedNames_;
    std::vector<std::string> excludedNames_; ///< ".a"
};

} // namespace saker::tls
