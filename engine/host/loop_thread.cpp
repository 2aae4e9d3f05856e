#include "host/loop_thread.h"

#include "base/error.h"
#include "base/text.h"
#include "handlers/fastcgi/fastcgi_handler.h"
#include "handlers/proxy/proxy_handler.h"
#include "handlers/proxy/proxy_route.h"
#include "http/h2/h2_connection.h"
#include "http/h2/start_http.h"
#include "http/url.h"
#include "net/tcp_transport.h"
#include "observe/log.h"
#include "tls/tls_connector.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <future>
#include <map>

namespace saker::host {

namespace {
/// Clients that are told of a full server at the same time; more are just cut off.
constexpr std::size_t kMostTurnedAway = 64;
} // namespace

/// The loop's registrations with the indexes it reads. One each, as long as any configuration in use needs
/// it.
class LoopThread::Readers {
public:
    std::shared_ptr<routing::Quiescence::Reader> acquire(const std::shared_ptr<routing::ContentRoot>& root) {
        std::weak_ptr<routing::Quiescence::Reader>& known = byRoot_[root.get()];
        if (auto reader = known.lock()) {
            return reader;
        }
        // The root is captured: an index must outlive its readers.
        readers_.push_back(std::make_unique<routing::Quiescence::Reader>(root->index.quiescence()));
        auto* made = readers_.back().get();
        std::shared_ptr<routing::Quiescence::Reader> reader(
            made, [this, root](routing::Quiescence::Reader* last) { release(last, root.get()); });
        known = reader;
        return reader;
    }
    void quiescent() {
        for (auto& reader : readers_) {
            reader->quiescent();
        }
    }
    void setAsleep(bool asleep) {
        for (auto& reader : readers_) {
            if (asleep) {
                reader->offline();
            } else {
                reader->online();
            }
        }
    }

private:
    void release(routing::Quiescence::Reader* reader, routing::ContentRoot* root) {
        byRoot_.erase(root);
        std::erase_if(readers_, [reader](const auto& mine) { return mine.get() == reader; });
    }

    std::vector<std::unique_ptr<routing::Quiescence::Reader>> readers_;
    std::map<routing::ContentRoot*, std::weak_ptr<routing::Quiescence::Reader>> byRoot_;
};

/// Members in the order of their needs: readers go last.
struct LoopThread::Share {
    Share(loop::EventLoop& loop, std::shared_ptr<const Runtime> runtime,
          static_files::StaticFileHandler::Shared files)
        : runtime(std::move(runtime)), dispatcher(this->runtime->sites, this->runtime->dispatch),
          files(loop, files, dispatcher) {
        dispatcher.setContent(this->files);
    }

