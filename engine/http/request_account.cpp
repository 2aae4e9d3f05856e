#include "http/request_account.h"

#include <chrono>

namespace saker::http {

namespace {

std::int64_t nowUnixMillis() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

std::string_view versionOf(const RequestHead& head) {
    if (head.majorVersion == 2) {
        return "HTTP/2.0";
    }
    return head.minorVersion == 0 ? "HTTP/1.0" : "HTTP/1.1";
}

void writeAccessLog(observe::AccessLog::Channel& log, const FinishedRequest& request, std::uint64_t micros) {
    const std::string client = request.transport.peer().host();
    observe::AccessRecord record;
    record.unixMillis = nowUnixMillis() - static_cast<std::int64_t>(micros / 1000);
    record.client = client;
    record.host = request.head.authority();
    record.site = request.account.site;
    record.port = request.transport.local().port;
    record.scheme = request.transport.isEncrypted() ? "https" : "http";
    record.method = request.head.methodText();
    record.target = request.head.target();
    record.version = versionOf(request.head);
    record.status = static_cast<unsigned>(request.status);
    record.bytes = request.bodyBytes;
    record.durationMicros = micros;
    record.referer = request.head.get(FieldName::referer);
    record.userAgent = request.head.get(FieldName::userAgent);
    log.record(record);
}

} // namespace

std::uint64_t steadyMicros() {
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(
                                          std::chrono::steady_clock::now().time_since_epoch())
                                          .count());
}

void accountFor(const FinishedRequest& request, LoopContext& context) {
    observe::LoopCounters& counters = context.counters();
    const auto status = static_cast<unsigned>(request.status);
    const std::uint64_t micros = request.startMicros != 0 ? steadyMicros() - request.startMicros : 0;
    counters.onRequest(status, request.bytesSent, micros);
    counters.onHandled(request.account.handler);
    if (request.account.metrics && counters.isDetailed()) {
        request.account.metrics->onRequest(counters, status, request.bytesReceived, request.bytesSent,
                                           micros);
    }
    observe::AccessLog::Channel* log = request.account.hasOwnLog ? request.account.log : context.accessLog();
    if (log) {
        writeAccessLog(*log, request, micros);
    }
}

} // namespace saker::http
