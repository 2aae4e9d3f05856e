// The connections of one loop to one upstream: opened on demand up to a limit, kept while idle, handed to
// requests in the order in which they came. All of it on the loop's thread.
//
// A connection is idle only after a reply that was complete on both sides; whatever comes over an idle one,
// bytes or an end, closes it, and the system is asked once more before it is used. After connecting has
// failed several times in a row, requests are refused at once for a moment; then one may try (half-open), and
// all are let in again when it succeeds.
#pragma once

#include "base/ref.h"
#include "loop/event_loop.h"
#include "net/connector.h"
#include "net/securer.h"
#include "upstream/upstream_load.h"
#include "upstream/upstream_target.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace saker::loop {
class WorkerPool;
}

namespace saker::upstream {

class UpstreamConnection;
class UpstreamPool;

/// How servers of https:// targets are reached.
struct SecureOptions {
    bool verify = true;      ///< their certificates and names
    std::string caFile;      ///< of those who issue them; "": the system's
    std::string certificate; ///< our own; "": none
    std::string key;         ///< "": in the certificate's file

    bool operator==(const SecureOptions&) const = default;
};

struct PoolOptions {
    std::uint32_t maxConnections = 0;     ///< of this loop; 0: no limit
    std::uint32_t maxIdle = 20;           ///< kept; 0: a connection a request
    std::uint32_t maxWaiting = 1024;      ///< requests that wait for a connection; more are refused
    std::uint64_t waitTimeout = 30'000;   ///< ms
    std::uint64_t connectTimeout = 5'000; ///< ms
    std::uint64_t idleTimeout = 15'000;   ///< ms
    std::uint32_t failuresToOpen = 3;     ///< failed connects in a row until requests are refused at once
    std::uint64_t openFor = 250;          ///< ms; doubled with each failed probe, up to openAtMost
    std::uint64_t openAtMost = 1'000;     ///< ms
    /// ms after which a new connection that was not answered yet counts as backlogged (upstream_load.h); 0:
    /// the upstream serves any number of connections.
    std::uint64_t backloggedAfter = 0;
    std::uint64_t namesFor = 30'000; ///< ms; then a host's name is looked up again
    SecureOptions secure = {};
};

/// Why there is no connection.
struct Unavailable {
    int status = 502; ///< 502 refused, 503 too many wait or the upstream is known to be down, 504 no answer
    std::string message;
};

/// What acquire() gives: a connection, a refusal, or neither: the waiter is called later.
struct Acquired {
    UpstreamConnection* connection = nullptr;
    std::optional<Unavailable> refused = {};
};

/// Who uses a connection.
class ConnectionUser {
public:
    virtual void onData(std::string_view bytes) = 0;
    virtual void onPeerClosed() = 0;
    virtual void onDrained() = 0;
    virtual void onBroken(int error) = 0;

protected:
    ~ConnectionUser() = default;
};

/// Who waits for a connection; one wait at a time.
class PoolWaiter {
public:
    /// The waiter attaches itself, or gives it back.
    virtual void onConnection(UpstreamConnection& connection) = 0;
    virtual void onUnavailable(const Unavailable& reason) = 0;

protected:
    ~PoolWaiter() = default;
};

/// One connection. Belongs to its pool while idle, to its user between attach() and giveBack() or discard();
/// owns itself, until its transport has closed.
class UpstreamConnection final : private net::TransportUser {
    struct Key {};

public:
    net::Transport& transport() { return transport_; }
    /// It has answered before: the upstream may be closing it just now.
    bool isReused() const { return served_ > 0; }
    /// Its events go to the user from now on.
    void attach(ConnectionUser& user) { user_ = &user; }
    /// A request and its reply are complete: for the next one. The user is not called any more.
    void giveBack();
    /// Closes it; what was written still leaves, unless `reset`. The user is not called any more.
    void discard(bool reset = false);

    UpstreamConnection(Key, Ref<UpstreamPool> pool, net::Transport& transport);

private:
    friend class UpstreamPool;

    void onData(std::span<const char> bytes) override;
    void onPeerClosed() override;
    void onDrained() override;
    void onBroken(int error) override;
    void onClosed() override;

