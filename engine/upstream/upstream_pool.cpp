#include "upstream/upstream_pool.h"

#include "loop/worker_pool.h"
#include "net/resolver.h"
#include "observe/log.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace saker::upstream {

/// A connection on its way.
class UpstreamPool::Attempt final : public net::ConnectUser, private net::SecureUser {
public:
    explicit Attempt(UpstreamPool& pool) : pool_(pool) {}
    ~Attempt() {
        if (connector_ != nullptr) {
            connector_->cancel();
        }
        if (securer_ != nullptr) {
            securer_->cancel(*this);
        }
    }
    Attempt(const Attempt&) = delete;
    Attempt& operator=(const Attempt&) = delete;

    void start(const net::Endpoint& endpoint) {
        connector_ = &net::Connector::start(pool_.loop_, endpoint, pool_.options_.connectTimeout, *this);
    }

private:
    void onConnected(net::Transport& transport) override {
        connector_ = nullptr;
        if (pool_.target_.isTls) {
            securer_ = pool_.securer_->value().get();
            securer_->secure(transport, pool_.options_.connectTimeout, *this);
        } else {
            pool_.connected(*this, transport);
        }
    }
    void onConnectFailed(const Error& error, bool isTimeout) override {
        connector_ = nullptr;
        pool_.connectFailed(*this, error.text(), isTimeout);
    }

    void onSecured(net::Transport& transport) override {
        securer_ = nullptr;
        pool_.connected(*this, transport);
    }
    void onNotSecured(const std::string& reason, bool isTimeout) override {
        securer_ = nullptr;
        pool_.connectFailed(*this, reason, isTimeout);
    }

    UpstreamPool& pool_;
    net::Connector* connector_ = nullptr;
    net::Securer* securer_ = nullptr; // while it is at work
};

// ---- a connection ----

UpstreamConnection::UpstreamConnection(Key, Ref<UpstreamPool> pool, net::Transport& transport)
    : transport_(transport), pool_(std::move(pool)) {}

void UpstreamConnection::giveBack() {
    user_ = nullptr;
    ++served_;
    pool_->giveBack(*this);
}

void UpstreamConnection::discard(bool reset) {
    user_ = nullptr;
    if (!std::exchange(isClosing_, true)) {
        transport_.close(reset);
        pool_->closing(*this);
    }
}

void UpstreamConnection::onData(std::span<const char> bytes) {
    if (isUnanswered_) {
        pool_->answered(*this);
    }
    if (user_ != nullptr) {
        user_->onData({bytes.data(), bytes.size()});
    } else {
        discard(); // nobody has asked
    }
}

void UpstreamConnection::onPeerClosed() {
    if (user_ != nullptr) {
        user_->onPeerClosed();
    } else {
        discard();
    }
}

void UpstreamConnection::onDrained() {
    if (user_ != nullptr) {
        user_->onDrained();
    }
}

void UpstreamConnection::onBroken(int error) {
    if (user_ != nullptr) {
        user_->onBroken(error);
    } else {
        discard(true);
    }
}

void UpstreamConnection::onClosed() {
    const std::unique_ptr<UpstreamConnection> self = std::move(self_);
}

// ---- the pool ----

UpstreamPool::UpstreamPool(loop::EventLoop& loop, UpstreamTarget target, const PoolOptions& options,
                           loop::WorkerPool* workers, std::shared_ptr<UpstreamLoad> load)
    : loop_(loop), target_(std::move(target)), options_(options), workers_(workers), name_(target_.text()) {
    if (options_.backloggedAfter != 0) {
        load_ = load ? std::move(load) : std::make_shared<UpstreamLoad>();
        self_ = std::make_shared<UpstreamPool*>(this);
        load_->join({&loop_, self_});
    }
    if (auto endpoint = target_.endpoint()) {
        endpoints_.push_back(std::move(*endpoint));
    }
}

UpstreamPool::~UpstreamPool() {
    leaveLoad();
}

void UpstreamPool::leaveLoad() {
    if (self_) {
        load_->leave({&loop_, self_});
        *self_ = nullptr;
        self_.reset();
    }
}

Acquired UpstreamPool::acquire(PoolWaiter& waiter) {
    if (isRetired_) {
        return {nullptr, Unavailable{503, "the server is about to stop"}};
    }
    if (target_.isTls && (!securer_ || !*securer_)) {
        return {nullptr, Unavailable{502, securer_ ? securer_->error().text() : "there is no TLS here"}};
    }
    if (UpstreamConnection* connection = takeIdle()) {
        return {connection};
    }
    if (isOpenCircuit() && (loop_.now() < openUntil_ || !attempts_.empty() || isLookingUp_)) {
        return {nullptr, Unavailable{503, "it is not asked again yet, since " + lastFailure_}};
    }
    if (waiting_.size() >= options_.maxWaiting) {
        return {nullptr, Unavailable{503, fmt::format("{} requests wait for it already", waiting_.size())}};
    }
    waiting_.push_back({&waiter, loop_.now() + options_.waitTimeout});
    connectMore();
    armTimer();
    return {};
}

