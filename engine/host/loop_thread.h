// One event loop with its thread: the listeners on it, the connections they bring, and its share of the
// current configuration. The engine talks to it by call(), which runs on the loop.
#pragma once

#include "handlers/static_files/static_file_handler.h"
#include "host/php_service.h"
#include "host/runtime.h"
#include "http/loop_context.h"
#include "loop/event_loop.h"
#include "loop/worker_pool.h"
#include "net/listener.h"
#include "observe/access_log.h"
#include "observe/metrics.h"
#include "observe/repeat_limit.h"
#include "routing/quiescence.h"
#include "tls/tls_transport.h"
#include "upstream/pool_table.h"

#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace saker::host {

/// What all loops share; outlives them.
struct LoopShared {
    observe::Metrics& metrics;
    static_files::ContentStore& store;
    loop::WorkerPool& workers;
    http::SlowClients slowClients;
    std::atomic<std::uint64_t> connections{0};    ///< open, on all loops
    std::atomic<std::uint64_t> maxConnections{0}; ///< 0: no limit
    std::size_t loopCount = 1;
    upstream::UpstreamLoads upstreams;
    const PhpService& php;
    upstream::TunnelLimit tunnels;

    LoopShared(observe::Metrics& metrics, static_files::ContentStore& store, loop::WorkerPool& workers,
               const PhpService& php)
        : metrics(metrics), store(store), workers(workers), php(php) {}
};

class LoopThread final : private net::ListenerUser, private tls::TlsAcceptor {
public:
    static Result<std::unique_ptr<LoopThread>> create(const loop::LoopOptions& options, LoopShared& shared);
    /// REQUIRES: stopped, or never started.
    ~LoopThread();

    void start();
    /// Runs the function on the loop and waits for it.
    void call(std::function<void()> function);
    /// Ends the loop's thread; what is still open is closed hard.
    void stop();

    // ---- on the loop's thread ----

    /// New exchanges belong to this configuration from now on.
    void apply(std::shared_ptr<const Runtime> runtime);
    Result<void> listen(net::ListenSocket socket, bool tls = false);
    /// Closes the listener of an address without losing a client.
    void retire(const loop::SocketAddress& address, bool tls, unsigned graceMs);
    void retireAll(unsigned graceMs);
    void drain();
    void abortAll();
    void flushLogs();
    void trimMemory();
    bool isEmpty() const {
        return listeners_.empty() && context_.connectionCount() == 0 && tls_.handshakeCount() == 0;
    }

    loop::BackendKind backendKind() const { return loop_->backendKind(); }

private:
    class Readers;
    struct Share; // this loop's share of one Runtime

    LoopThread(std::unique_ptr<loop::EventLoop> loop, LoopShared& shared);

    void onConnection(net::Listener& listener, loop::NativeSocket socket,
                      const loop::SocketAddress& peer) override;
    void onListenerTrouble(net::Listener& listener, int error) override;
    void onListenerClosed(net::Listener& listener) override;
    void onSecured(tls::TlsTransport& transport) override;
    void onUnsecured(tls::TlsTransport& transport) override;

    /// A listener; it owns itself until onListenerClosed.
    struct Listening {
        net::Listener* listener;
        bool tls;
    };
    void turnAway(net::Transport& transport, const loop::SocketAddress& peer, bool tls, std::uint64_t limit);

    std::unique_ptr<loop::EventLoop> loop_;
    LoopShared& shared_;
    observe::LoopCounters& counters_;
    std::unique_ptr<Readers> readers_;
    http::LoopContext context_;
    tls::TlsLoop tls_;
    upstream::PoolTable pools_;
    std::weak_ptr<Share> share_;
    std::vector<Listening> listeners_;
    observe::RepeatLimit troubleLimit_;
    std::thread thread_;
};

} // namespace saker::host
