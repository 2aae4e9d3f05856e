// What the HTTP connections of one loop share: the current settings, counters, the Date text, scratch space,
// and the list of connections for shutdown. One per loop; everything on the loop's thread unless it says
// otherwise.
#pragma once

#include "base/buffer_chain.h"
#include "http/connection_settings.h"
#include "http/date_cache.h"
#include "http/request_wait.h"
#include "http/slow_clients.h"
#include "loop/event_loop.h"
#include "observe/access_log.h"
#include "observe/loop_counters.h"

#include <atomic>
#include <cstdint>
#include <string_view>

namespace saker::net {
class Transport;
}

namespace saker::http {

class H1Exchange;

/// A connection in the loop's list.
class ConnectionNode {
public:
    /// Idle: close now. Busy: finish what is under way, then close.
    virtual void drain() = 0;
    /// Close now, whatever is under way.
    virtual void abort() = 0;

protected:
    ConnectionNode() = default;
    ~ConnectionNode() = default;

private:
    friend class LoopContext;
    ConnectionNode* next_ = nullptr;
    ConnectionNode* previous_ = nullptr;
};

class LoopContext {
public:
    /// `connections`: open connections of all loops together, kept up to date here.
    LoopContext(loop::EventLoop& loop, observe::LoopCounters& counters, SlowClients& slowClients,
                std::atomic<std::uint64_t>& connections);
    ~LoopContext();
    LoopContext(const LoopContext&) = delete;
    LoopContext& operator=(const LoopContext&) = delete;

    loop::EventLoop& loop() const { return loop_; }
    observe::LoopCounters& counters() const { return counters_; }
    SlowClients& slowClients() const { return slowClients_; }
    const ConnectionSettings& settings() const { return *settings_; }
    Ref<ConnectionSettings> settingsRef() const { return settings_; }
    void setSettings(Ref<ConnectionSettings> settings) {
        settings_ = std::move(settings);
        limits_ = settings_->limits;
    }
    /// The settings' limits at an address that stays: parsers keep it across a reload.
    const RequestLimits& limits() const { return limits_; }
    /// Null: no access log.
    observe::AccessLog::Channel* accessLog() const { return accessLog_; }
    void setAccessLog(observe::AccessLog::Channel* log) { accessLog_ = log; }

    /// A client is cut off because it was too slow: counted, and turned away for a while if that is wanted.
    void onSlowClient(const loop::SocketAddress& client);

    const DateCache& date();
    BufferChain& scratch() { return scratch_; }

    /// The exchange that the next request is parsed into. takeSpare() gives it to whoever outlives the
    /// callback.
    H1Exchange& spare();
    Ref<H1Exchange> takeSpare();

    /// Reads files that are not in memory; null: the loop does it.
    loop::WorkerPool* workers() const { return workers_; }
    void setWorkers(loop::WorkerPool* workers) { workers_ = workers; }

    /// Takes over a transport, and `before`'s place in the list, whose client began with HTTP/2's preface
    /// (RFC 9113, section 3.4); `received`: all bytes so far. Null: HTTP/2 is not spoken.
    using Http2Starter = void (*)(net::Transport& transport, LoopContext& context, ConnectionNode& before,
                                  std::string_view received);
    Http2Starter http2Starter() const { return http2Starter_; }
    void setHttp2Starter(Http2Starter starter) { http2Starter_ = starter; }

    /// What the HTTP/2 connections of this loop share; theirs alone.
    Ref<RefCounted> http2;

    void add(ConnectionNode& connection);
    /// Another protocol goes on with the same client.
    void replace(ConnectionNode& connection, ConnectionNode& successor);
    void remove(ConnectionNode& connection);
    std::size_t connectionCount() const { return count_; }
    /// From now on connections end with their current exchange.
    void drain();
    void abortAll();
    bool isDraining() const { return draining_; }
    /// For a client that has to send a request. A shutdown waits for nobody who says nothing: a client that
    /// was on its way when it began has a second.
    WaitLimits waitLimits() const {
        const std::uint64_t head = settings_->headTimeout;
        return {draining_ && (head == 0 || head > kDrainPatienceMs) ? kDrainPatienceMs : head,
                settings_->keepAliveTimeout};
    }

private:
    static constexpr std::uint64_t kDrainPatienceMs = 1000;

    loop::EventLoop& loop_;
    observe::LoopCounters& counters_;
    SlowClients& slowClients_;
    std::atomic<std::uint64_t>& connections_;
    Ref<ConnectionSettings> settings_;
    RequestLimits limits_;
    observe::AccessLog::Channel* accessLog_ = nullptr;
    loop::WorkerPool* workers_ = nullptr;
    Http2Starter http2Starter_ = nullptr;
    DateCache date_;
    std::uint64_t dateTurn_ = ~std::uint64_t{0};
    BufferChain scratch_;
    Ref<H1Exchange> spare_;
    ConnectionNode* first_ = nullptr;
    std::size_t count_ = 0;
    bool draining_ = false;
};

} // namespace saker::http
