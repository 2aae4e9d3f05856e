#include "observe/loop_counters.h"

#include <numeric>

namespace saker::observe {

const char* handlerKindName(HandlerKind kind) {
    switch (kind) {
    case HandlerKind::staticFile:
        return "static_file";
    case HandlerKind::directoryListing:
        return "directory_listing";
    case HandlerKind::redirect:
        return "redirect";
    case HandlerKind::errorPage:
        return "error_page";
    case HandlerKind::fastCgi:
        return "fast_cgi";
    case HandlerKind::proxy:
        return "proxy";
    case HandlerKind::dotnet:
        return "dotnet";
    case HandlerKind::wasm:
        return "wasm";
    case HandlerKind::builtIn:
    case HandlerKind::count_:
        break;
    }
    return "built_in";
}

const char* http2FloodName(Http2Flood kind) {
    switch (kind) {
    case Http2Flood::resets:
        return "rapid_reset";
    case Http2Flood::continuations:
        return "continuation";
    case Http2Flood::settings:
        return "settings";
    case Http2Flood::pings:
        return "ping";
    case Http2Flood::emptyFrames:
        return "empty_data";
    case Http2Flood::priorities:
        return "priority";
    case Http2Flood::windowUpdates:
        return "window_update";
    case Http2Flood::headerBombs:
        return "header_bomb";
    case Http2Flood::unreadReplies:
        return "unread_replies";
    case Http2Flood::badRequests:
    case Http2Flood::count_:
        break;
    }
    return "bad_request";
}

std::uint64_t CounterTotals::requests() const {
    return std::accumulate(byStatusClass.begin(), byStatusClass.end(), std::uint64_t{0});
}

CounterTotals& CounterTotals::operator+=(const CounterTotals& other) {
    for (std::size_t i = 0; i < byStatusClass.size(); ++i) {
        byStatusClass[i] += other.byStatusClass[i];
    }
    for (std::size_t i = 0; i < byHandler.size(); ++i) {
        byHandler[i] += other.byHandler[i];
    }
    bytesReceived += other.bytesReceived;
    bytesSent += other.bytesSent;
    connectionsOpened += other.connectionsOpened;
    connectionsClosed += other.connectionsClosed;
    connectionsRejected += other.connectionsRejected;
    requestsRejected += other.requestsRejected;
    timeouts += other.timeouts;
    slowClients += other.slowClients;
    tunnelsOpened += other.tunnelsOpened;
    tunnelsClosed += other.tunnelsClosed;
    for (std::size_t i = 0; i < http2Floods.size(); ++i) {
        http2Floods[i] += other.http2Floods[i];
    }
    for (std::size_t i = 0; i < tlsHandshakes.size(); ++i) {
        tlsHandshakes[i] += other.tlsHandshakes[i];
    }
    tlsResumed += other.tlsResumed;
    tlsFailed += other.tlsFailed;
    tlsLimited += other.tlsLimited;
    plainOnTlsPort += other.plainOnTlsPort;
    return *this;
}

CounterTotals LoopCounters::read() const {
    CounterTotals totals;
    for (std::size_t i = 0; i < byStatusClass_.size(); ++i) {
        totals.byStatusClass[i] = byStatusClass_[i].read();
    }
    for (std::size_t i = 0; i < byHandler_.size(); ++i) {
        totals.byHandler[i] = byHandler_[i].read();
    }
    totals.bytesReceived = bytesReceived_.read();
    totals.bytesSent = bytesSent_.read();
    totals.connectionsOpened = connectionsOpened_.read();
    totals.connectionsClosed = connectionsClosed_.read();
    totals.connectionsRejected = connectionsRejected_.read();
    totals.requestsRejected = requestsRejected_.read();
    totals.timeouts = timeouts_.read();
    totals.slowClients = slowClients_.read();
    totals.tunnelsClosed = tunnelsClosed_.read(); // first: none is closed that was not opened
    totals.tunnelsOpened = tunnelsOpened_.read();
    for (std::size_t i = 0; i < http2Floods_.size(); ++i) {
        totals.http2Floods[i] = http2Floods_[i].read();
    }
    for (std::size_t i = 0; i < tlsHandshakes_.size(); ++i) {
        totals.tlsHandshakes[i] = tlsHandshakes_[i].read();
    }
    totals.tlsResumed = tlsResumed_.read();
    totals.tlsFailed = tlsFailed_.read();
    totals.tlsLimited = tlsLimited_.read();
    totals.plainOnTlsPort = plainOnTlsPort_.read();
    return totals;
}

void LoopCounters::addLatency(LatencyCounts& counts) const {
    if (histogram_) {
        histogram_->addTo(counts);
    }
}

void LoopCounters::setDetailed(bool on) {
    if (on && !histogram_) {
        histogram_ = std::make_unique<LatencyHistogram>();
    }
    latency_.store(on ? histogram_.get() : nullptr, std::memory_order_release);
}

} // namespace saker::observe
