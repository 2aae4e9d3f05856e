// What one event loop counts. The loop's thread writes, any thread reads (Metrics merges); a request costs
// one cache line, with detailed metrics two or three more.
#pragma once

#include "observe/cell.h"
#include "observe/latency_histogram.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace saker::observe {

/// Who answered a request.
enum class HandlerKind : std::uint8_t {
    staticFile,
    directoryListing,
    redirect,
    errorPage,
    fastCgi,
    proxy,
    dotnet,
    wasm,
    builtIn, ///< status page, OPTIONS, challenge files and the like
    count_,
};
/// "static_file", "fast_cgi": the name in results and metric labels.
const char* handlerKindName(HandlerKind kind);

/// What an HTTP/2 connection was ended for: frames that cost their sender little.
enum class Http2Flood : std::uint8_t {
    resets,        ///< streams begun and reset (CVE-2023-44487), or made to be reset by the server
    continuations, ///< a head in too many frames (CVE-2024-28182)
    settings,
    pings,
    emptyFrames, ///< DATA without bytes that does not end its stream
    priorities,
    windowUpdates,
    headerBombs,   ///< a head that is far larger than allowed once it is decompressed
    unreadReplies, ///< acknowledgements that the client makes necessary and does not read
    badRequests,   ///< requests that break a rule
    count_,
};
/// "rapid_reset", "ping": the name in results and metric labels.
const char* http2FloodName(Http2Flood kind);

/// Sums of counters: of one loop, or merged over all of them.
struct CounterTotals {
    std::array<std::uint64_t, 5> byStatusClass{}; ///< [0] is 1xx … [4] is 5xx
    std::uint64_t bytesReceived = 0;
    std::uint64_t bytesSent = 0;
    std::uint64_t connectionsOpened = 0;
    std::uint64_t connectionsClosed = 0;
    std::uint64_t connectionsRejected = 0; ///< turned away by a limit before a request was read
    std::uint64_t requestsRejected = 0;    ///< refused by the protocol layer (http::Rejection)
    std::uint64_t timeouts = 0;            ///< headers, request or keep-alive with bytes outstanding
    std::uint64_t slowClients = 0;         ///< cut off below the minimum rate
    std::uint64_t tunnelsOpened = 0;       ///< WebSockets: exchanges that left HTTP behind
    std::uint64_t tunnelsClosed = 0;
    /// HTTP/2 connections ended for a flood.
    std::array<std::uint64_t, static_cast<std::size_t>(Http2Flood::count_)> http2Floods{};
    std::array<std::uint64_t, 3> tlsHandshakes{}; ///< done, by version: TLS 1.0 and 1.1, 1.2, 1.3
    std::uint64_t tlsResumed = 0;                 ///< of these: without a full handshake
    std::uint64_t tlsFailed = 0;                  ///< begun and not done
    std::uint64_t tlsLimited = 0;                 ///< turned away, as their address had too many
    std::uint64_t plainOnTlsPort = 0;             ///< plain HTTP requests to a TLS port
    std::array<std::uint64_t, static_cast<std::size_t>(HandlerKind::count_)> byHandler{};

    std::uint64_t requests() const;
    std::uint64_t connectionsActive() const {
        return connectionsOpened > connectionsClosed ? connectionsOpened - connectionsClosed : 0;
    }
    std::uint64_t tunnelsActive() const {
        return tunnelsOpened > tunnelsClosed ? tunnelsOpened - tunnelsClosed : 0;
    }
    CounterTotals& operator+=(const CounterTotals& other);
};

/// The index of a status in byStatusClass; what is out of range counts as the nearest class.
constexpr std::size_t statusClassIndex(unsigned status) {
    unsigned hundreds = status / 100;
    return hundreds <= 1 ? 0 : hundreds >= 5 ? 4 : hundreds - 1;
}

/// Made by Metrics::addLoop().
class alignas(64) LoopCounters {
public:
    explicit LoopCounters(std::size_t index) : index_(index) {}
    LoopCounters(const LoopCounters&) = delete;
    LoopCounters& operator=(const LoopCounters&) = delete;

    /// A request has been answered: once, at its end.
    void onRequest(unsigned status, std::uint64_t bytesSent, std::uint64_t durationMicros) {
        byStatusClass_[statusClassIndex(status)].add(1);
        bytesSent_.add(bytesSent);
        if (LatencyHistogram* latency = latency_.load(std::memory_order_acquire)) {
            latency->record(durationMicros);
        }
    }
    void onHandled(HandlerKind kind) { byHandler_[static_cast<std::size_t>(kind)].add(1); }
    void onBytesReceived(std::uint64_t bytes) { bytesReceived_.add(bytes); }
    /// Bytes that belong to no answered request: tunnels, refusals, broken answers.
    void onBytesSent(std::uint64_t bytes) { bytesSent_.add(bytes); }
    void onConnectionOpened() { connectionsOpened_.add(1); }
    void onConnectionClosed() { connectionsClosed_.add(1); }
    void onConnectionRejected() { connectionsRejected_.add(1); }
    void onRequestRejected() { requestsRejected_.add(1); }
    void onTimeout() { timeouts_.add(1); }
    void onSlowClient() { slowClients_.add(1); }
    void onTunnelOpened() { tunnelsOpened_.add(1); }
    void onTunnelClosed() { tunnelsClosed_.add(1); }
    void onHttp2Flood(Http2Flood kind) { http2Floods_[static_cast<std::size_t>(kind)].add(1); }
    /// `version`: as it is on the wire, 0x0304 for TLS 1.3.
    void onTlsHandshake(int version, bool isResumed) {
        tlsHandshakes_[version >= 0x0304 ? 2 : version == 0x0303 ? 1 : 0].add(1);
        if (isResumed) {
            tlsResumed_.add(1);
        }
    }
    void onTlsFailed() { tlsFailed_.add(1); }
    void onTlsLimited() { tlsLimited_.add(1); }
    void onPlainOnTlsPort() { plainOnTlsPort_.add(1); }

    /// This loop's place in SiteMetrics.
    std::size_t index() const { return index_; }
    /// Whether durations are worth measuring (ServerMetrics).
    bool isDetailed() const { return latency_.load(std::memory_order_relaxed) != nullptr; }

    /// Any thread.
    CounterTotals read() const;
    /// Any thread: also what was recorded before the histogram was switched off.
    void addLatency(LatencyCounts& counts) const;
    /// One thread at a time (Metrics, under its lock); the loop may be recording.
    void setDetailed(bool on);

private:
    // First line: all that a plain request touches.
    std::array<Cell, 5> byStatusClass_;
    Cell bytesSent_;
    Cell bytesReceived_;
    std::atomic<LatencyHistogram*> latency_{nullptr}; // null: off
    // Second line and on.
    std::array<Cell, static_cast<std::size_t>(HandlerKind::count_)> byHandler_;
    Cell connectionsOpened_;
    Cell connectionsClosed_;
    Cell connectionsRejected_;
    Cell requestsRejected_;
    Cell timeouts_;
    Cell slowClients_;
    Cell tunnelsOpened_;
    Cell tunnelsClosed_;
    std::array<Cell, static_cast<std::size_t>(Http2Flood::count_)> http2Floods_;
    std::array<Cell, 3> tlsHandshakes_;
    Cell tlsResumed_;
    Cell tlsFailed_;
    Cell tlsLimited_;
    Cell plainOnTlsPort_;
    std::size_t index_;
    std::unique_ptr<LatencyHistogram> histogram_; // made once, kept: the loop may hold the pointer
};

} // namespace saker::observe
