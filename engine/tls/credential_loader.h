// Loads the credentials of a certificate folder, again and again: what has not changed on the disk is neither
// read nor parsed anew and stays the same object. A pair that has become bad keeps its last good version; one
// that looks half-written gets some time. One thread at a time; blocks, so never on a loop.
#pragma once

#include "tls/certificate_problem.h"
#include "tls/credential.h"
#include "tls/credential_files.h"
#include "tls/watched_folder.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace saker::tls {

class CredentialLoader {
public:
    /// Nanoseconds since 1970, on the clock of file times.
    using Clock = std::function<std::int64_t()>;
    explicit CredentialLoader(Clock clock);
    ~CredentialLoader();

    struct Loaded {
        std::shared_ptr<const Credential> credential;
        std::string file;        ///< the certificate's or PKCS#12 file
        bool isOutdated = false; ///< the file holds something else by now, which cannot be used
    };
    struct Outcome {
        std::vector<Loaded> loaded; ///< in the order of folders and names
        std::vector<CertificateProblem> problems;
        std::vector<WatchedFolder> watch;
        bool lookAgainSoon = false; ///< something is being written, or may have been gone for a moment only
    };
    Outcome load(const std::string& folder);
    /// Lets go of everything: the next load() begins anew.
    void forget();

private:
    struct Source;

    const Clock clock_;
    std::map<std::string, std::unique_ptr<Source>> sources_; // by CredentialFiles::main()
};

} // namespace saker::tls
