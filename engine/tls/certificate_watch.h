// Has certificates looked at again when something changes on the disk, and when time has come. One thread of
// its own, on which the looking (which blocks) is done as well. Where the system cannot tell about changes,
// it looks every second.
#pragma once

#include "tls/certificate_problem.h"
#include "tls/watched_folder.h"

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

namespace saker::tls {

class CertificateWatch {
public:
    /// What one look found out about the next one.
    struct Next {
        std::vector<WatchedFolder> folders;     ///< whose changes call for it
        std::chrono::milliseconds lookAgain{0}; ///< at the latest after so long
    };
    /// On the watch's thread.
    using Look = std::function<Next()>;

    struct Options {
        std::chrono::milliseconds quiet{50};       ///< a look waits until nothing has changed for so long,
        std::chrono::milliseconds patience{300};   ///< but never longer than that
        std::chrono::milliseconds pollEvery{1000}; ///< without means to watch
    };

    CertificateWatch(Options options, Look look, Report report);
    CertificateWatch(const CertificateWatch&) = delete;
    CertificateWatch& operator=(const CertificateWatch&) = delete;
    /// Waits for a look under way.
    ~CertificateWatch();

    /// Any thread: look now (the folders may be others by now).
    void wake();

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace saker::tls