    net::Transport& transport_;
    Ref<UpstreamPool> pool_;
    ConnectionUser* user_ = nullptr;
    std::unique_ptr<UpstreamConnection> self_;
    std::uint64_t since_ = 0; // ms: idle, or opened and not answered yet
    std::uint32_t served_ = 0;
    bool isClosing_ = false;
    bool isUnanswered_ = false; // in the pool's list of those
    bool isBacklogged_ = false; // and counted in its load
};

class UpstreamPool final : public RefCounted, private loop::Timer {
public:
    /// `workers` look up names; without them only literal addresses and local sockets work.
    /// `load`: shared with the pools of other loops for the same upstream; null: there are none.
    UpstreamPool(loop::EventLoop& loop, UpstreamTarget target, const PoolOptions& options,
                 loop::WorkerPool* workers = nullptr, std::shared_ptr<UpstreamLoad> load = nullptr);
    ~UpstreamPool() override;
    /// Before the first request, for an https:// target: what puts TLS on its connections, or why nothing
    /// can.
    void setSecurer(Result<std::shared_ptr<net::Securer>> securer) { securer_ = std::move(securer); }

    Acquired acquire(PoolWaiter& waiter);
    /// The waiter is not called any more.
    void cancel(PoolWaiter& waiter);
    /// Closes what is idle: when the upstream closed an idle connection under a request, and has probably
    /// started anew; and when it has no process left for new connections.
    void dropIdle();
    /// No new requests: idle connections close now, others when they are given back. For the end of the
    /// loop.
    void retire();

    const UpstreamTarget& target() const { return target_; }
    const std::string& name() const { return name_; }
    loop::EventLoop& loop() const { return loop_; }
    std::size_t connectionCount() const { return connections_; }
    std::size_t idleCount() const { return idle_.size(); }
    std::size_t waitingCount() const { return waiting_.size(); }
    /// Requests are refused at once.
    bool isOpenCircuit() const { return failures_ >= options_.failuresToOpen; }

private:
    friend class UpstreamConnection;
    class Attempt;
    struct Waiting {
        PoolWaiter* waiter;
        std::uint64_t deadline;
    };

    void onTimer() override;
    void armTimer();
    UpstreamConnection* takeIdle();
    void connectMore();
    void connected(Attempt& attempt, net::Transport& transport);
    void connectFailed(Attempt& attempt, const std::string& message, bool isTimeout);
    void connectFailed(const Unavailable& reason);
    std::unique_ptr<Attempt> forget(Attempt& attempt);
    void handOut(UpstreamConnection& connection);
    void giveBack(UpstreamConnection& connection);
    void closing(UpstreamConnection& connection);
    void failAll(const Unavailable& reason);
    void awaitAnswer(UpstreamConnection& connection);
    void answered(UpstreamConnection& connection);
    void leaveLoad();
    bool mayConnect() const;
    std::optional<net::Endpoint> nextEndpoint();
    void lookUp();
    void namesKnown(const Result<std::vector<loop::SocketAddress>>& found);

    loop::EventLoop& loop_;
    UpstreamTarget target_;
    PoolOptions options_;
    loop::WorkerPool* workers_;
    std::string name_;
    std::vector<UpstreamConnection*> idle_; // the one that was used last is at the end
    std::deque<Waiting> waiting_;
    std::deque<UpstreamConnection*> unanswered_; // new ones, the oldest first
    std::shared_ptr<UpstreamLoad> load_;
    std::shared_ptr<UpstreamPool*> self_;                          // of this pool as a member of the load
    std::optional<Result<std::shared_ptr<net::Securer>>> securer_; // before attempts_, which use it
    std::vector<std::unique_ptr<Attempt>> attempts_;
    std::vector<net::Endpoint> endpoints_;
    std::size_t nextEndpoint_ = 0;
    std::size_t addressFailures_ = 0; // in a row, of endpoints_
    std::uint64_t namesUntil_ = 0;    // ms
    std::size_t connections_ = 0;     // open ones, attempts not counted
    std::uint32_t failures_ = 0;      // in a row
    std::uint64_t openUntil_ = 0;     // ms
    std::uint64_t openFor_ = 0;       // ms
    std::string lastFailure_;
    bool isLookingUp_ = false;
    bool isRetired_ = false;
};

} // namespace saker::upstream