void UpstreamPool::cancel(PoolWaiter& waiter) {
    const auto place = std::find_if(waiting_.begin(), waiting_.end(),
                                    [&](const Waiting& one) { return one.waiter == &waiter; });
    if (place != waiting_.end()) {
        waiting_.erase(place);
    }
}

void UpstreamPool::dropIdle() {
    while (!idle_.empty()) {
        idle_.back()->discard();
    }
}

void UpstreamPool::retire() {
    isRetired_ = true;
    leaveLoad();
    dropIdle();
    attempts_.clear();
    failAll({503, "the server is about to stop"});
}

UpstreamConnection* UpstreamPool::takeIdle() {
    while (!idle_.empty()) {
        UpstreamConnection* const connection = idle_.back();
        if (connection->transport_.isQuiet()) {
            idle_.pop_back();
            return connection;
        }
        connection->discard();
    }
    return nullptr;
}

// ---- connecting ----

bool UpstreamPool::mayConnect() const {
    if (isRetired_ || (isOpenCircuit() && !attempts_.empty())) {
        return false;
    }
    return options_.maxConnections == 0 || connections_ + attempts_.size() < options_.maxConnections;
}

void UpstreamPool::connectMore() {
    while (attempts_.size() < waiting_.size() && mayConnect()) {
        const auto endpoint = nextEndpoint();
        if (!endpoint) {
            break; // namesKnown() goes on
        }
        attempts_.push_back(std::make_unique<Attempt>(*this));
        attempts_.back()->start(*endpoint);
    }
}

std::unique_ptr<UpstreamPool::Attempt> UpstreamPool::forget(Attempt& attempt) {
    const auto place = std::find_if(attempts_.begin(), attempts_.end(),
                                    [&](const auto& one) { return one.get() == &attempt; });
    std::unique_ptr<Attempt> owner = std::move(*place);
    attempts_.erase(place);
    return owner;
}

void UpstreamPool::connected(Attempt& attempt, net::Transport& transport) {
    const Ref<UpstreamPool> kept(this);
    const std::unique_ptr<Attempt> owner = forget(attempt);
    if (isOpenCircuit()) {
        log::info("upstream", "{} answers again", name_);
    }
    failures_ = 0;
    addressFailures_ = 0;
    openFor_ = 0;
    auto made = std::make_unique<UpstreamConnection>(UpstreamConnection::Key{}, kept, transport);
    UpstreamConnection& connection = *made;
    connection.self_ = std::move(made);
    ++connections_;
    transport.start(connection);
    awaitAnswer(connection);
    handOut(connection);
    connectMore();
}

void UpstreamPool::connectFailed(Attempt& attempt, const std::string& message, bool isTimeout) {
    const Ref<UpstreamPool> kept(this);
    const std::unique_ptr<Attempt> owner = forget(attempt);
    ++nextEndpoint_;
    if (++addressFailures_ < endpoints_.size()) {
        connectMore(); // another of the host's addresses may do
        return;
    }
    addressFailures_ = 0;
    connectFailed({isTimeout ? 504 : 502, message});
}

void UpstreamPool::connectFailed(const Unavailable& reason) {
    const bool wasOpen = isOpenCircuit();
    ++failures_;
    lastFailure_ = reason.message;
    if (isOpenCircuit()) {
        openFor_ = openFor_ == 0 ? options_.openFor : std::min(openFor_ * 2, options_.openAtMost);
        openUntil_ = loop_.now() + openFor_;
        if (!wasOpen) {
            log::error("upstream", "{} is down: {}; requests for it are refused until it answers again",
                       name_, reason.message);
        }
        if (attempts_.empty()) {
            failAll(reason);
        }
        return;
    }
    if (!waiting_.empty()) {
        PoolWaiter& first = *waiting_.front().waiter;
        waiting_.pop_front();
        first.onUnavailable(reason);
    }
    connectMore();
}

void UpstreamPool::failAll(const Unavailable& reason) {
    const Ref<UpstreamPool> kept(this);
    for (std::size_t left = waiting_.size(); left > 0 && !waiting_.empty(); --left) {
        PoolWaiter& waiter = *waiting_.front().waiter;
        waiting_.pop_front();
        waiter.onUnavailable(reason);
    }
}

// ---- names ----

std::optional<net::Endpoint> UpstreamPool::nextEndpoint() {
    const bool isName = !target_.endpoint();
    if (isName && (endpoints_.empty() || loop_.now() >= namesUntil_)) {
        lookUp();
    }
    if (endpoints_.empty()) {
        return std::nullopt;
    }
    return endpoints_[nextEndpoint_ % endpoints_.size()];
}