    std::shared_ptr<const Runtime> runtime;
    std::vector<std::shared_ptr<routing::Quiescence::Reader>> readers;
    std::vector<std::unique_ptr<observe::AccessLog::Channel>> channels;
    routing::Dispatcher dispatcher;
    static_files::StaticFileHandler files;
    std::vector<std::unique_ptr<routing::ScriptHandler>> scripts;
    std::vector<std::unique_ptr<routing::RouteHandler>> routes;
};

namespace {

/// What answers for one entry of ForwardExt. The pools outlive it, and so does `shared`.
std::unique_ptr<routing::ScriptHandler> makeForward(const EngineOptions& all, const std::string& value,
                                                    upstream::PoolTable& pools, LoopShared& shared,
                                                    routing::ErrorResponder& errors) {
    const upstream::ForwardOptions& options = all.forward;
    using upstream::UpstreamPool;
    using upstream::UpstreamTarget;
    if (equalsIgnoreCase(value, "auto")) {
        constexpr auto kProtocol = UpstreamTarget::Protocol::fastCgi;
        struct Running {
            std::shared_ptr<const php::PhpPool> php;
            Ref<UpstreamPool> pool;
        };
        auto poolOf = [&pools, &service = shared.php, limits = options.poolOptions(kProtocol),
                       running = std::map<std::string, Running>()](
                          const routing::Site& site) mutable -> Result<Ref<UpstreamPool>> {
            Running& one = running[site.rules->phpVersion];
            if (!one.php || one.php->state() >= php::PhpState::failed) { // or stopped
                const auto found = service.pool(site.rules->phpVersion);
                if (!found) {
                    return found.error();
                }
                UpstreamTarget target;
                target.protocol = kProtocol;
                target.path = (*found)->endpoint();
                one = {*found, pools.find(target, limits)};
            }
            return one.pool;
        };
        return std::make_unique<fastcgi::FastCgiHandler>(std::move(poolOf),
                                                         options.exchangeOptions(kProtocol), errors);
    }
    const auto protocol = upstream::forwardTarget(value, "localhost")->protocol;
    auto poolOf = [&pools, value, limits = options.poolOptions(protocol)](const routing::Site& site) {
        // {domain} is a site that exists: no client can choose where its request goes.
        const auto target = upstream::forwardTarget(value, site.name);
        return target ? pools.find(*target, limits) : Ref<UpstreamPool>();
    };
    const upstream::ExchangeOptions exchange = options.exchangeOptions(protocol);
    if (protocol == UpstreamTarget::Protocol::fastCgi) {
        return std::make_unique<fastcgi::FastCgiHandler>(
            [poolOf = std::move(poolOf)](const routing::Site& site) -> Result<Ref<UpstreamPool>> {
                if (Ref<UpstreamPool> pool = poolOf(site)) {
                    return pool;
                }
                return Error{
                    ErrorKind::configuration, "There is no FastCGI server for this site's host.", {}};
            },
            exchange, errors);
    }
    return std::make_unique<proxy::ProxyHandler>(std::move(poolOf), exchange, all.webSockets, shared.tunnels,
                                                 errors);
}

/// TLS for an https:// target. Nobody issues certificates for loopback addresses but who names an issuer.
Result<std::shared_ptr<net::Securer>> makeSecurer(tls::TlsLoop& shared,
                                                  const upstream::UpstreamTarget& target,
                                                  const upstream::SecureOptions& options) {
    const auto endpoint = target.endpoint();
    const bool isHere = target.host == "localhost" || (endpoint && endpoint->address.isLoopback());
    tls::ConnectorOptions connector;
    connector.host = target.host;
    connector.verify = options.verify && (!isHere || !options.caFile.empty());
    connector.caFile = options.caFile;
    connector.certificate = options.certificate;
    connector.key = options.key;
    connector.protocol = "http/1.1";
    auto made = tls::TlsConnector::make(shared, connector);
    if (!made) {
        return made.error();
    }
    return std::shared_ptr<net::Securer>(*made);
}

/// The pools of a route's servers; empty when one of them is none for this site's name.
std::vector<Ref<upstream::UpstreamPool>> poolsOf(const upstream::RouteOptions& route,
                                                 const routing::Site& site, upstream::PoolTable& pools,
                                                 const upstream::SecureOptions& secure) {
    std::vector<Ref<upstream::UpstreamPool>> found;
    for (const upstream::RouteServer& server : route.proxy) {
        const auto target = upstream::forwardTarget(server.url, site.name);
        if (!target) {
            return {};
        }
        found.push_back(pools.find(*target, route.poolOptions(secure)));
    }
    return found;
}

} // namespace

Result<std::unique_ptr<LoopThread>> LoopThread::create(const loop::LoopOptions& options, LoopShared& shared) {
    auto loop = loop::EventLoop::create(options);
    if (!loop) {
        return loop.error();
    }
    return std::unique_ptr<LoopThread>(new LoopThread(std::move(*loop), shared));
}

LoopThread::LoopThread(std::unique_ptr<loop::EventLoop> loop, LoopShared& shared)
    : loop_(std::move(loop)), shared_(shared), counters_(shared.metrics.addLoop()),
      readers_(std::make_unique<Readers>()),
      context_(*loop_, counters_, shared.slowClients, shared.connections),
      tls_(*loop_, counters_, &shared.workers), pools_(*loop_, &shared.workers, shared.upstreams),
      troubleLimit_(std::chrono::seconds(10)) {
    context_.setWorkers(&shared.workers);
    pools_.setSecurer([this](const upstream::UpstreamTarget& target, const upstream::SecureOptions& options) {
        return makeSecurer(tls_, target, options);
    });
    loop_->setTurnHook([this] { readers_->quiescent(); });
    loop_->setSleepHook([this](bool asleep) { readers_->setAsleep(asleep); });
}

LoopThread::~LoopThread() {
    shared_.metrics.removeLoop(counters_);
}

void LoopThread::start() {
    thread_ = std::thread([this] { loop_->run(); });
}

void LoopThread::call(std::function<void()> function) {
    auto done = std::make_shared<std::promise<void>>(); // the loop may still be in set_value() when the
                                                        // waiter goes on
    loop_->post([&function, done] {
        function();
        done->set_value();
    });
    done->get_future().wait();
}

void LoopThread::stop() {
    if (!thread_.joinable()) {
        return;
    }
    // Closing takes turns of the loop: sockets are released in one and reported gone in a later one.
    bool isEmptyNow = false;
    for (int round = 0; round < 100 && !isEmptyNow; ++round) {
        call([&] {
            for (const Listening& one : std::vector<Listening>(listeners_)) {
                one.listener->close();
            }
            tls_.abortAll();
            context_.abortAll();
            pools_.retireAll();
            isEmptyNow = isEmpty() && loop_->socketCount() == 0;
        });
    }
    call([this] {
        tls_.setContext(nullptr);
        context_.setAccessLog(nullptr);
        context_.setSettings(makeRef<http::ConnectionSettings>()); // lets go of the configuration
    });
    loop_->stop();
    thread_.join();
}

void LoopThread::apply(std::shared_ptr<const Runtime> runtime) {
    static_files::StaticFileHandler::Shared files{
        shared_.store, shared_.workers,
        std::max<std::uint64_t>(1 << 20,
                                runtime->options.staticFiles.contentCacheSize / 4 / shared_.loopCount)};
    auto share = std::make_shared<Share>(*loop_, runtime, files);
    for (const auto& root : runtime->roots) {
        share->readers.push_back(readers_->acquire(root));
    }
    for (const auto& [extension, value] : runtime->options.forward.forwardExt) {
        if (std::string lower = toLowerAscii(extension); runtime->options.isRun(lower)) {
            share->scripts.push_back(
                makeForward(runtime->options, value, pools_, shared_, share->dispatcher));
            share->dispatcher.setScript(std::move(lower), *share->scripts.back());
        }
    }
    for (const auto& [key, site] : runtime->configuredSites) {
        std::vector<routing::Dispatcher::Route> routes;
        for (const upstream::RouteOptions& route : site->routes) {
            std::string scratch;
            std::string path(http::normalisePath(route.path, scratch).path);
            share->routes.push_back(std::make_unique<proxy::ProxyRoute>(
                route, poolsOf(route, *site, pools_, runtime->options.forward.secureOptions()),
                route.exchangeOptions(runtime->options.forward.httpProxyTimeout), runtime->options.webSockets,
                shared_.tunnels, share->dispatcher));
            routes.push_back({std::move(path), share->routes.back().get()});
        }
        if (!routes.empty()) {
            share->dispatcher.setRoutes(*site, std::move(routes));
        }
    }
    auto channelOf = [&](const std::shared_ptr<observe::AccessLog>& log) -> observe::AccessLog::Channel* {
        if (!log) {
            return nullptr;
        }
        share->channels.push_back(std::make_unique<observe::AccessLog::Channel>(log));
        return share->channels.back().get();
    };
    observe::AccessLog::Channel* mainLog = channelOf(runtime->accessLog);
    routing::Dispatcher::SiteLogs siteLogs;
    for (const auto& [site, log] : runtime->siteLogs) {
        siteLogs[site] = channelOf(log);
    }
    share->dispatcher.setSiteLogs(std::move(siteLogs));
    flushLogs(); // lines of the configuration before come first
    context_.setAccessLog(mainLog);
    auto settings = makeRef<http::ConnectionSettings>();
    applyHttpOptions(runtime->options.http, *settings);
    settings->takesExtendedConnect = runtime->options.isWebSocketTaken();
    settings->measureTime = !share->channels.empty();
    settings->handler = &share->dispatcher;
    settings->owner = share;
    share_ = share;
    context_.setHttp2Starter(runtime->options.http.http2 ? http::H2Connection::takeOver : nullptr);
    // A handshake looks sites up, which takes the share's readers: it keeps all of that until it is done.
    tls_.setContext(runtime->tls ? std::shared_ptr<const tls::TlsContext>(share, runtime->tls.get())
                                 : nullptr);
    context_.setSettings(std::move(settings));
}

Result<void> LoopThread::listen(net::ListenSocket socket, bool tls) {
    auto listener = net::Listener::open(*loop_, std::move(socket), *this);
    if (!listener) {
        return listener.error();
    }
    listeners_.push_back({*listener, tls});
    return {};
}

void LoopThread::retire(const loop::SocketAddress& address, bool tls, unsigned graceMs) {
    for (const Listening& one : std::vector<Listening>(listeners_)) {
        if (one.tls == tls && one.listener->address() == address) {
            one.listener->retire(graceMs);
        }
    }
}

void LoopThread::retireAll(unsigned graceMs) {
    for (const Listening& one : std::vector<Listening>(listeners_)) {
        one.listener->retire(graceMs);
    }
}

void LoopThread::drain() {
    tls_.drain();
    context_.drain();
}

void LoopThread::abortAll() {
    for (const Listening& one : std::vector<Listening>(listeners_)) {
        one.listener->close();
    }
    tls_.abortAll();
    context_.abortAll();
}

void LoopThread::flushLogs() {
    if (auto share = share_.lock()) {
        for (auto& channel : share->channels) {
            channel->flush();
        }
    }
}

void LoopThread::trimMemory() {
    if (auto share = share_.lock()) {
        share->files.trimMemory();
    }
}

void LoopThread::onConnection(net::Listener& listener, loop::NativeSocket socket,
                              const loop::SocketAddress& peer) {
    net::TcpTransport& transport = net::TcpTransport::open(*loop_, socket, peer);
    const bool tls = std::any_of(listeners_.begin(), listeners_.end(),
                                 [&](const Listening& one) { return one.listener == &listener && one.tls; });
    const std::uint64_t limit = shared_.maxConnections.load(std::memory_order_relaxed);
    if (limit != 0 && shared_.connections.load(std::memory_order_relaxed) >= limit) {
        turnAway(transport, peer, tls, limit);
        return;
    }
    if (shared_.slowClients.isBlocked(peer, loop_->now())) {
        counters_.onConnectionRejected();
        transport.close(true);
        return;
    }
    if (tls) {
        shared_.connections.fetch_add(1, std::memory_order_relaxed); // until the protocol counts it
        tls::TlsTransport::accept(tls_, transport, *this);
    } else {
        http::startHttp(transport, context_, {});
    }
}

void LoopThread::turnAway(net::Transport& transport, const loop::SocketAddress& peer, bool tls,
                          std::uint64_t limit) {
    counters_.onConnectionRejected();
    const std::size_t ours = context_.connectionCount() + tls_.handshakeCount() + listeners_.size();
    if (tls || loop_->socketCount() > ours + kMostTurnedAway) {
        transport.close(true); // saying why would take a handshake, or more room than there is
    } else {
        BufferChain answer;
        answer.appendStatic("HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 5\r\n"
                            "Content-Type: text/plain; charset=utf-8\r\nContent-Length: 41\r\n\r\n"
                            "Too many connections; try again shortly.\n");
        transport.write(answer);
        transport.lingerAndClose();
    }
    troubleLimit_.write(log::Level::warning, "connections",
                        "{} open, as many as MaxConcurrentConnections or the limit of "
                        "open files allows: {} was "
                        "turned away.",
                        counted(limit, "connection is", "connections are"), peer.text());
}

void LoopThread::onSecured(tls::TlsTransport& transport) {
    shared_.connections.fetch_sub(1, std::memory_order_relaxed);
    http::startHttp(transport, context_, transport.protocol());
}

void LoopThread::onUnsecured(tls::TlsTransport&) {
    shared_.connections.fetch_sub(1, std::memory_order_relaxed);
}

void LoopThread::onListenerTrouble(net::Listener& listener, int error) {
    troubleLimit_.write(
        log::Level::error, "listener", "{}: accepting failed: {}.{}", listener.address().text(),
        systemErrorText(error),
        error == EMFILE || error == ENFILE
            ? " Raise the limit of open files (ulimit -n, LimitNOFILE) or lower KeepAliveTimeout."
            : "");
}

void LoopThread::onListenerClosed(net::Listener& listener) {
    std::erase_if(listeners_, [&](const Listening& one) { return one.listener == &listener; });
}

} // namespace saker::host
