// What a command may ask of the running engine. The commands (stdin console, later the control socket) know
// the engine by this interface only; the host implements it. Every function may be called from any thread,
// one call at a time per caller, and blocks until the answer is there; none is called on an event loop.
#pragma once

#include "base/result.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace saker::control {

/// How the engine ends.
enum class StopMode : std::uint8_t {
    graceful, ///< no new connections; requests under way finish within a short time limit
    drain,    ///< the same without a limit: waits until the last request is done
    now,      ///< at once
};

/// What a reload did. A reload that could not be carried out at all is an Error instead, and nothing has
/// changed.
struct ReloadReport {
    std::vector<std::string> applied;      ///< keys whose new values are in force
    std::vector<std::string> needsRestart; ///< keys whose new values take effect with the next start only
    std::vector<std::string> keptSites;    ///< "example.com: reason": sites that keep their last good version
    std::vector<std::string> warnings;     ///< unknown keys and the like
};

/// What an indexing run found.
struct IndexReport {
    std::string folder; ///< full path of what was indexed
    std::uint64_t files = 0;
    std::uint64_t directories = 0;
};

/// Numbers of one moment, merged over all loops.
struct StatsSnapshot {
    bool detailed = false;                        ///< ServerMetrics is on: the request lines are shown too
    std::uint64_t requests = 0;                   ///< since start-up
    double perSecond = 0;                         ///< requests, over the last second
    double perMinute = 0;                         ///< requests, over the last minute (sliding)
    double perHour = 0;                           ///< requests, over the last hour (sliding)
    std::array<std::uint64_t, 5> statusClasses{}; ///< answers by class: 1xx, 2xx, 3xx, 4xx, 5xx
    std::uint64_t bytesReceived = 0;
    std::uint64_t bytesSent = 0;
    std::uint64_t connections = 0;         ///< open now
    std::uint64_t connectionsAccepted = 0; ///< since start-up
    std::uint64_t webSockets = 0;          ///< open now
    std::uint64_t webSocketsOpened = 0;    ///< since start-up
    std::uint64_t tlsHandshakes = 0;       ///< done since start-up, those of the next line included
    std::uint64_t tlsResumed = 0;          ///< without a full handshake
    std::uint64_t tlsOld = 0;              ///< with TLS 1.0 or 1.1
    std::uint64_t tls12 = 0;
    std::uint64_t tls13 = 0;
    std::uint64_t tlsFailed = 0;
    std::uint64_t tlsLimited = 0;     ///< turned away: too many from one address
    std::uint64_t plainOnTlsPort = 0; ///< plain HTTP requests to an HTTPS port
    /// HTTP/2 connections ended for a flood: its kind ("ping") and how many; kinds that there were.
    std::vector<std::pair<std::string, std::uint64_t>> http2Floods;
    std::uint64_t memoryBytes = 0; ///< resident memory of the process
    double cpuPercent = 0;         ///< of one core: 200 is two cores busy
    std::uint64_t indexedFiles = 0;
    std::chrono::seconds uptime{0};
};

/// The certificates in use.
struct CertificateList {
    struct Entry {
        std::vector<std::string> names; ///< domains and addresses, for people
        std::string key;                ///< "ECDSA 256", "RSA 2048"
        std::string issuer;
        std::int64_t daysLeft = 0; ///< negative: expired
        std::string state;         ///< "", or what is odd: "expired", "not valid yet", "file cannot be used"
        std::string file;
    };
    std::vector<Entry> certificates;
    std::vector<std::string> problems; ///< full sentences
    std::string fallback;              ///< what clients get that ask for another name, or for none
    std::string development;           ///< what the local authority does; empty: development mode is off
};

/// The local certificate authority and who trusts it.
struct AuthorityReport {
    std::string subject;
    std::string fingerprint; ///< SHA-256, hexadecimal
    std::string file;        ///< its public part: what other machines and phones are given
    std::int64_t daysLeft = 0;
    std::vector<std::string> names; ///< what it may vouch for: "localhost", "*.test"
    struct Store {
        std::string name;
        std::string state;
    };
    std::vector<Store> stores;
    std::vector<std::string> notes; ///< stores that cannot be looked into, and why
};

class EngineServices {
public:
    virtual ~EngineServices() = default;

    // ---- the file index ----

    /// Calls for every indexed file whose full path contains `search` ("" for all), in an undefined order,
    /// until the visitor returns false. The view is valid during the call only.
    virtual void listFiles(std::string_view search,
                           const std::function<bool(std::string_view fullPath)>& visit) = 0;
    virtual std::uint64_t countFiles(std::string_view search) = 0;
    /// The full path of a folder below the served root, given relative to it ("" for the root); notFound
    /// where there is none or where the path leads out of the root.
    virtual Result<std::string> indexFolder(std::string_view sub) = 0;
    /// Reads everything below `sub` again.
    virtual Result<IndexReport> indexFiles(std::string_view sub) = 0;
    /// Reads one level of `sub` again: its files, and which sub-folders there are.
    virtual Result<IndexReport> indexOneLevel(std::string_view sub) = 0;

    // ---- configuration and life ----

    /// Reads the configuration again and applies it as a transaction.
    virtual Result<ReloadReport> reload() = 0;
    /// Asks for the end, or for a stop followed by a fresh start; returns at once.
    virtual void shutdown(StopMode mode) = 0;
    virtual void restart() = 0;

    // ---- numbers ----

    /// Measures the CPU over `window` (blocks for so long; 0: since the last call).
    virtual StatsSnapshot stats(std::chrono::milliseconds window) = 0;
    /// Gives back memory that is not needed: caches are trimmed, free heap returned. Bytes freed of the
    /// resident size.
    virtual std::uint64_t collectGarbage() = 0;

    // ---- certificates ----

    virtual CertificateList certificates() = 0;
    /// Handshakes get a self-signed certificate until loadCertificates().
    virtual void clearCertificates() = 0;
    /// Reads CertDir again; what has not changed there stays as it is.
    virtual Result<CertificateList> loadCertificates() = 0;

    // ---- the local certificate authority ----

    /// notFound where none has been made: development mode was never on.
    virtual Result<AuthorityReport> authority() = 0;
    /// Makes the machine's trust stores believe the local authority, or not any more: a line for each step
    /// and for what could not be done. `onlySay`: nothing is done.
    virtual Result<std::vector<std::string>> changeTrust(bool install, bool onlySay) = 0;
};

} // namespace saker::control