void UpstreamPool::lookUp() {
    if (isLookingUp_) {
        return;
    }
    isLookingUp_ = true;
    const bool isTaken =
        workers_ != nullptr &&
        workers_->submit(
            loop_, [host = target_.host, port = target_.port] { return net::resolveHost(host, port); },
            [self = Ref<UpstreamPool>(this)](Result<std::vector<loop::SocketAddress>> found) {
                self->namesKnown(found);
            });
    if (!isTaken) {
        loop_.post([self = Ref<UpstreamPool>(this)] {
            self->namesKnown(Error{ErrorKind::temporary, "there are too many names to look up already", {}});
        });
    }
}

void UpstreamPool::namesKnown(const Result<std::vector<loop::SocketAddress>>& found) {
    isLookingUp_ = false;
    if (!found) {
        namesUntil_ = loop_.now() + options_.namesFor;
        if (endpoints_.empty()) {
            const Unavailable reason{502, found.error().message};
            connectFailed(reason);
            failAll(reason);
        } else {
            log::warning("upstream", "{}: {}; the addresses known so far are used", name_,
                         found.error().message);
        }
        return;
    }
    namesUntil_ = loop_.now() + options_.namesFor;
    endpoints_.clear();
    for (const loop::SocketAddress& address : *found) {
        endpoints_.push_back({address, {}});
    }
    connectMore();
}

// ---- connections that come and go ----

/// To the first who waits, else to the idle ones.
void UpstreamPool::handOut(UpstreamConnection& connection) {
    if (!waiting_.empty()) {
        PoolWaiter& first = *waiting_.front().waiter;
        waiting_.pop_front();
        first.onConnection(connection);
        return;
    }
    if (isRetired_ || options_.maxIdle == 0 || (load_ && load_->isBacklogged())) {
        connection.discard();
        return;
    }
    if (idle_.size() >= options_.maxIdle) {
        idle_.front()->discard();
    }
    answered(connection);
    connection.since_ = loop_.now();
    connection.transport_.resumeReading(); // so that its end is noticed
    idle_.push_back(&connection);
    armTimer();
}

void UpstreamPool::giveBack(UpstreamConnection& connection) {
    if (connection.isClosing_) {
        return;
    }
    // Those who wait here take it over, but not before those who wait at the upstream.
    if (!connection.transport_.isQuiet() || (load_ && load_->isBacklogged())) {
        connection.discard();
        return;
    }
    handOut(connection);
}

void UpstreamPool::closing(UpstreamConnection& connection) {
    const Ref<UpstreamPool> kept(this);
    --connections_;
    answered(connection);
    const auto place = std::find(idle_.begin(), idle_.end(), &connection);
    if (place != idle_.end()) {
        idle_.erase(place);
    }
    connectMore();
}

// ---- new connections that are not answered ----

void UpstreamPool::awaitAnswer(UpstreamConnection& connection) {
    if (load_) {
        connection.isUnanswered_ = true;
        connection.since_ = loop_.now();
        unanswered_.push_back(&connection);
        armTimer();
    }
}

/// It has been, or never will be.
void UpstreamPool::answered(UpstreamConnection& connection) {
    if (std::exchange(connection.isBacklogged_, false)) {
        load_->removeBacklogged();
    }
    if (std::exchange(connection.isUnanswered_, false)) {
        const auto place = std::find(unanswered_.begin(), unanswered_.end(), &connection);
        if (place != unanswered_.end()) {
            unanswered_.erase(place);
        }
    }
}

// ---- time ----

void UpstreamPool::armTimer() {
    std::uint64_t next = loop::TimerWheel::kNever;
    if (!idle_.empty()) {
        next = idle_.front()->since_ + options_.idleTimeout;
    }
    if (!waiting_.empty()) {
        next = std::min(next, waiting_.front().deadline);
    }
    if (!unanswered_.empty()) {
        next = std::min(next, unanswered_.front()->since_ + options_.backloggedAfter);
    }
    if (next != loop::TimerWheel::kNever && (!isSet() || next < deadline())) {
        loop_.timers().set(*this, next);
    }
}

void UpstreamPool::onTimer() {
    const Ref<UpstreamPool> kept(this);
    const std::uint64_t now = loop_.now();
    while (!idle_.empty() && idle_.front()->since_ + options_.idleTimeout <= now) {
        idle_.front()->discard();
    }
    while (!unanswered_.empty() && unanswered_.front()->since_ + options_.backloggedAfter <= now) {
        unanswered_.front()->isBacklogged_ = true;
        unanswered_.pop_front();
        load_->addBacklogged();
    }
    while (!waiting_.empty() && waiting_.front().deadline <= now) {
        PoolWaiter& waiter = *waiting_.front().waiter;
        waiting_.pop_front();
        waiter.onUnavailable(
            {503, fmt::format("no connection to it became free within {} ms", options_.waitTimeout)});
    }
    armTimer();
}

} // namespace saker::upstream
