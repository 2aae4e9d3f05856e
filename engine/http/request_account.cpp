#include "http/request_account.h"

#include <algorithm>
#include <chrono>

namespace saker::http {

namespace {

std::uint64_t nowMicros() {
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(
                                          std::chrono::steady_clock::now().time_since_epoch())
                                          .count());
}

std::int64_t nowUnixMillis() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

void writeAccessLog(observe::AccessLog::Channel& log, const Exchange& exchange, const Tally& tally,
                    std::uint64_t micros, const net::Transport& transport) {
    const RequestHead& head = exchange.request();
    const std::string client = exchange.client().host();
    observe::AccessRecord record;
    record.unixMillis = nowUnixMillis() - static_cast<std::int64_t>(micros / 1000);
    record.client = client;
    record.host = head.authority();
    record.site = exchange.account.site;
    record.port = transport.local().port;
    record.scheme = exchange.isClientEncrypted() ? "https" : "http";
    record.method = head.methodText();
    record.target = head.target();
    record.version = head.versionText();
    record.status = static_cast<unsigned>(tally.status);
    record.bytes = tally.bodyBytes;
    record.durationMicros = micros;
    record.referer = head.get(FieldName::referer);
    record.userAgent = head.get(FieldName::userAgent);
    log.record(record);
}

} // namespace

Tally Tally::start(const LoopContext& context) {
    Tally tally;
    if (context.settings().measureTime || context.counters().isDetailed()) {
        tally.startMicros = nowMicros();
    }
    return tally;
}

void Tally::setAnswered() {
    answeredMicros = startMicros != 0 ? nowMicros() : 0;
}

void Tally::takeBack(std::uint64_t unsent) {
    bytes -= std::min(unsent, bytes);
    bodyBytes -= std::min(unsent, bodyBytes);
}

void accountFor(const Exchange& exchange, const Tally& tally, const net::Transport& transport,
                LoopContext& context) {
    observe::LoopCounters& counters = context.counters();
    const auto status = static_cast<unsigned>(tally.status);
    const std::uint64_t micros = tally.startMicros != 0 ? nowMicros() - tally.startMicros : 0;
    const std::uint64_t latency =
        tally.answeredMicros != 0 ? tally.answeredMicros - tally.startMicros : micros;
    counters.onRequest(status, tally.bytes, latency);
    counters.onHandled(exchange.account.handler);
    if (exchange.account.metrics && counters.isDetailed()) {
        exchange.account.metrics->onRequest(counters, status, tally.received, tally.bytes, latency);
    }
    observe::AccessLog::Channel* log =
        exchange.account.hasOwnLog ? exchange.account.log : context.accessLog();
    if (log) {
        writeAccessLog(*log, exchange, tally, micros, transport);
    }
}

} // namespace saker::http
